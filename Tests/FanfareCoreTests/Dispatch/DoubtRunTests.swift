import FanfareBase
import FanfareCore
import Testing

@Suite struct DoubtRunTests {
    private var run = DoubtRun(firstPause: .seconds(10), wishMax: .seconds(900))

    private static func seconds(_ value: Double) -> Instant {
        Instant(nanoseconds: Int64(value * 1e9))
    }

    /// So many answers in doubt at a time.
    private mutating func hear(_ count: Int, wish: Duration? = nil, at moment: Double) {
        for _ in 0..<count { run.answeredInDoubt(wish: wish, now: Self.seconds(moment)) }
    }

    private func until() -> Double? {
        run.until.map { Double($0.nanoseconds(since: Self.seconds(0))) / 1e9 }
    }

    @Test mutating func `nineteen answers in doubt hold nothing, and twenty do`() {
        hear(DoubtRun.least - 1, at: 1)
        #expect(until() == nil && !run.holds(now: Self.seconds(1)))
        hear(1, at: 2)
        #expect(until() == 12)
        #expect(run.holds(now: Self.seconds(11.9)) && !run.holds(now: Self.seconds(12)))
    }

    @Test mutating func `one answer to twenty rows is a run`() {
        for _ in 0..<19 { run.wentAlong() }
        #expect(until() == nil)
        hear(1, at: 3)
        #expect(until() == 13)
    }

    @Test mutating func `a verdict between them begins a new run`() {
        hear(19, at: 1)
        run.judged()
        hear(19, at: 1)
        #expect(until() == nil)
        hear(1, at: 1)
        #expect(until() == 11)
        run.judged()
        #expect(until() == nil)
    }

    @Test mutating func `rows that were on their way make no pause longer`() {
        hear(20, at: 1)
        hear(400, at: 2)
        #expect(until() == 11)
    }

    @Test mutating func `pauses double up to a minute, and begin anew behind a verdict`() {
        hear(20, at: 0)
        var moments = [until()]
        for _ in 0..<4 {
            guard let moment = until() else { break }
            hear(1, at: moment)
            moments.append(until())
        }
        // 10, 20, 40, and then 60 seconds each.
        #expect(moments == [10, 30, 70, 130, 190])
        run.judged()
        hear(20, at: 200)
        #expect(until() == 210)
    }

    @Test mutating func `the provider may ask for more, also behind the beginning of a pause`() {
        hear(20, wish: .seconds(30), at: 0)
        #expect(until() == 30)
        hear(1, wish: .seconds(5), at: 1)
        #expect(until() == 30)
        hear(1, wish: .seconds(60), at: 2)
        #expect(until() == 62)
        // And for less than forever.
        hear(1, wish: .seconds(1_000_000), at: 62)
        #expect(until() == 962)
    }

    @Test func `without a first pause it is a second`() {
        var run = DoubtRun(firstPause: .zero, wishMax: .seconds(900))
        for _ in 0..<20 { run.answeredInDoubt(wish: nil, now: Self.seconds(5)) }
        #expect(run.until == Self.seconds(6))
    }
}
