import FanfareBase
import FanfareSimulator
import FanfareTestSupport

@testable import Fanfare
@testable import FanfareCore

/// One lane's whole world on a virtual clock: network, provider, reader and writer.
///
/// Drives the real engine as `Lane` does: facts as they come, then one turn, then the next deadline.
/// No socket, no thread, no clock; a seed is a run.
final class SimulatedWorld: LaneEnvironment {
    enum Event {
        case dialled(Link)
        case up(Link)
        case down(Link)
        case writable(Link)
        case broken(Link)
        case serverTimer(Link, Instant)
        case cut(Link)
        case closed(Link, String)
        case falls(silent: Link)
        /// Of the process with this number, like those below.
        case batch(Int)
        case inputEnded(Int)
        case written(Int)
        case killed(Int)
        case restarted
        case deadline(Int)
        case drained
        case aborted
        case paused(Bool)
        case paced(Int)
    }

    /// Virtual time that no job needs, and turns that no moment needs.
    private static let nanosecondsMax: Int64 = 30 * 24 * 3600 * 1_000_000_000
    private static let turnsMax = 5_000_000
    private static let turnsPerMomentMax = 20_000

    let plan: SimulationPlan
    let ledger: Ledger
    /// The parts that the lane has from its job, where that has several of them: then nothing here
    /// begins, ends or is written.
    let route: SimulatedRoute?
    var dice: Dice
    let core: SimulatorCore
    /// The place of the engine: it gets to know this object, so it is made last.
    let place = UnsafeMutablePointer<LaneEngine>.allocate(capacity: 1)
    /// Lent in place: a coroutine lends a copy, which is gone when the compiler looks at it again.
    var engine: LaneEngine {
        unsafeAddress { UnsafePointer(place) }
        unsafeMutableAddress { place }
    }

    /// The pace of the present process, which it shares with its lane.
    var lanePace = LanePace()
    var queue = EventQueue<Event>()
    /// Virtual time since the start, in nanoseconds.
    var elapsed: Int { Int(now.nanoseconds(since: start)) }

    let disk: SimulatedDisk
    var process: Process
    /// The job has come to its end, or cannot be carried on.
    var isOver = false
    var kills = 0
    /// The job could not be carried on after a loss of power.
    var refused = false

    private let start = Instant(nanoseconds: 1_000_000_000_000)
    private(set) var now: Instant {
        didSet { clock.set(now) }
    }
    /// Work takes no time here.
    var idleNanoseconds: Int64 { now.nanoseconds }
    let clock = VirtualClock()
    /// UNIX time at the beginning of the job, in milliseconds.
    let jobStart: Int64
    private(set) var turns = 0
    private var turnsAtThisMoment = 0
    private var deadlineGeneration = 0

    /// Writes that have failed, and how often the provider has closed: with FIN, with a reset, and with a
    /// reset for requests unread.
    var failedWrites = 0
    var closings = [0, 0, 0]

    var paceWatch: PaceWatch?
    /// The times when requests were started.
    private(set) var starts: [Int] = []
    var links: [Link] = []
    /// By the client's number of the connection.
    var current: [Int: Link] = [:]
    /// The link of each connection that the provider has accepted, in order.
    var accepted: [Int] = []

    /// All sessions' owners, to see that none outlives its connection.
    private var sessions: [WeakConnection] = []
    private var newest: [Int: WeakConnection] = [:]

    private struct WeakConnection {
        weak var connection: ClientConnection?
    }

    /// - Parameters:
    ///   - plan: The plan of events.
    ///   - keepsTrace: True if all that happens is kept.
    ///   - route: The parts that the lane has from its job, if that has several.
    init(plan: SimulationPlan, keepsTrace: Bool = false, route: SimulatedRoute? = nil) {
        self.plan = plan
        self.route = route
        ledger = Ledger(
            plan: plan, rows: route?.ownRows ?? plan.rows, of: route?.rowCount ?? plan.rowCount,
            keepsTrace: keepsTrace)
        dice = Dice(seed: plan.seed &+ 1 << 40)
        core = SimulatorCore(plan.provider)
        core.judgesToken = { token in
            let parts = token.split(separator: ".")
            return parts.count == 3 ? .signed(issuedAt: Int64(parts[1]) ?? 0) : .wrong
        }
        now = start
        clock.set(start)
        jobStart = clock.unixMilliseconds
        disk = route?.disk ?? SimulatedDisk(rows: plan.rowCount)
        disk.sparesReport = plan.hasOwnDisk
        process = Process(number: 0)
        if route == nil { beginJob() }
    }

    deinit {
        if process.isRunning { place.deinitialize(count: 1) }
        place.deallocate()
    }

    // MARK: The run

