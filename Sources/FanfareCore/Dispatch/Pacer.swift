package import FanfareBase

// What to know before you change this:
// - The bound (burst + rate × W in every window of W) is a provider's quota, not an average.
//   `PacerTests` and `PacerChangeTests` look at all windows, to the nanosecond.
// - What is out on lease keeps its place in the bucket. Giving it back earlier, or counting a start
//   later than it was, breaks the bound without breaking a test of the sum.
// - Lanes meet it under a lock, twice a turn, for 64 permits at most: nothing here is on a row's
//   way.
// - A permit has up to 2⁴⁷ × 2⁴⁸ units and a bucket 2³⁰ of them: 125 of 128 bits. A bound of
//   `Limits` that is raised has to fit.
// - Load tests do not use it: it gives up what comes late (decision 016).

/// A limit on the attempts that a job starts: a bucket that permits run into at the job's rate.
///
/// An attempt takes a permit out. The bucket begins with one, or full, and holds `burst` of them, so that in
/// any window of W at most burst + rate × W attempts start, and the job makes up for late starts as
/// long as the bucket has room. Permits that run over are lost, and counted as late.
///
/// Lanes take permits as leases, several at a time, and say later how many of them they have used.
/// A permit that is out on lease still has its place in the bucket: otherwise a lane that is slow
/// to use it would use it on top of a full bucket. For the bound to hold, a lane has to say so with
/// the time after its last start.
///
/// When permits are short the lanes take turns: see `take`.
///
/// The pace may change: see `change`.
///
/// While a job is meant to rest, nothing is late: see `rest`.
///
/// All arithmetic is on whole numbers. One nanosecond at full rate brings `count × scale` units,
/// and a permit has `period × scale` of them. While the rate rises over a time of D, the permits of
/// the moments from a to b are count × (b² − a²) ÷ (2 × D × period): with a scale of 2 × D that is
/// whole, too.
package struct Pacer: Sendable {
    /// The terms of a pace, in units.
    fileprivate struct Terms {
        let burst: Int
        let count: UInt128
        let ramp: UInt64
        let scale: UInt128
        /// A permit in units.
        let permit: UInt128
        /// The earliest time after which a lane that was left short asks again.
        let intervalNanoseconds: Int64

        init(_ settings: PaceSettings) {
            let divisor = Pacer.commonDivisor(settings.count, settings.period)
            burst = Int(settings.burst)
            count = UInt128(settings.count / divisor)
            ramp = UInt64(settings.ramp)
            // At most 2³⁰ permits of 2⁴⁷ × 2⁴⁸ units each: see the bounds in `Limits`.
            scale = ramp > 0 ? 2 * UInt128(ramp) : 1
            permit = UInt128(settings.period / divisor) * scale
            let worth = UInt128(settings.burst) * permit / (count * scale)
            intervalNanoseconds = min(
                Limits.paceInterval.wholeNanoseconds, Int64(clamping: worth / 2))
        }
    }

    /// The pace now; `nil` while there is none, and a lane gets all that it wants.
    package private(set) var settings: PaceSettings?
    private var terms: Terms?

    /// The permits that can be taken, in units.
    private var level: UInt128
    /// Permits that lanes have taken and not yet accounted for.
    private var leased = 0
    private var began: Instant?
    /// The time up to which permits have run in.
    private var clock = Instant(nanoseconds: 0)
    /// The permits that have run over: whole ones, and units.
    private var lapsed: (permits: UInt64, rest: UInt128) = (0, 0)
    /// True if there has been a pace at all.
    private var hasHadPace: Bool
    private var rests: Rest = []

    /// The places of lanes among those that wait for permits; 0 for one that does not.
    private var places: [UInt64]
    private var waiting = 0
    private var lastPlace: UInt64 = 0

    /// Makes a bucket with one permit, or a full one if the pace says so.
    ///
    /// Its time begins when it is first asked.
    /// - Parameters:
    ///   - settings: The pace; `nil` if there is none yet.
    ///   - lanes: The number of lanes that share it.
    package init(_ settings: PaceSettings?, lanes: Int) {
        self.settings = settings
        terms = settings.map(Terms.init)
        let first = settings.map { $0.startsFull ? UInt128($0.burst) : 1 } ?? 0
        level = first * (terms?.permit ?? 0)
        hasHadPace = settings != nil
        places = Array(repeating: 0, count: lanes)
    }

    /// Starts that were not made when they could have been: the pace had room for them, and rows,
    /// connections or this machine had not; `nil` if there never was a pace.
    ///
    /// Starts in a pause or in closed windows are never late.
    package var lateStarts: UInt64? { hasHadPace ? lapsed.permits : nil }

    /// The reasons why a job starts nothing, and does so on purpose.
    package struct Rest: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let pause = Rest(rawValue: 1)
        /// All that is left waits for the hours at which it may be sent.
        package static let window = Rest(rawValue: 2)
    }

    /// Begins or ends a time in which nothing is to start, so that nothing is late.
    ///
    /// The bucket fills nevertheless: the starts keep the bound.
    /// - Parameters:
    ///   - reason: The reason; the job rests while there is any.
    ///   - isOn: True if there is this one from now on.
    ///   - now: The time.
    package mutating func rest(_ reason: Rest, _ isOn: Bool, now: Instant) {
        runIn(now: now)
        if isOn { rests.insert(reason) } else { rests.remove(reason) }
    }

    /// Changes the pace from a moment on.
    ///
    /// The permits in the bucket stay in it, as far as the new one has room, and so do the places
    /// of permits out on lease. So in a window with changes in it at most B + ∑ rate × time start,
    /// where the sum is over the paces in the window, and B is the burst of the first of them; or
    /// the number out on lease when a smaller burst came, if that is more. Without a pace there was
    /// no bound; the new pace begins with one permit, less those out on lease.
    ///
    /// Lanes that wait have to ask again at once.
    /// - Parameters:
    ///   - settings: The new pace; `nil` for none.
    ///   - now: The time.
    package mutating func change(to settings: PaceSettings?, now: Instant) {
        runIn(now: now)
        let new = settings.map(Terms.init)
        defer { terms = new }
        self.settings = settings
        // The new pace counts from here.
        began = clock
        lapsed.rest = 0
        guard let new else {
            level = 0
            for lane in places.indices { leaveQueue(lane) }
            return
        }
        hasHadPace = true
        level = min(inBucket(new), UInt128(max(0, new.burst - leased)) * new.permit)
    }

    /// Returns the permits in the bucket, in units of a new pace; rounded down.
    private func inBucket(_ new: Terms) -> UInt128 {
        guard let terms else { return leased == 0 ? new.permit : 0 }
        let (whole, rest) = level.quotientAndRemainder(dividingBy: terms.permit)
        let part = terms.permit.dividingFullWidth(rest.multipliedFullWidth(by: new.permit))
        return min(whole, UInt128(new.burst)) * new.permit + part.quotient
    }

    /// The permits that a lane gets.
    package struct Grant: Equatable, Sendable {
        package var permits: Int
        /// If that is less than it wanted: when to ask again.
        package var next: Instant?
    }

    /// Accounts for a lane's last lease, and gives it another.
    ///
    /// A lane that gets less than it wants has a place in a queue from then on. It gets nothing
    /// while there are only as many permits as lanes before it, and of more than that its share;
    /// with these it goes to the end. It keeps its place until it asks again, or gives the place
    /// up.
    /// - Parameters:
    ///   - lane: The lane's number.
    ///   - used: The number of permits of the last lease that were used: all of them.
    ///   - wanted: The number that it could use at once, at least 1.
    ///   - now: The time, after the last start with those permits.
    /// - Returns: The lease, and the time to ask again if it is less than was wanted.
    package mutating func take(lane: Int, used: Int, wanted: Int, now: Instant) -> Grant {
        account(used: used, unused: 0, now: now)
        guard let terms else {
            leased += wanted
            return Grant(permits: wanted, next: nil)
        }
        let free = Int(clamping: level / terms.permit)
        let others = waiting - (places[lane] == 0 ? 0 : 1)
        let ahead = others == 0 ? 0 : countAhead(of: lane)
        var granted = max(0, min(wanted, free - ahead))
        if others > 0 { granted = min(granted, max(1, free / (others + 1))) }
        level -= UInt128(granted) * terms.permit
        leased += granted
        guard granted < wanted else {
            leaveQueue(lane)
            return Grant(permits: granted, next: nil)
        }
        if granted > 0 { leaveQueue(lane) }
        joinQueue(lane)
        // Those before it take theirs as they come, so the bucket's size is no matter here.
        let next = moment(ofPermits: (others == 0 ? 0 : countAhead(of: lane)) + 1, terms)
        return Grant(
            permits: granted,
            next: max(next, now.advanced(byNanoseconds: terms.intervalNanoseconds)))
    }

    /// Accounts for a lane's last lease.
    /// - Parameters:
    ///   - lane: The lane's number.
    ///   - used: The number of its permits that were used.
    ///   - unused: The number that go back.
    ///   - keepsPlace: True if the lane goes on waiting, if it does.
    ///   - now: The time, after the last start with those permits.
    package mutating func settle(
        lane: Int, used: Int, unused: Int, keepsPlace: Bool, now: Instant
    ) {
        account(used: used, unused: unused, now: now)
        if !keepsPlace { leaveQueue(lane) }
    }

    private mutating func account(used: Int, unused: Int, now: Instant) {
        // Permits that were out on lease meanwhile had their place in the bucket.
        runIn(now: now)
        leased -= used + unused
        precondition(leased >= 0, "BUG: more permits came back than were out")
        guard let terms else { return }
        // A change may have left less room than there was.
        level = min(level + UInt128(unused) * terms.permit, room(terms))
    }

    // MARK: The queue

    private func countAhead(of lane: Int) -> Int {
        let own = places[lane] == 0 ? UInt64.max : places[lane]
        return places.count { $0 != 0 && $0 < own }
    }

    private mutating func joinQueue(_ lane: Int) {
        guard places[lane] == 0 else { return }
        lastPlace += 1
        places[lane] = lastPlace
        waiting += 1
    }

    private mutating func leaveQueue(_ lane: Int) {
        guard places[lane] != 0 else { return }
        places[lane] = 0
        waiting -= 1
    }

    // MARK: Time

    private mutating func runIn(now: Instant) {
        guard let began else {
            began = now
            clock = now
            return
        }
        // Lanes read the clock before they come here, so it may seem to go back.
        guard now > clock else { return }
        let before = clock
        clock = now
        guard let terms else { return }
        let earned = terms.units(
            from: UInt64(before.nanoseconds(since: began)),
            to: UInt64(now.nanoseconds(since: began)))
        let room = room(terms) - level
        level += min(earned, room)
        if earned > room && rests.isEmpty { lapse(earned - room, terms.permit) }
    }

    /// Returns the room of the bucket beside the permits out on lease.
    private func room(_ terms: Terms) -> UInt128 {
        UInt128(max(0, terms.burst - leased)) * terms.permit
    }

    private mutating func lapse(_ units: UInt128, _ permit: UInt128) {
        let (permits, rest) = units.quotientAndRemainder(dividingBy: permit)
        lapsed.permits += UInt64(clamping: permits)
        lapsed.rest += rest
        if lapsed.rest >= permit {
            lapsed.rest -= permit
            lapsed.permits += 1
        }
    }

    /// Returns the time when so many permits can be taken, if no lane takes any before and the
    /// bucket is large enough.
    private func moment(ofPermits permits: Int, _ terms: Terms) -> Instant {
        guard let began else { return clock }
        let wanted = UInt128(permits) * terms.permit
        guard wanted > level else { return clock }
        let missing = wanted - level
        let start = UInt64(clock.nanoseconds(since: began))
        let rest = start < terms.ramp ? terms.units(from: start, to: terms.ramp) : 0
        guard missing > rest else {
            return began.advanced(byNanoseconds: Int64(terms.momentInRamp(missing, after: start)))
        }
        let perNanosecond = terms.count * terms.scale
        let wait = (missing - rest + perNanosecond - 1) / perNanosecond
        let flatStart = began.advanced(byNanoseconds: Int64(max(start, terms.ramp)))
        return flatStart.advanced(byNanoseconds: Int64(clamping: wait))
    }

    fileprivate static func commonDivisor(_ first: Int64, _ second: Int64) -> Int64 {
        var (large, small) = (first, second)
        while small != 0 { (large, small) = (small, large % small) }
        return large
    }
}

