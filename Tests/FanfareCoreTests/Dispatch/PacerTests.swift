import FanfareBase
import FanfareCore
import Testing

/// A pace is kept in every window, and not only on average.
@Suite struct PacerTests {
    private static let second: Int64 = 1_000_000_000
    private static let millisecond: Int64 = 1_000_000
    private static let start: Int64 = 5_000_000_000_000

    private static func at(_ nanoseconds: Int64) -> Instant {
        Instant(nanoseconds: start + nanoseconds)
    }

    /// Takes permits one at a time, each as soon as there is one.
    private static func moments(_ settings: PaceSettings, count: Int) -> [Int64] {
        var pacer = Pacer(settings, lanes: 1)
        var now = at(0)
        var moments: [Int64] = []
        while moments.count < count {
            let grant = pacer.take(lane: 0, used: 0, wanted: 1, now: now)
            if grant.permits == 1 {
                moments.append(now.nanoseconds - start)
                pacer.settle(lane: 0, used: 1, unused: 0, keepsPlace: true, now: now)
            } else {
                now = grant.next ?? .distantFuture
            }
        }
        return moments
    }

    /// A provider takes its burst at once after a rest; then one each five seconds.
    @Test func `a bucket may begin full`() {
        let settings = PaceSettings(count: 1, period: 5 * Self.second, burst: 60, startsFull: true)
        let moments = Self.moments(settings, count: 63)
        #expect(moments.prefix(60).allSatisfy { $0 == 0 })
        #expect(moments.suffix(3) == [5, 10, 15].map { $0 * Self.second })
    }

    @Test(
        arguments: [
            (5_000, 1_000_000_000, 200_000), (100, 15_000_000_000, 150_000_000),
            (90_000, 60_000_000_000, 666_667), (1, 86_400_000_000_000, 86_400_000_000_000),
            (3, 1_000_000_000, 333_333_334), (999_999_937, 86_400_000_000_000, 86_401),
        ] as [(Int64, Int64, Int64)])
    func `permits come at the rate, to the nanosecond`(
        count: Int64, period: Int64, second: Int64
    ) {
        // With a burst of one there is no time but the permit's own.
        let settings = PaceSettings(count: count, period: period, burst: 1)
        let moments = Self.moments(settings, count: 3)
        #expect(moments[0] == 0 && moments[1] == second)
    }

    @Test func `no fraction is lost`() {
        // Three in a second do not come in whole nanoseconds; with room for them nothing is late.
        let moments = Self.moments(
            PaceSettings(count: 3, period: Self.second, burst: 2), count: 301)
        #expect(moments[300] == 100 * Self.second)
    }

    @Test(
        arguments: [
            (10_000, 1_000_000_000, 201), (1, 1_000_000_000, 2), (100, 15_000_000_000, 2),
            (90_000, 60_000_000_000, 31), (1_000_000_000, 1, 1_000_000_000),
        ] as [(Int64, Int64, Int64)])
    func `the burst is 20 ms of the rate and one`(count: Int64, period: Int64, burst: Int64) {
        #expect(PaceSettings(count: count, period: period).burst == burst)
    }

    @Test func `a delay is made up for up to the burst, the rest is late`() {
        var pacer = Pacer(PaceSettings(count: 1000, period: Self.second, burst: 10), lanes: 1)
        #expect(pacer.take(lane: 0, used: 0, wanted: 64, now: Self.at(0)).permits == 1)
        let later = Self.at(5 * Self.millisecond)
        #expect(pacer.take(lane: 0, used: 1, wanted: 64, now: later).permits == 5)
        #expect(pacer.lateStarts == 0)
        // 100 have come, and five are still out: there is room for five.
        let muchLater = Self.at(105 * Self.millisecond)
        #expect(pacer.take(lane: 0, used: 5, wanted: 64, now: muchLater).permits == 5)
        #expect(pacer.lateStarts == 95)
    }

    @Test func `fractions of starts that are late add up`() {
        var pacer = Pacer(PaceSettings(count: 1000, period: Self.second, burst: 1), lanes: 1)
        // The bucket is full from the beginning; a permit comes each millisecond.
        for (microseconds, late) in [
            (0, 0), (500, 0), (1000, 1), (1750, 1), (2500, 2), (2999, 2), (3000, 3), (9000, 9),
        ] as [(Int64, UInt64)] {
            pacer.settle(
                lane: 0, used: 0, unused: 0, keepsPlace: false, now: Self.at(microseconds * 1000))
            #expect(pacer.lateStarts == late, "after \(microseconds) µs")
        }
    }