    /// Runs the job to its end and checks the ledger.
    func run() {
        if let drain = plan.drainsAfter {
            plan(.drained, in: drain)
            if let abort = plan.abortsAfter { plan(.aborted, in: drain + abort) }
        }
        for (moment, isPaused) in plan.pauses { plan(.paused(isPaused), in: moment) }
        for index in plan.paceChanges.indices {
            plan(.paced(index), in: plan.paceChanges[index].moment)
        }
        turn()
        settle()
        while !isOver {
            guard let (due, event) = queue.popFirst() else {
                ledger.violate("nothing is left to happen, and the job has not ended: \(state)")
                return
            }
            move(to: due)
            step(event)
            settle()
            guard hasTime else { return }
        }
    }

    func move(to moment: Instant) {
        if moment > now { turnsAtThisMoment = 0 }
        now = moment
    }

    /// One iteration of the loop: what happens next, and more that is there, up to what the system hands over.
    func step(_ event: Event) {
        handle(event)
        var more = dice.number(0...8)
        while more > 0, let next = queue.nextDue, next <= now, isWorking,
            let (_, event) = queue.popFirst()
        {
            handle(event)
            more -= 1
        }
        turn()
    }

    /// True if there is an engine with something to do.
    private var isWorking: Bool { process.isRunning && !disk.isKilled && !engine.isFinished }

    /// Ends a process that has nothing left to do, or was killed while it wrote.
    private func settle() {
        if process.isRunning, !disk.isKilled, engine.isFinished, process.blocks.isEmpty {
            endProcess()
        }
        if disk.isKilled { kill() }
    }

    var hasTime: Bool {
        if turnsAtThisMoment > Self.turnsPerMomentMax {
            ledger.violate("the engine turns without an end: \(state)")
        } else if turns > Self.turnsMax || now.nanoseconds(since: start) > Self.nanosecondsMax {
            ledger.violate("the job does not end: \(state)")
        } else {
            return true
        }
        return false
    }

    func turn() {
        guard isWorking else { return }
        turns += 1
        turnsAtThisMoment += 1
        if process.isAborted { engine.abort(now: now) }
        engine.turn(now: now)
        noteStarts()
        checkPace()
        checkWindows()
        deadlineGeneration += 1
        let deadline = engine.nextDeadline(now: now)
        checkWatchdog(deadline)
        if let deadline {
            queue.insert(.deadline(deadlineGeneration), at: max(deadline, now))
        }
    }

    private func noteStarts() {
        for connection in engine.books.dispatcher.connections.indices {
            // The newest are the last: from there back to one that was noted before.
            var id = engine.books.dispatcher.connections[connection].inFlight.last
            while id >= 0 {
                let row = engine.books.rows[id].number
                guard let link = current[connection] else {
                    ledger.violate("row \(row) is in flight on no connection")
                    break
                }
                let key = Ledger.Key(link: link.number, stream: engine.books.rows[id].stream.id)
                guard ledger.started(row: row, on: key, sinceStart: elapsed) else { break }
                paceWatch?.started(at: elapsed)
                starts.append(elapsed)
                checkRoom(connection)
                id = engine.books.dispatcher.requests[id].previous
            }
        }
    }

    /// A connection on which a request was just started has no more of them than the peer allows:
    /// what is more waits in the HTTP/2 library, where the wire does not show it.
    private func checkRoom(_ connection: Int) {
        let limit =
            engine.connections[connection]?.session
            .withValue { $0.peerMaxConcurrentStreams } ?? 1
        let inFlight = engine.books.dispatcher.window(of: connection).inFlight
        if inFlight > Int(limit) {
            ledger.violate("\(inFlight) requests in flight where the peer allows \(limit)")
        }
    }

    /// The streams on which the engine waits for an answer.
    func liveStreams(of connection: Int) -> [Int32] {
        guard engine.books.dispatcher.connections.indices.contains(connection) else { return [] }
        var streams: [Int32] = []
        var id = engine.books.dispatcher.connections[connection].inFlight.first
        while id >= 0 {
            if !engine.books.dispatcher.requests[id].hasTimedOut {
                streams.append(engine.books.rows[id].stream.id)
            }
            id = engine.books.dispatcher.requests[id].next
        }
        return streams
    }

    /// All that waits has a clock, or something else that will wake it: see
    /// docs/internals/watchdog.md.
    private func checkWatchdog(_ deadline: Instant?) {
        guard !engine.isFinished, deadline == nil, !isReportBehind, !engine.isPaused else { return }
        if engine.books.dispatcher.unfinishedCount > 0 || hasBatch(now: now) {
            ledger.violate("rows wait, and no clock is set: \(state)")
        }
    }

    private func checkWindows() {
        var inFlight = 0
        for index in 0..<engine.books.dispatcher.connectionPlaces {
            let window = engine.books.dispatcher.window(of: index)
            inFlight += window.inFlight
            if window.inFlight < 0 || window.inFlight > plan.streams {
                ledger.violate("\(window.inFlight) requests in flight on one connection")
            }
            guard let connection = engine.connections[index] else { continue }
            if connection.session.withValue({ $0.openStreams }) > window.inFlight {
                ledger.violate("the session has more streams than the dispatcher requests")
            }
            // The newest of each place are enough to see what is new: there may be thousands.
            if newest[index]?.connection !== connection {
                newest[index] = WeakConnection(connection: connection)
                sessions.append(WeakConnection(connection: connection))
            }
        }
        if inFlight != engine.books.dispatcher.inFlightCount
            || engine.books.dispatcher.waitingCount < 0
            || engine.books.dispatcher.unfinishedCount < inFlight
        {
            ledger.violate("the dispatcher's counters disagree: \(state)")
        }
    }