extension Pacer.Terms {
    /// Returns the units that run in from one moment to another, both counted from the beginning.
    fileprivate func units(from start: UInt64, to end: UInt64) -> UInt128 {
        let (rampStart, rampEnd) = (UInt128(min(start, ramp)), UInt128(min(end, ramp)))
        let rising = count * (rampEnd * rampEnd - rampStart * rampStart)
        let flatTime = UInt128(max(end, ramp) - max(start, ramp))
        let (flat, isMuch) = flatTime.multipliedReportingOverflow(by: count * scale)
        // More than 2⁹⁷ units are more than the bucket holds, even without the rest.
        return isMuch ? .max - rising : flat &+ min(rising, .max - flat)
    }

    /// Returns the time when so many units have run in, which is before the rate has risen to its
    /// height.
    fileprivate func momentInRamp(_ missing: UInt128, after start: UInt64) -> UInt64 {
        var (low, high) = (start, ramp)
        while low < high {
            let middle = low + (high - low) / 2
            if units(from: start, to: middle) >= missing { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A pace in numbers: so many attempts in so many nanoseconds.
package struct PaceSettings: Equatable, Sendable {
    package let count: Int64
    /// The period in nanoseconds.
    package let period: Int64
    /// The most permits that can be saved up.
    package let burst: Int64
    /// The time in which the rate rises to its height, in nanoseconds.
    package let ramp: Int64
    /// True if the bucket is full at first: a provider that takes a burst after a rest takes one at once.
    package let startsFull: Bool

    /// - Parameters:
    ///   - count: The attempts in a period; 1 to `Limits.paceCountMax`.
    ///   - period: The period in nanoseconds; 1 to `Limits.pacePeriodMax`.
    ///   - burst: The most permits in the bucket, 1 to `Limits.paceCountMax`; `nil` for
    ///     `Limits.paceSlack` of the rate and one more.
    ///   - ramp: The time of the rise in nanoseconds; 0 to `Limits.pacePeriodMax`.
    ///   - startsFull: True if the bucket is full at first.
    package init(
        count: Int64, period: Int64, burst: Int64? = nil, ramp: Int64 = 0, startsFull: Bool = false
    ) {
        precondition(count > 0 && period > 0 && ramp >= 0 && burst ?? 1 > 0)
        self.count = count
        self.period = period
        self.ramp = ramp
        self.startsFull = startsFull
        let slack = UInt128(count) * UInt128(Limits.paceSlack.wholeNanoseconds)
        let starts = (slack + UInt128(period) - 1) / UInt128(period)
        self.burst = burst ?? min(1 + Int64(clamping: starts), Limits.paceCountMax)
    }
}
