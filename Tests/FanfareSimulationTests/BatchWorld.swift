import FanfareBase
import FanfareHTTP2
import FanfareSystem
import FanfareTestSupport

@testable import Fanfare
@testable import FanfareCore

/// A job in batches on a virtual clock, over HTTP/1.1 to a provider that a file describes: one lane with its
/// network, a reader, and a writer that may be killed.
final class BatchWorld: LaneEnvironment {
    enum Event {
        case dialled(BatchLink)
        case up(BatchLink)
        case down(BatchLink)
        case writable(BatchLink)
        case answered(BatchLink, BatchLedger.Request)
        case closed(BatchLink, inOrder: Bool)
        /// Of the process with this number, like those below.
        case batch(Int)
        case inputEnded(Int)
        case written(Int)
        case killed(Int)
        case restarted
        case deadline(Int)
    }

    /// The possessions of one process; all of it is gone when it is killed.
    struct Process {
        var number = 0
        var isRunning = false
        var journal: ReportJournal<SimulatedDisk>?
        var resumption: Resumption?
        var coming: [RowBatch] = []
        var waiting: [RowBatch] = []
        var hasInputEnded = false
        var blocks: [ReportBlock] = []
        var isWriting = false
    }

    private static let stepsMax = 1_000_000
    private static let timeMax: Int64 = 24 * 3600 * 1_000_000_000

    let plan: BatchPlan
    let ledger: BatchLedger
    let disk: SimulatedDisk
    var process = Process()
    var dice: Dice
    var queue = EventQueue<Event>()
    var current: [Int: BatchLink] = [:]
    private(set) var now: Instant
    private let start = Instant(nanoseconds: 1_000_000_000_000)
    var isOver = false
    var kills = 0
    private var steps = 0
    private var generation = 0
    let schema: RowSchema
    let service: DeclaredService
    let place = UnsafeMutablePointer<LaneEngine>.allocate(capacity: 1)
    var engine: LaneEngine {
        unsafeAddress { UnsafePointer(place) }
        unsafeMutableAddress { place }
    }

    init(plan: BatchPlan) throws {
        self.plan = plan
        ledger = BatchLedger(plan)
        disk = SimulatedDisk(rows: plan.rowCount)
        dice = Dice(seed: plan.seed &+ 3 << 40)
        now = start
        let file = try ProviderFile(Array(plan.file.utf8), name: "batches.json")
        let options = DeclaredOptions(
            file: file, settings: try ProviderSettings(file.provider, given: [], secrets: []))
        let schema = RowSchema(extra: options.valueColumns)
        self.schema = schema
        let slots = options.provider.columns.enumerated().map { index, name in
            index == options.provider.token.column ? 0 : schema.slot(named: name) ?? 0
        }
        service = try DeclaredService(
            options,
            DeclaredService.Settings(
                scheme: "http", authority: "127.0.0.1:1", job: "j", slots: slots),
            unixMilliseconds: { 1_700_000_000_000 })
    }

    deinit {
        if process.isRunning { place.deinitialize(count: 1) }
        place.deallocate()
    }

    var elapsed: Int { Int(now.nanoseconds(since: start)) }

    // MARK: The run

    /// Runs the job to its end and checks the ledger.
    func run() {
        begin()
        turn()
        settle()
        while !isOver {
            guard let (due, event) = queue.popFirst() else {
                return ledger.violate("nothing is left to happen, and the job has not ended")
            }
            // A later turn has planned another one in its place: old ones would plan themselves anew for ever.
            if case .deadline(let number) = event, number != generation { continue }
            now = max(now, due)
            handle(event)
            turn()
            settle()
            steps += 1
            if steps > Self.stepsMax || now.nanoseconds(since: start) > Self.timeMax {
                return ledger.violate("the job does not end")
            }
        }
    }

    private func turn() {
        guard process.isRunning, !disk.isKilled, !engine.isFinished else { return }
        engine.turn(now: now)
        generation += 1
        if let deadline = engine.nextDeadline(now: now) {
            queue.insert(.deadline(generation), at: max(deadline, now))
        }
    }

    func plan(_ event: Event, in time: ClosedRange<Int>) {
        queue.insert(event, at: now.advanced(byNanoseconds: Int64(dice.number(time))))
    }

    private func handle(_ event: Event) {
        switch event {
        case .dialled(let link): dialled(link)
        case .up(let link): arrivesUp(link)
        case .down(let link): arrivesDown(link)
        case .writable(let link): becomesWritable(link)
        case .answered(let link, let request): answer(request, on: link)
        case .closed(let link, let inOrder): closed(link, inOrder: inOrder)
        case .batch(let number): if number == process.number { handOut() }
        case .inputEnded(let number):
            if number == process.number { process.hasInputEnded = true }
        case .written(let number): if number == process.number { write() }
        case .killed(let number):
            if number == process.number, process.isRunning { kill() }
        case .restarted: resume()
        case .deadline: break
        }
    }

    // MARK: Rows and report

    var idleNanoseconds: Int64 { now.nanoseconds }
    var isInputAsleep: Bool { false }
    var isReached: Bool { false }
    var lastAnswerElsewhere: Instant? { nil }
    var lastAnswerOfOtherRoutes: Instant? { nil }
    var isReportBehind: Bool { process.blocks.count >= 8 }
    var isInputExhausted: Bool { process.hasInputEnded && process.waiting.isEmpty }

    /// Nothing waits between the peer and the engine.
    func hasUnread(on connection: Int) -> Bool { false }

    func nextBatch() -> RowBatch? {
        process.waiting.isEmpty ? nil : process.waiting.removeFirst()
    }

    func hasBatch(now: Instant) -> Bool { !process.waiting.isEmpty }
    func recycle(_ batch: RowBatch) {}
    func handBack(_ batch: RowBatch) { process.waiting.insert(batch, at: 0) }
    func lendBatch() {}
    func discard(_ batch: RowBatch) {}
    func emptyBlock() -> ReportBlock { ReportBlock() }
    func hasAnotherBeenJudged(within time: Duration) -> Bool { false }
    func leave(after news: RouteProof.News, now: Instant) -> RouteProof.Leave { .any }
    func providerAsks(toWaitUntil moment: Instant) {}
    func claimFirstRequest(now: Instant) -> Instant? { now }
    func unixMilliseconds(at now: Instant) -> Int64 { VirtualClock.unixMilliseconds(at: now) }

    func submit(_ block: ReportBlock) {
        process.blocks.append(block)
        if !process.isWriting { planWriting() }
    }

    private func planWriting() {
        process.isWriting = true
        plan(.written(process.number), in: plan.writeTime)
    }

    private func write() {
        guard !process.blocks.isEmpty else { return }
        let block = process.blocks.removeFirst()
        process.isWriting = false
        if !process.blocks.isEmpty { planWriting() }
        if let failure = process.journal?.write(block).failure, !disk.isKilled {
            ledger.violate("a block is not written: \(failure)")
        }
    }

    private func handOut() {
        guard !process.coming.isEmpty else { return }
        let batch = process.coming.removeFirst()
        do throws(FanfareError) {
            try RowHistory(
                resumption: process.resumption, checkpoint: process.journal?.checkpoint
            ).record(batch)
        } catch {
            if !disk.isKilled { ledger.violate("a batch is not handed out: \(error)") }
            return
        }
        process.waiting.append(batch)
    }
}