    /// Checks what a whole job has left behind.
    func checkEnd() {
        var tally = process.resumption?.tally ?? Tally()
        // Not by way of `engine`: without optimisation it lends a copy of the bytes, and the compiler
        // (6.3.1) releases what it has taken from there after that copy is gone.
        tally.merge(place.pointee.books.report.tally)
        ledger.balance(
            tally: tally, rowsLeft: engine.books.rowsLeft, lost: process.lostRows.count,
            stop: place.pointee.stop)
        checkLane()
    }

    /// Checks that the lane has nothing left of its process.
    func checkLane() {
        if !engine.books.dispatcher.isIdle || engine.books.dispatcher.inFlightCount != 0 {
            ledger.violate("requests are left in the dispatcher: \(state)")
        }
        for index in 0..<engine.books.dispatcher.connectionPlaces
        where !engine.books.dispatcher.connections[index].isUnused
            || engine.connections[index] != nil
        {
            ledger.violate(
                "connection \(index) is left \(engine.books.dispatcher.connections[index].state)")
        }
        if !current.isEmpty { ledger.violate("transports are left open: \(current.keys.sorted())") }
        if sessions.contains(where: { $0.connection != nil }) {
            ledger.violate("a session outlives its connection")
        }
        // Batches that were emptied last may still be in the engine's hands.
        if process.batchesOut != engine.supply.batchCount || engine.supply.hasUntaken {
            ledger.violate("\(process.batchesOut) batches were not given back")
        }
    }

    /// The state of all parts, for a run that does not end.
    var state: String {
        guard process.isRunning else { return "process \(process.number) has not begun" }
        let dispatcher = engine.books.dispatcher.unfinishedCount
        var text =
            "\(dispatcher) unfinished, \(engine.books.dispatcher.waitingCount) backing off, "
            + "read \(engine.books.report.tally.rowsRead) of \(plan.rowCount), finished \(engine.books.report.tally.finished)"
        for index in 0..<engine.books.dispatcher.connectionPlaces {
            let window = engine.books.dispatcher.window(of: index)
            text +=
                "; \(index) \(engine.books.dispatcher.connections[index].state) \(window.inFlight)"
                + "/\(window.limit)"
            if engine.connections[index]?.isBlocked == true { text += " blocked" }
        }
        if let stop = engine.stop { text += "; \(stop.message)" }
        let seconds = Double(now.nanoseconds(since: start)) / 1e9
        return text + "; after \(seconds) s, \(turns) turns"
    }

    // MARK: Events

    /// Plans an event; moments are multiples of the grain.
    func plan(_ event: Event, in nanoseconds: Int) {
        let due = now.nanoseconds + Int64(nanoseconds)
        let grain = Int64(plan.network.grain)
        queue.insert(event, at: Instant(nanoseconds: (due + grain - 1) / grain * grain))
    }

    private func handle(_ event: Event) {
        switch event {
        case .dialled(let link): dialled(link)
        case .up(let link): arrivesUp(link)
        case .down(let link): arrivesDown(link)
        case .writable(let link): becomesWritable(link)
        case .broken(let link): breaks(link)
        case .serverTimer(let link, let due): serverTimerFired(link, due)
        case .cut(let link): cut(link)
        case .closed(let link, let text): closed(link, text)
        case .falls(let link): fallsSilent(link)
        case .batch(let number):
            if number == process.number { handOutBatch() }
        case .inputEnded(let number):
            if number == process.number { process.hasInputEnded = true }
        case .written(let number):
            if number == process.number { write() }
        case .killed(let number):
            if number == process.number && process.isRunning { kill() }
        case .restarted: resume()
        case .deadline: break
        case .drained:
            guard process.isRunning else { break }
            ledger.note(now, "drained", 0, [])
            engine.drain(JobStop(.interrupted, "interrupted"))
        case .paused(let isPaused):
            if process.isRunning { engine.pause(isPaused) }
        case .paced(let index):
            lanePace.job?.change(to: plan.paceChanges[index].pace, now: now)
        case .aborted:
            // The second Ctrl-C: a process that comes after the one that was drained gets none.
            guard process.isRunning, engine.stop != nil else { break }
            ledger.note(now, "aborted", 0, [])
            process.isAborted = true
        }
    }

    func unixMilliseconds(at now: Instant) -> Int64 { VirtualClock.unixMilliseconds(at: now) }

    /// The provider's clock may differ from ours.
    var providerMilliseconds: UInt64 {
        UInt64(unixMilliseconds(at: now) + plan.clockSkewSeconds * 1000)
    }
}
