import FanfareCore
import Testing

@Suite struct DeclaredRateTests {
    @Test(
        arguments: [
            ("550", 550, 1), ("0.2", 1, 5), ("2.5", 5, 2), ("0.001", 1, 1000), ("1.0", 1, 1),
            ("0.125", 1, 8), ("0.75", 3, 4), ("1000000", 1_000_000, 1),
        ] as [(String, Int, Int)])
    func `a rate is a whole number of times in whole seconds`(
        text: String, count: Int, seconds: Int
    ) {
        #expect(DeclaredRate(text) == DeclaredRate(count, inSeconds: seconds))
    }

    @Test(arguments: ["0", "0.0", "-1", "1e3", "0.0001", "1000001", "1000000.001", "1.2.3", ""])
    func `others are none`(text: String) {
        #expect(DeclaredRate(text) == nil)
    }
}
