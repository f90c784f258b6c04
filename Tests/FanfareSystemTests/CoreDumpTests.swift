import FanfareSystem
import Testing

@Suite(.serialized) struct CoreDumpTests {
    @Test func `core dumps are forbidden and allowed again`() {
        let wereAllowed = CoreDumps.areAllowed
        defer { CoreDumps.areAllowed = wereAllowed }
        CoreDumps.areAllowed = false
        #expect(!CoreDumps.areAllowed)
        CoreDumps.areAllowed = true
        #expect(CoreDumps.areAllowed)
    }
}
