import FanfareBase
import FanfareCore
import Testing

/// A pace that changes is kept in every window, those across a change included.
@Suite struct PacerChangeTests {
    private static let second: Int64 = 1_000_000_000
    private static let millisecond: Int64 = 1_000_000
    private static let start: Int64 = 5_000_000_000_000

    private static func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: start + milliseconds * millisecond)
    }

    private static func perSecond(_ count: Int64, burst: Int64) -> PaceSettings {
        PaceSettings(count: count, period: second, burst: burst)
    }

    @Test func `what is in the bucket stays, as far as the new one has room`() {
        var pacer = Pacer(Self.perSecond(1000, burst: 50), lanes: 1)
        #expect(pacer.take(lane: 0, used: 0, wanted: 1, now: Self.at(0)).permits == 1)
        // 30.5 have come; half a permit of the old pace is half a one of the new, or 5 ms.
        pacer.settle(lane: 0, used: 1, unused: 0, keepsPlace: false, now: Self.at(0))
        let half = Instant(nanoseconds: Self.start + 30_500_000)
        pacer.change(to: Self.perSecond(100, burst: 40), now: half)
        let grant = pacer.take(lane: 0, used: 0, wanted: 64, now: half)
        #expect(grant.permits == 30 && grant.next == half.advanced(byNanoseconds: 5_000_000))

        var small = Pacer(Self.perSecond(1000, burst: 50), lanes: 1)
        #expect(small.take(lane: 0, used: 0, wanted: 1, now: Self.at(0)).permits == 1)
        small.settle(lane: 0, used: 1, unused: 0, keepsPlace: false, now: Self.at(0))
        small.change(to: Self.perSecond(100, burst: 3), now: Self.at(40))
        #expect(small.take(lane: 0, used: 0, wanted: 64, now: Self.at(40)).permits == 3)
    }

    @Test func `what is out on lease has its place in the new bucket`() {
        var pacer = Pacer(Self.perSecond(1000, burst: 50), lanes: 2)
        pacer.settle(lane: 0, used: 0, unused: 0, keepsPlace: false, now: Self.at(0))
        #expect(pacer.take(lane: 0, used: 0, wanted: 30, now: Self.at(100)).permits == 30)
        pacer.change(to: Self.perSecond(1000, burst: 20), now: Self.at(100))
        #expect(pacer.take(lane: 1, used: 0, wanted: 64, now: Self.at(100)).permits == 0)
        // Unused ones come back into a bucket of twenty, and no more.
        pacer.settle(lane: 0, used: 0, unused: 30, keepsPlace: false, now: Self.at(100))
        #expect(pacer.take(lane: 1, used: 0, wanted: 64, now: Self.at(104)).permits == 20)
    }

    @Test func `without a pace lanes get what they want, and then the pace begins with one`() {
        var pacer = Pacer(nil, lanes: 2)
        for moment in 0..<5 as Range<Int64> {
            let grant = pacer.take(
                lane: 0, used: moment == 0 ? 0 : 64, wanted: 64, now: Self.at(moment))
            #expect(grant.permits == 64 && grant.next == nil)
        }
        #expect(pacer.lateStarts == nil)
        pacer.settle(lane: 0, used: 64, unused: 0, keepsPlace: false, now: Self.at(5))
        pacer.change(to: Self.perSecond(100, burst: 10), now: Self.at(5))
        let grant = pacer.take(lane: 0, used: 0, wanted: 64, now: Self.at(5))
        #expect(grant.permits == 1 && grant.next == Self.at(15))
        #expect(pacer.lateStarts == 0)
        #expect(pacer.take(lane: 0, used: 1, wanted: 64, now: Self.at(35)).permits == 3)
        pacer.change(to: nil, now: Self.at(35))
        #expect(pacer.take(lane: 1, used: 0, wanted: 64, now: Self.at(35)).permits == 64)
    }

    @Test func `a pace that changes in its rise is at its height at once`() {
        var pacer = Pacer(
            PaceSettings(count: 1000, period: Self.second, burst: 100, ramp: 10 * Self.second),
            lanes: 1)
        #expect(pacer.take(lane: 0, used: 0, wanted: 64, now: Self.at(0)).permits == 1)
        // 1000 × 0.2² ÷ 20 are two in the rise, and 50 after it.
        pacer.change(to: Self.perSecond(1000, burst: 100), now: Self.at(200))
        #expect(pacer.take(lane: 0, used: 1, wanted: 64, now: Self.at(250)).permits == 52)
    }

    @Test func `the largest paces can follow each other`() {
        let day: Int64 = 86_400 * Self.second
        var pacer = Pacer(
            PaceSettings(count: 999_999_937, period: day, burst: 1_000_000_000, ramp: day), lanes: 1
        )
        #expect(pacer.take(lane: 0, used: 0, wanted: 1, now: Self.at(0)).permits == 1)
        let later = Instant(nanoseconds: Self.start + day)
        for settings in [
            PaceSettings(count: 1, period: day, burst: 1_000_000_000),
            PaceSettings(count: 1_000_000_000, period: 1, burst: 1_000_000_000),
            PaceSettings(count: 999_999_937, period: day - 1, burst: 1_000_000_000, ramp: day),
        ] {
            pacer.change(to: settings, now: later)
        }
        // Half of a day's came in the rise.
        let grant = pacer.take(lane: 0, used: 1, wanted: 1_000_000_000, now: later)
        #expect((499_999_960...499_999_970).contains(grant.permits))
    }

    // MARK: Any window

    /// Lanes use, keep and give back what they like while the pace changes under them.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `no window has more than the burst at its beginning and the rates in it`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &dice) }
        func pace() -> PaceSettings? {
            guard number(0...5) > 0 else { return nil }
            let period = [1000, 10_000, 1_000_000, 7_000_000][Int(number(0...3))] as Int64
            return PaceSettings(
                count: number(1...200), period: period, burst: number(1...150))
        }
        let lanes = Int(number(1...4))
        let first = pace()
        var pacer = Pacer(first, lanes: lanes)
        var window = WindowCheck(first)
        var out = Array(repeating: 0, count: lanes)
        var used = out
        var now = Self.start
        for _ in 0..<3000 {
            now += number(0...[100, 1000, 300_000][Int(number(0...2))])
            let lane = Int(number(0...Int64(lanes) - 1))
            switch number(0...99) {
            case 0...1:
                let next = pace()
                pacer.change(to: next, now: Instant(nanoseconds: now))
                window.changed(to: next, at: now, out: zip(out, used).map { $0 - $1 })
            case 2...40:
                // The clock was read before others had their turn.
                let read = used[lane] == 0 ? now - number(0...50) : now
                guard out[lane] == used[lane] else { continue }
                let grant = pacer.take(
                    lane: lane, used: used[lane], wanted: Int(number(1...64)),
                    now: Instant(nanoseconds: read))
                window.settled(lane)
                (out[lane], used[lane]) = (grant.permits, 0)
            case 41...50:
                pacer.settle(
                    lane: lane, used: used[lane], unused: out[lane] - used[lane],
                    keepsPlace: Bool.random(using: &dice), now: Instant(nanoseconds: now))
                window.settled(lane)
                (out[lane], used[lane]) = (0, 0)
            default:
                guard out[lane] > used[lane] else { continue }
                let most = Int64(out[lane] - used[lane])
                let starts = Int(number(1...most))
                used[lane] += starts
                for _ in 0..<starts { window.started(at: now) }
            }
        }
        #expect(window.worst <= 0)
    }

    /// Starts counted against the bound itself, which knows nothing of buckets.
    ///
    /// In parts of a permit, 7,000,000 of them: every period divides that.
    private struct WindowCheck {
        private static let parts: Int128 = 7_000_000
        private var settings: PaceSettings?
        /// The permits that the rates have brought until the last moment looked at.
        private var earned: Int128 = 0
        private var looked: Int64 = PacerChangeTests.start
        /// By lane, what was out when the pace changed and has not been accounted for.
        private var old: [Int] = []
        private var starts: Int128 = 0
        /// The least bound of the windows that have begun: the burst at its beginning, the starts
        /// before it, less what had been earned.
        private var least: Int128?
        private(set) var worst: Int128 = .min

        init(_ settings: PaceSettings?) { self.settings = settings }

        private mutating func look(at moment: Int64) {
            if let settings {
                earned +=
                    Int128(settings.count) * (Self.parts / Int128(settings.period))
                    * Int128(moment - looked)
            }
            looked = moment
        }

        mutating func changed(to settings: PaceSettings?, at moment: Int64, out: [Int]) {
            look(at: moment)
            // No bound holds for a window with a time in it that has no pace.
            if settings == nil || self.settings == nil { least = nil }
            self.settings = settings
            old = out
        }

        mutating func settled(_ lane: Int) {
            if !old.isEmpty { old[lane] = 0 }
        }

        mutating func started(at moment: Int64) {
            look(at: moment)
            starts += 1
            guard let settings else { return }
            let burst = max(Int128(settings.burst), Int128(old.reduce(0, +)))
            let bound = (burst + starts - 1) * Self.parts - earned
            least = min(least ?? .max, bound)
            worst = max(worst, starts * Self.parts - earned - (least ?? 0))
        }
    }
}