    @Test func `nothing is late while a job rests on purpose`() {
        var pacer = Pacer(PaceSettings(count: 1000, period: Self.second, burst: 10), lanes: 1)
        #expect(pacer.take(lane: 0, used: 0, wanted: 1, now: Self.at(0)).permits == 1)
        pacer.settle(lane: 0, used: 1, unused: 0, keepsPlace: false, now: Self.at(0))
        pacer.rest(.pause, true, now: Self.at(5 * Self.millisecond))
        pacer.rest(.window, true, now: Self.at(500 * Self.millisecond))
        pacer.rest(.pause, false, now: Self.at(600 * Self.millisecond))
        #expect(pacer.lateStarts == 0)
        pacer.rest(.window, false, now: Self.at(1000 * Self.millisecond))
        // The bucket is full, and no fuller.
        #expect(
            pacer.take(lane: 0, used: 0, wanted: 64, now: Self.at(1000 * Self.millisecond))
                .permits == 10)
        #expect(pacer.lateStarts == 0)
        pacer.settle(
            lane: 0, used: 10, unused: 0, keepsPlace: false,
            now: Self.at(1000 * Self.millisecond))
        // From then on 30 come, and ten have room.
        pacer.settle(
            lane: 0, used: 0, unused: 0, keepsPlace: false,
            now: Self.at(1030 * Self.millisecond))
        #expect(pacer.lateStarts == 20)
    }

    @Test func `what is not used comes back`() {
        var pacer = Pacer(PaceSettings(count: 1000, period: Self.second, burst: 10), lanes: 1)
        pacer.settle(lane: 0, used: 0, unused: 0, keepsPlace: false, now: Self.at(0))
        let later = Self.at(8 * Self.millisecond)
        #expect(pacer.take(lane: 0, used: 0, wanted: 8, now: later).permits == 8)
        pacer.settle(lane: 0, used: 3, unused: 5, keepsPlace: false, now: later)
        let grant = pacer.take(lane: 0, used: 0, wanted: 6, now: later)
        #expect(grant.permits == 6 && grant.next == nil)
    }

    /// The integral of a rate that rises by R ÷ D: R × t² ÷ (2 × D).
    @Test func `the rate rises in a line`() {
        var pacer = Pacer(
            PaceSettings(count: 1000, period: Self.second, burst: 100_000, ramp: 10 * Self.second),
            lanes: 1)
        var taken = 0
        for (milliseconds, expected) in [
            (0, 1), (100, 1), (200, 3), (1000, 51), (2000, 201), (10_000, 5001), (11_000, 6001),
            (60_000, 55_001),
        ] {
            let now = Self.at(Int64(milliseconds) * Self.millisecond)
            taken += pacer.take(lane: 0, used: 0, wanted: 100_000, now: now).permits
            #expect(taken == expected, "after \(milliseconds) ms")
        }
    }

    @Test func `the moment of a permit is right in the rise, across its end, and after it`() {
        // 4 a second after 4 s: permit k in the rise comes at √(2k) s, 8 of them by its end.
        let moments = Self.moments(
            PaceSettings(count: 4, period: Self.second, burst: 1, ramp: 4 * Self.second), count: 12)
        #expect(moments[1] == 1_414_213_563 && moments[2] == 2_000_000_000 + 1)
        // The rounded part is lost if nothing can be saved: never early, and a nanosecond each.
        for (index, moment) in moments.enumerated() where index >= 8 {
            let exact = 4 * Self.second + Int64(index - 8) * 250 * Self.millisecond
            #expect((0...12).contains(moment - exact), "\(index): \(moment)")
        }
    }

    /// A thousand a second and a bucket of eight, which is full after 7 ms.
    @Test func `a lane leaves one to each before it, and takes its share of the others`() {
        var pacer = Pacer(PaceSettings(count: 1000, period: Self.second, burst: 8), lanes: 3)
        pacer.settle(lane: 0, used: 0, unused: 0, keepsPlace: false, now: Self.at(0))
        let first = pacer.take(lane: 0, used: 0, wanted: 4, now: Self.at(0))
        #expect(first.permits == 1)
        // The next permit comes in 1 ms; a question earlier than in 4 ms, half of what eight are worth, is
        // one too many.
        #expect(first.next == Self.at(4 * Self.millisecond))
        // The one that has come by then is for the lane that waits, and of two it is one.
        let none = pacer.take(lane: 1, used: 0, wanted: 4, now: Self.at(Self.millisecond))
        #expect(none.permits == 0)
        let second = pacer.take(lane: 1, used: 0, wanted: 4, now: Self.at(2 * Self.millisecond))
        #expect(second.permits == 1)
        pacer.settle(
            lane: 0, used: 1, unused: 0, keepsPlace: true, now: Self.at(2 * Self.millisecond))
        pacer.settle(
            lane: 1, used: 1, unused: 0, keepsPlace: false, now: Self.at(2 * Self.millisecond))
        // One is left and six more come: with another that waits the half of seven.
        let third = pacer.take(lane: 2, used: 0, wanted: 8, now: Self.at(8 * Self.millisecond))
        #expect(third.permits == 3)
        // The first in the queue gets what it wants as soon as it is there, but no more than its share.
        let fourth = pacer.take(lane: 0, used: 0, wanted: 4, now: Self.at(8 * Self.millisecond))
        #expect(fourth.permits == 2)
    }

    /// Permits come each microsecond, so that none of them is what the lane waits for.
    @Test(
        arguments: [
            (1000, 500), (2000, 1000), (3000, 1500), (7998, 3999), (8000, 4000), (20_000, 4000),
        ] as [(Int64, Int64)])
    func `a lane asks again when half of the bucket has come, after 4 ms at most`(
        burst: Int64, microseconds: Int64
    ) {
        var pacer = Pacer(
            PaceSettings(count: 1_000_000, period: Self.second, burst: burst), lanes: 1)
        let grant = pacer.take(lane: 0, used: 0, wanted: 1_000_000, now: Self.at(0))
        #expect(grant.permits == 1 && grant.next == Self.at(microseconds * 1000))
    }

    @Test func `lanes in need take turns`() {
        var pacer = Pacer(PaceSettings(count: 1, period: Self.second), lanes: 3)
        var next = [Self.at(0), Self.at(0), Self.at(0)]
        var starts = [0, 0, 0]
        // The first lane is always the quickest, the last one always the slowest.
        for step in 0...3000 {
            let now = Self.at(Int64(step) * 100 * Self.millisecond)
            for lane in 0..<3 where now >= next[lane] {
                let grant = pacer.take(lane: lane, used: 0, wanted: 64, now: now)
                starts[lane] += grant.permits
                next[lane] = grant.next ?? now
                #expect(next[lane] > now)
                pacer.settle(
                    lane: lane, used: grant.permits, unused: 0, keepsPlace: true, now: now)
            }
        }
        #expect(starts.reduce(0, +) >= 300 && starts.allSatisfy { (99...102).contains($0) })
    }

    @Test func `a lane that needs nothing any more does not keep the others waiting`() {
        var pacer = Pacer(PaceSettings(count: 1, period: Self.second), lanes: 2)
        #expect(pacer.take(lane: 0, used: 0, wanted: 1, now: Self.at(0)).permits == 1)
        #expect(pacer.take(lane: 0, used: 1, wanted: 1, now: Self.at(0)).permits == 0)
        let behind = pacer.take(lane: 1, used: 0, wanted: 1, now: Self.at(0))
        #expect(behind.permits == 0 && behind.next == Self.at(2 * Self.second))
        pacer.settle(lane: 0, used: 0, unused: 0, keepsPlace: false, now: Self.at(0))
        let now = Self.at(Self.second)
        #expect(pacer.take(lane: 1, used: 0, wanted: 1, now: now).permits == 1)
    }

    // MARK: Any window

    /// Lanes with clocks of their own use, keep and give back what they like.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `no window has more than burst and rate allow`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &dice) }
        let count = number(1...[3, 100, 10_000, 1_000_000][Int(number(0...3))])
        let period = [1, 7, 60, 1000][Int(number(0...3))] * 12_345_679 * number(1...99)
        let burst = Bool.random(using: &dice) ? number(1...300) : nil
        let ramp = Bool.random(using: &dice) ? number(1...20 * period) : 0
        let settings = PaceSettings(count: count, period: period, burst: burst, ramp: ramp)
        let lanes = Int(number(1...4))
        var pacer = Pacer(settings, lanes: lanes)
        var window = WindowCheck(settings)
        var out = Array(repeating: 0, count: lanes)
        var used = out
        // About five permits to a step: what is asked, used and settled varies.
        let stepMax = max(1, period / count * 10)
        var now = Self.start
        for _ in 0..<2000 {
            now += number(0...stepMax)
            let lane = Int(number(0...Int64(lanes) - 1))
            switch number(0...9) {
            case 0...3 where out[lane] == used[lane]:
                // The clock was read before others had their turn.
                let read = now - number(0...stepMax / 4)
                let isFresh = used[lane] == 0
                let grant = pacer.take(
                    lane: lane, used: used[lane], wanted: Int(number(1...64)),
                    now: Instant(nanoseconds: isFresh ? read : now))
                (out[lane], used[lane]) = (grant.permits, 0)
            case 4:
                pacer.settle(
                    lane: lane, used: used[lane], unused: out[lane] - used[lane],
                    keepsPlace: Bool.random(using: &dice), now: Instant(nanoseconds: now))
                (out[lane], used[lane]) = (0, 0)
            default:
                guard out[lane] > used[lane] else { continue }
                let starts = Int(number(1...Int64(out[lane] - used[lane])))
                used[lane] += starts
                for _ in 0..<starts { window.started(at: now) }
            }
        }
        #expect(window.worst <= 0, "\(settings)")
    }

    /// Starts counted against the bound itself, which knows nothing of buckets.
    private struct WindowCheck {
        let settings: PaceSettings
        /// The least of (starts before i) × period − count × (moment of i), by which the worst window
        /// that ends now is known.
        private var least: Int128?
        private var starts: Int128 = 0
        /// By how much the worst window is over its bound, in parts of a permit.
        private(set) var worst: Int128 = .min

        init(_ settings: PaceSettings) { self.settings = settings }

        mutating func started(at moment: Int64) {
            let earned = Int128(settings.count) * Int128(moment)
            least = min(least ?? .max, starts * Int128(settings.period) - earned)
            starts += 1
            let inWindow = starts * Int128(settings.period) - earned - (least ?? 0)
            worst = max(worst, inWindow - Int128(settings.burst) * Int128(settings.period))
        }
    }

    // MARK: The mean

    /// Turns of a busy lane come late by up to 10 ms, as those of a busy machine do.
    @Test(
        arguments: [
            (10_000, 1_000_000_000), (100, 1_000_000_000), (90_000, 60_000_000_000),
            (100, 15_000_000_000), (100_000, 1_000_000_000), (250, 1_000_000_000),
        ] as [(Int64, Int64)], 1...3)
    func `the mean over a minute is the rate`(rate: (Int64, Int64), lanes: Int) {
        let minute = 60 * Self.second
        var pacer = Pacer(PaceSettings(count: rate.0, period: rate.1), lanes: lanes)
        var dice = SplitMix64(seed: UInt64(rate.0) + UInt64(lanes))
        var next = Array(repeating: Self.at(0), count: lanes)
        var (starts, questions) = (0, 0)
        while let lane = next.indices.min(by: { next[$0] < next[$1] }),
            next[lane] <= Self.at(minute)
        {
            let now = next[lane]
            var out = 0
            repeat {
                questions += 1
                let grant = pacer.take(lane: lane, used: out, wanted: 64, now: now)
                out = grant.permits
                starts += grant.permits
                next[lane] = grant.next ?? now
            } while next[lane] == now
            pacer.settle(lane: lane, used: out, unused: 0, keepsPlace: true, now: now)
            next[lane] = next[lane].advanced(
                byNanoseconds: Int64.random(in: 0...10 * Self.millisecond, using: &dice))
        }
        let expected = Double(rate.0) * Double(minute) / Double(rate.1)
        #expect(abs(Double(starts) - expected) <= max(expected * 0.001, 2))
        #expect(pacer.lateStarts == 0)
        // 250 wake-ups a second, and one question more for each 64 permits.
        #expect(questions <= lanes * 60 * 251 + starts / 64 + lanes)
    }
}
