import FanfareBase
import FanfareCore
import Testing

/// Connections of 100 streams at a provider that answers after 100 ms, in the bursts in which requests have
/// started.
private struct BurstLane {
    var demand = ConnectionDemand(first: 1, most: 64)
    private var random: SplitMix64
    private var now = Instant(nanoseconds: 0)
    /// The times of the next bursts; some connections are together, others are not.
    private var bursts: [Instant]
    private var answers: UInt64 = 0
    private var times = LimitTimes()

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        bursts = [Instant(nanoseconds: 100_000_000)]
    }

    mutating func run(milliseconds: Int) {
        let end = now.advanced(byNanoseconds: Int64(milliseconds) * 1_000_000)
        while let first = bursts.indices.min(by: { bursts[$0] < bursts[$1] }), bursts[first] < end {
            now = bursts[first]
            // A burst is read in two pieces, and its end is a millisecond late at most.
            let piece = UInt64.random(in: 0...100, using: &random)
            for count in [piece, 100 - piece] {
                answers += count
                look()
            }
            let late = Int64.random(in: 0...1_000_000, using: &random)
            bursts[first] = now.advanced(byNanoseconds: 100_000_000 + late)
            // Turns between the bursts: the timer's.
            if Bool.random(using: &random) { look() }
            while bursts.count < demand.target {
                let wait = Int64.random(in: 100_000_000...120_000_000, using: &random)
                bursts.append(now.advanced(byNanoseconds: wait))
            }
            while bursts.count > demand.target { bursts.removeLast() }
        }
    }

    private mutating func look() {
        times[.streamLimit] = now.nanoseconds(since: Instant(nanoseconds: 0))
        demand.look(
            .init(
                times: times, answers: answers, inFlight: 100 * bursts.count, isSettled: true),
            now: now)
    }
}

/// A provider of known capacity, and a lane that is held by what its connections carry.
private struct ModelLane {
    /// Requests a second that a connection carries.
    var perConnection = 1600.0
    /// Requests a second that all of them carry at most.
    var capacity = 1e9
    /// Requests a second that the adaptive window allows, which still grows.
    var window = Double.infinity
    var holds = Limitation.flowControl
    /// The time until a connection is of use, in nanoseconds.
    var opening: Int64 = 160_000_000
    var demand: ConnectionDemand

    private var now = Instant(nanoseconds: 0)
    private var connections: Int
    private var opened: Instant?
    private var times = LimitTimes()
    private var answers = 0.0

    init(first: Int = 1, most: Int = 64) {
        demand = ConnectionDemand(first: first, most: most)
        connections = first
    }

    /// The input gives nothing for a while, and what was in flight is answered.
    mutating func pause(milliseconds: Int) {
        for _ in 0..<milliseconds {
            now = now.advanced(byNanoseconds: 1_000_000)
            times[.input] += 1_000_000
            if let since = opened, now.nanoseconds(since: since) >= opening {
                connections = demand.target
                opened = nil
            }
            demand.look(
                .init(
                    times: times, answers: UInt64(answers), inFlight: 0, isSettled: opened == nil),
                now: now)
        }
    }

    mutating func run(milliseconds: Int) {
        for _ in 0..<milliseconds {
            now = now.advanced(byNanoseconds: 1_000_000)
            let possible = Double(connections) * perConnection
            let rate = min(possible, capacity, window)
            answers += rate / 1000
            // The capacity or the window cuts something off; connections do not wait for that.
            let share = rate / possible
            times[holds] += Int64(share * 1_000_000)
            times[window < capacity ? .inFlightGrowth : .cpu] +=
                1_000_000 - Int64(share * 1_000_000)
            if demand.target > connections, opened == nil { opened = now }
            if let since = opened, now.nanoseconds(since: since) >= opening {
                connections = demand.target
                opened = nil
            }
            connections = min(connections, demand.target)
            demand.look(
                .init(
                    times: times, answers: UInt64(answers), inFlight: Int(rate / 25),
                    isSettled: opened == nil),
                now: now)
        }
    }
}

@Suite struct ConnectionDemandTests {
    @Test func `connections that are held by a window become as many as are of use`() {
        var lane = ModelLane()
        lane.capacity = 40_000
        lane.run(milliseconds: 10_000)
        // 25 carry it all: 16 are not enough, and twice as many are.
        #expect(lane.demand.target == 32)
        #expect(lane.demand.cause == .flowControl)
    }

