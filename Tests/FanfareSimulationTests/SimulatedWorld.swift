import FanfareSimulator

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
        case serverTimer(Link, Instant)
        case cut(Link)
        case closed(Link, String)
        case falls(silent: Link)
        case batch
        case inputEnded
        case written
        case deadline(Int)
        case drained
        case aborted
    }

    /// Virtual time that no job needs, and turns that no moment needs.
    private static let nanosecondsMax: Int64 = 30 * 24 * 3600 * 1_000_000_000
    private static let turnsMax = 5_000_000
    private static let turnsPerMomentMax = 20_000

    let plan: SimulationPlan
    let ledger: Ledger
    var dice: Dice
    let core: SimulatorCore
    /// Where the engine lies: it gets to know this object, so it is made last.
    private let place = UnsafeMutablePointer<LaneEngine>.allocate(capacity: 1)
    var engine: LaneEngine {
        _read { yield place.pointee }
        _modify { yield &place.pointee }
    }

    var queue = EventQueue<Event>()
    /// Virtual time since the start, in nanoseconds.
    var elapsed: Int { Int(now.nanoseconds(since: start)) }

    private let start = Instant(nanoseconds: 1_000_000_000_000)
    private(set) var now: Instant {
        didSet { clock.set(now) }
    }
    private let clock = VirtualClock()
    private(set) var turns = 0
    private var turnsAtThisMoment = 0
    private var deadlineGeneration = 0

    var links: [Link] = []
    /// By the client's number of the connection.
    var current: [Int: Link] = [:]
    /// The link of each connection that the provider has accepted, in order.
    var accepted: [Int] = []

    private var comingBatches: [RowBatch] = []
    private var waitingBatches: [RowBatch] = []
    private var hasInputEnded = false
    private(set) var batchesOut = 0
    private var blocksWaiting = 0
    private var isAborted = false
    /// All sessions' owners, to see that none outlives its connection.
    private var sessions: [WeakConnection] = []

    private struct WeakConnection {
        weak var connection: ClientConnection?
    }

    init(plan: SimulationPlan, keepsTrace: Bool = false) {
        self.plan = plan
        ledger = Ledger(plan: plan, keepsTrace: keepsTrace)
        dice = Dice(seed: plan.seed &+ 1 << 40)
        core = SimulatorCore(plan.provider)
        core.judgesToken = { token in
            let parts = token.split(separator: ".")
            return parts.count == 3 ? .signed(issuedAt: Int64(parts[1]) ?? 0) : .wrong
        }
        now = start
        clock.set(start)
        place.initialize(
            to: LaneEngine(
                settings: plan.laneSettings(clock: clock), environment: self, seed: plan.seed))
    }

    // MARK: The run

    /// Runs the job to its end and checks the ledger.
    func run() {
        planInput()
        if let drain = plan.drainsAfter {
            plan(.drained, in: drain)
            if let abort = plan.abortsAfter { plan(.aborted, in: drain + abort) }
        }
        turn()
        while !engine.isFinished {
            guard let (due, event) = queue.popFirst() else {
                ledger.violate("nothing is left to happen, and the job has not ended: \(state)")
                return
            }
            if due > now { turnsAtThisMoment = 0 }
            now = due
            handle(event)
            // One iteration of the loop handles all that is there, up to what the system hands over.
            var more = dice.number(0...8)
            while more > 0, let next = queue.nextDue, next <= now, !engine.isFinished,
                let (_, event) = queue.popFirst()
            {
                handle(event)
                more -= 1
            }
            turn()
            guard hasTime else { return }
        }
        checkEnd()
    }

    private var hasTime: Bool {
        if turnsAtThisMoment > Self.turnsPerMomentMax {
            ledger.violate("the engine turns without an end: \(state)")
        } else if turns > Self.turnsMax || now.nanoseconds(since: start) > Self.nanosecondsMax {
            ledger.violate("the job does not end: \(state)")
        } else {
            return true
        }
        return false
    }

    private func turn() {
        guard !engine.isFinished else { return }
        turns += 1
        turnsAtThisMoment += 1
        if isAborted { engine.abort(now: now) }
        engine.turn(now: now)
        noteStarts()
        checkWindows()
        deadlineGeneration += 1
        let deadline = engine.nextDeadline(now: now)
        checkWatchdog(deadline)
        if let deadline {
            queue.insert(.deadline(deadlineGeneration), at: max(deadline, now))
        }
    }

    private func noteStarts() {
        let requests = engine.dispatcher.requests.requests
        for id in requests.indices where requests[id].phase == .inFlight {
            let row = engine.rows[RequestID(id)]
            guard let link = current[Int(requests[id].connection)] else {
                ledger.violate("row \(row.pointee.number) is in flight on no connection")
                continue
            }
            let key = Ledger.Key(link: link.number, stream: row.pointee.stream.id)
            if ledger.started(row: row.pointee.number, on: key, sinceStart: elapsed) {
                checkRoom(Int(requests[id].connection))
            }
        }
    }

    /// A connection on which a request was just started has no more of them than the peer allows:
    /// what is more waits in the HTTP/2 library, where the wire does not show it.
    private func checkRoom(_ connection: Int) {
        let limit =
            engine.connections[connection]?.session
            .withValue { $0.peerMaxConcurrentStreams } ?? 1
        let inFlight = engine.dispatcher.window(of: connection).inFlight
        if inFlight > Int(limit) {
            ledger.violate("\(inFlight) requests in flight where the peer allows \(limit)")
        }
    }

    /// The streams on which the engine waits for an answer.
    func liveStreams(of connection: Int) -> [Int32] {
        engine.dispatcher.requests.requests.indices.compactMap { id in
            let request = engine.dispatcher.requests.requests[id]
            guard request.phase == .inFlight, request.connection == connection else { return nil }
            let row = engine.rows[RequestID(id)]
            return row.pointee.hasTimedOut ? nil : row.pointee.stream.id
        }
    }

    /// Whatever waits has a clock or somebody who will wake it: see docs/internals/watchdog.md.
    private func checkWatchdog(_ deadline: Instant?) {
        guard !engine.isFinished, deadline == nil, !isReportBehind else { return }
        if engine.dispatcher.unfinishedCount > 0 || !waitingBatches.isEmpty {
            ledger.violate("rows wait, and no clock is set: \(state)")
        }
    }

    private func checkWindows() {
        var inFlight = 0
        for index in 0..<engine.dispatcher.connectionPlaces {
            let window = engine.dispatcher.window(of: index)
            inFlight += window.inFlight
            if window.inFlight < 0 || window.inFlight > plan.streams {
                ledger.violate("\(window.inFlight) requests in flight on one connection")
            }
            guard let connection = engine.connections[index] else { continue }
            if connection.session.withValue({ $0.openStreams }) > window.inFlight {
                ledger.violate("the session has more streams than the dispatcher requests")
            }
            if !sessions.contains(where: { $0.connection === connection }) {
                sessions.append(WeakConnection(connection: connection))
            }
        }
        if inFlight != engine.dispatcher.inFlightCount || engine.dispatcher.waitingCount < 0
            || engine.dispatcher.unfinishedCount < inFlight
        {
            ledger.violate("the dispatcher's counters disagree: \(state)")
        }
    }

    private func checkEnd() {
        ledger.balance(tally: engine.tally, rowsLeft: engine.rowsLeft, stop: engine.stop)
        if !engine.dispatcher.isIdle || engine.dispatcher.inFlightCount != 0 {
            ledger.violate("requests are left in the dispatcher: \(state)")
        }
        for index in 0..<engine.dispatcher.connectionPlaces
        where engine.dispatcher.state(of: index) != .unused || engine.connections[index] != nil {
            ledger.violate("connection \(index) is left \(engine.dispatcher.state(of: index))")
        }
        if !current.isEmpty { ledger.violate("transports are left open: \(current.keys.sorted())") }
        if sessions.contains(where: { $0.connection != nil }) {
            ledger.violate("a session outlives its connection")
        }
        // The batch that was emptied last may still be in the engine's hands.
        if batchesOut > 1 || batchesOut == 1 && engine.batch == nil {
            ledger.violate("\(batchesOut) batches were not given back")
        }
    }

    /// Where everything stands, for a run that does not end.
    var state: String {
        let dispatcher = engine.dispatcher.unfinishedCount
        var text =
            "\(dispatcher) unfinished, \(engine.dispatcher.waitingCount) backing off, "
            + "read \(engine.tally.rowsRead) of \(plan.rowCount), finished \(engine.tally.finished)"
        for index in 0..<engine.dispatcher.connectionPlaces {
            let window = engine.dispatcher.window(of: index)
            text +=
                "; \(index) \(engine.dispatcher.state(of: index)) \(window.inFlight)"
                + "/\(window.limit)"
            if engine.connections[index]?.isBlocked == true { text += " blocked" }
        }
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
        case .serverTimer(let link, let due): serverTimerFired(link, due)
        case .cut(let link): cut(link)
        case .closed(let link, let text): closed(link, text)
        case .falls(let link): fallsSilent(link)
        case .batch:
            if !comingBatches.isEmpty { waitingBatches.append(comingBatches.removeFirst()) }
        case .inputEnded: hasInputEnded = true
        case .written: blocksWaiting -= 1
        case .deadline: break
        case .drained:
            ledger.note(now, "drained", 0, [])
            engine.drain(JobStop(.interrupted, "interrupted"))
        case .aborted:
            ledger.note(now, "aborted", 0, [])
            isAborted = true
        }
    }

    // MARK: Rows and report

    private func planInput() {
        var rest = ledger.rows[...]
        var moment = 0
        while !rest.isEmpty {
            let count = min(rest.count, dice.number(plan.batchRows))
            comingBatches.append(RowBatch(rest.prefix(count)))
            rest = rest.dropFirst(count)
            moment += dice.number(plan.batchGap)
            plan(.batch, in: moment)
        }
        plan(.inputEnded, in: moment + dice.number(plan.batchGap))
    }

    func nextBatch() -> RowBatch? {
        guard !waitingBatches.isEmpty else { return nil }
        batchesOut += 1
        return waitingBatches.removeFirst()
    }

    var isInputExhausted: Bool { hasInputEnded && waitingBatches.isEmpty }

    func recycle(_ batch: RowBatch) {
        batchesOut -= 1
    }

    func emptyBlock() -> ReportBlock { ReportBlock() }

    func submit(_ block: ReportBlock) {
        ledger.note(now, "report", 0, Array(block.lines.bytes))
        ledger.reported(block)
        blocksWaiting += 1
        plan(.written, in: dice.number(plan.writeTime))
    }

    var isReportBehind: Bool { blocksWaiting >= plan.reportBlocksMax }

    func unixMilliseconds(at now: Instant) -> Int64 { VirtualClock.unixMilliseconds(at: now) }

    /// The provider's clock may differ from ours.
    var providerMilliseconds: UInt64 {
        UInt64(unixMilliseconds(at: now) + plan.clockSkewSeconds * 1000)
    }
}
