import FanfareBase
import FanfareCore
import Testing

@Suite struct SilenceWatchTests {
    private func seconds(_ value: Int) -> Instant {
        Instant(nanoseconds: Int64(value) * 1_000_000_000)
    }

    @Test func `an idle connection is not asked`() {
        var watch = SilenceWatch()
        #expect(watch.look(oldest: nil, received: seconds(0), now: seconds(100_000)) == .wait)
        #expect(watch.deadline(oldest: nil, received: seconds(0)) == nil)
    }

    @Test func `silence with a request outstanding is asked about once, and then given up`() {
        var watch = SilenceWatch()
        let (start, last) = (seconds(50), seconds(3))
        // Ten seconds from the request, not from the last byte before it.
        #expect(watch.deadline(oldest: start, received: last) == seconds(60))
        #expect(watch.look(oldest: start, received: last, now: seconds(59)) == .wait)
        #expect(watch.look(oldest: start, received: last, now: seconds(60)) == .ping)
        #expect(watch.look(oldest: start, received: last, now: seconds(69)) == .wait)
        #expect(watch.deadline(oldest: start, received: last) == seconds(70))
        #expect(watch.look(oldest: start, received: last, now: seconds(70)) == .giveUp)
    }

    @Test func `any byte is a sign of life`() {
        var watch = SilenceWatch()
        #expect(watch.look(oldest: seconds(0), received: seconds(0), now: seconds(10)) == .ping)
        #expect(watch.look(oldest: seconds(0), received: seconds(19), now: seconds(20)) == .wait)
        #expect(watch.deadline(oldest: seconds(0), received: seconds(19)) == seconds(29))
        #expect(watch.look(oldest: seconds(0), received: seconds(19), now: seconds(29)) == .ping)
    }

    @Test func `a connection that became idle starts afresh`() {
        var watch = SilenceWatch()
        #expect(watch.look(oldest: seconds(0), received: seconds(0), now: seconds(10)) == .ping)
        #expect(watch.look(oldest: nil, received: seconds(0), now: seconds(11)) == .wait)
        #expect(watch.look(oldest: seconds(30), received: seconds(0), now: seconds(31)) == .wait)
        #expect(watch.deadline(oldest: seconds(30), received: seconds(0)) == seconds(40))
    }
}