    @Test(arguments: [Limitation.streamLimit, .flowControl])
    func `there are never more than the most, and the cause is told`(cause: Limitation) {
        var lane = ModelLane(most: 20)
        lane.holds = cause
        lane.run(milliseconds: 10_000)
        #expect(lane.demand.target == 20)
        #expect(lane.demand.cause == cause)
    }

    @Test(arguments: [
        Limitation.pace, .input, .inFlightLatency, .retries, .output, .network, .connecting,
    ])
    func `what more connections do not cure does not open any`(cause: Limitation) {
        var lane = ModelLane()
        lane.holds = cause
        lane.run(milliseconds: 10_000)
        #expect(lane.demand.target == 1)
        #expect(lane.demand.cause == nil)
    }

    @Test func `connections that are of no use are closed, and not tried again for a while`() {
        var lane = ModelLane(first: 2)
        // The provider's own limit: 3,200 a second in all, over any connections.
        lane.capacity = 3200
        var most = 0
        for _ in 0..<4_000 {
            lane.run(milliseconds: 1)
            most = max(most, lane.demand.target)
        }
        #expect(most == 4)
        #expect(lane.demand.target == 2)
        // The next trial begins as the first one did, and finds what has changed.
        lane.capacity = 1e9
        lane.run(milliseconds: 6_000)
        #expect(lane.demand.target == 64)
    }

    @Test func `a trial in which something else holds the lane is repeated`() {
        var lane = ModelLane()
        while lane.demand.target < 4 { lane.run(milliseconds: 1) }
        lane.pause(milliseconds: 750)
        lane.run(milliseconds: 4_000)
        #expect(lane.demand.target == 64)
    }

    /// A trial that is misjudged costs a pause of four seconds, and the next one of eight.
    @Test func `a trial in which our own window still grows is repeated`() {
        var lane = ModelLane()
        while lane.demand.target < 4 { lane.run(milliseconds: 1) }
        // The rate of the connections before the trial.
        lane.window = 3200
        lane.run(milliseconds: 1_000)
        #expect(lane.demand.target == 4)
        lane.window = .infinity
        lane.run(milliseconds: 2_500)
        #expect(lane.demand.target == 64)
    }

    /// Of six doublings each takes a flight to fill and two or three to measure.
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `answers in bursts do not hide that connections help`(seed: UInt64) {
        var lane = BurstLane(seed: seed)
        lane.run(milliseconds: 4_000)
        #expect(lane.demand.target == 64)
    }

    @Test func `a number that was given stays`() {
        var lane = ModelLane(first: 4, most: 4)
        lane.run(milliseconds: 5_000)
        #expect(lane.demand.target == 4)
        #expect(!lane.demand.isOpen)
    }

    @Test func `a provider that refuses more connections gets no more dials for a while`() {
        var demand = ConnectionDemand(first: 1, most: 8)
        var times = LimitTimes()
        var answers: UInt64 = 0
        var most = 0
        func look(_ milliseconds: Int64, isSettled: Bool = true) {
            demand.look(
                .init(times: times, answers: answers, inFlight: 10, isSettled: isSettled),
                now: Instant(nanoseconds: milliseconds * 1_000_000))
        }
        func work(_ moments: Range<Int64>) {
            for milliseconds in moments {
                times[.streamLimit] += 1_000_000
                answers += 1
                look(milliseconds)
                most = max(most, demand.target)
            }
        }
        work(0..<300)
        #expect(demand.target == 2)
        look(300, isSettled: false)
        demand.refused(live: 1, now: Instant(nanoseconds: 300_000_000))
        #expect(demand.target == 1)
        most = 0
        work(301..<4_000)
        #expect(most == 1)
        work(4_000..<6_000)
        #expect(most == 2)
    }

    /// Pauses of 4, 8 and 16 seconds follow one another: trials begin before 1, 6 and 15 s, and not before 28 s.
    @Test func `each trial in vain doubles the pause before the next`() {
        var lane = ModelLane(first: 2)
        lane.capacity = 3200
        var trials = 0
        var before = lane.demand.target
        for _ in 0..<20_000 {
            lane.run(milliseconds: 1)
            if lane.demand.target > before { trials += 1 }
            before = lane.demand.target
        }
        #expect(trials == 3)
    }

    @Test func `a connection that others need is no longer wanted, but for the last one`() {
        var demand = ConnectionDemand(first: 2, most: 4)
        demand.shrink()
        let fewer = demand.target
        demand.shrink()
        #expect(fewer == 1 && demand.target == 1)
        // It may grow again.
        demand.isHeldUp()
        #expect(demand.target == 2)
    }
}
