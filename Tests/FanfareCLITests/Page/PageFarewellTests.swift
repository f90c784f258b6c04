import FanfareBase
import FanfareCLI
import Testing

/// The end of a job that has viewers.
@Suite struct PageFarewellTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)

    private func moment(_ milliseconds: Int64) -> Instant {
        Self.start.advanced(byNanoseconds: milliseconds * 1_000_000)
    }

    @Test func `viewers that ask for nothing hold it for two seconds`() {
        let farewell = PageFarewell(at: Self.start)
        #expect(farewell.end(at: moment(0)) == moment(2_000))
        #expect(farewell.end(at: moment(1_999)) == moment(2_000))
        #expect(farewell.end(at: moment(2_000)) == nil)
    }

    @Test func `one that asks for the last page has five seconds for it`() {
        var farewell = PageFarewell(at: Self.start)
        farewell.isAsked = true
        #expect(farewell.end(at: moment(2_000)) == moment(5_000))
        #expect(farewell.end(at: moment(5_000)) == nil)
    }
}
