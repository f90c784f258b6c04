import FanfareBase

@testable import FanfareCore

/// Workers that share a rate, with lanes that do just that, a reader, and a disk that says when it has lines.
///
/// Nothing goes wrong here: it is arithmetic, a fiftieth of a second at a time.
struct SteadyWorkers {
    final class Worker {
        var member: ClusterMember
        let step: Duration
        var answer: (at: Instant, number: UInt64, ClusterAnswer)?
        var key: GrantKey?
        /// Rows of the lanes that they have not taken up, and those that they have, by the time at which these have lines.
        var ahead: UInt64 = 0
        var flying: [(linedAt: Instant, rows: UInt64)] = []
        var permits = 0.0
        var taken: UInt64 = 0
        var handed: [(key: GrantKey, rows: Range<UInt64>)] = []
        /// Rows with lines, all of them and those that were not told.
        var lines: UInt64 = 0
        var linedRows: UInt64 = 0
        var syncedAt = Instant.distantPast
        var readAt = Instant.distantPast
        /// The most rows that were in doubt at a moment.
        var doubtMax: UInt64 = 0
        /// The moment at which its speed was measured, and the lines then.
        var measured = (at: Instant.distantPast, lines: UInt64(0))

        init(_ member: ClusterMember, step: Duration) {
            self.member = member
            self.step = step
        }
    }

    static let tick = Duration.milliseconds(20)
    /// An answer of the provider and the time of a report's block.
    static let flight = Duration.milliseconds(150)

    var model = ClusterModel()
    var workers: [Worker]
    private let rowCount: UInt64
    private(set) var now = Instant(nanoseconds: 1_000_000_000)

    /// - Parameters:
    ///   - steps: For each worker the time from a request to its answer.
    ///   - rate: The rate of all of them together.
    ///   - rowCount: The rows of the job.
    init(steps: [Duration], rate: Int64, rowCount: UInt64 = 10_000_000) {
        self.rowCount = rowCount
        workers = steps.enumerated().map { number, step in
            Worker(
                ClusterMember(
                    folder: ClusterFolder(worker: WorkerID(bits: UInt128(number + 1))),
                    place: ClusterPlace(host: UInt64(number + 1), boot: 1, file: 1),
                    terms: ClusterTerms(
                        fingerprint: 1, protocolVersion: 1, rate: rate * ShareRule.unitsPerStart),
                    protocols: 1...1, patience: ClusterPatience(), seed: UInt64(number + 1)),
                step: step)
        }
    }

    /// Lets workers from the first one up to a number work for a time.
    mutating func run(_ time: Duration, workers count: Int? = nil) {
        let end = now.advanced(by: time)
        while now < end {
            now = now.advanced(by: Self.tick)
            for worker in workers.prefix(count ?? workers.count) { turn(worker) }
        }
    }

    private mutating func turn(_ worker: Worker) {
        send(worker)
        read(worker)
        tellLines(worker)
        if let answer = worker.answer, now >= answer.at {
            worker.answer = nil
            worker.member.answered(number: answer.number, answer.2, now: now)
        }
        while worker.answer == nil {
            while let first = worker.member.cutWanted {
                let end = min(first + 32_768, rowCount)
                worker.member.cutRead(
                    ClusterCut(firstRow: first, endRow: end, sum: 1, isLast: end == rowCount))
            }
            guard case .ask(let request, let number) = worker.member.next(now: now) else { break }
            worker.answer = (now.advanced(by: worker.step), number, model.transact(request))
        }
        worker.doubtMax = max(worker.doubtMax, doubt(of: worker))
    }

    /// The rows that would be in doubt now.
    func doubt(of worker: Worker) -> UInt64 {
        let id = worker.member.folder.worker
        let ranges = model.state.ranges.filter { $0.owner == id && !$0.isDone }
        let grants = model.state.grants.filter { $0.worker == id && !$0.isSettled }
        return ranges.reduce(0) { $0 + $1.granted - max($1.lined, $1.claimed) }
            + grants.reduce(0) { $0 + $1.rows.count }
    }

    private func send(_ worker: Worker) {
        let share = Double(worker.member.pace ?? 0) / Double(ShareRule.unitsPerStart)
        let isOpen = worker.member.mayStart(now: now)
        // A pace makes up for a moment, as that of lanes does.
        worker.permits = isOpen ? min(worker.permits + share / 50, max(share / 20, 1)) : 0
        let count = min(UInt64(worker.permits), worker.ahead)
        worker.permits -= Double(count)
        worker.ahead -= count
        worker.taken += count
        if count > 0 { worker.flying.append((now.advanced(by: Self.flight), count)) }
        while let first = worker.flying.first, first.linedAt <= now {
            worker.linedRows += first.rows
            worker.lines += first.rows
            worker.flying.removeFirst()
        }
    }

    /// The reader looks ten times a second.
    private func read(_ worker: Worker) {
        guard now >= worker.readAt.advanced(by: Limits.clusterLook) else { return }
        worker.readAt = now
        while let most = worker.member.rowsAhead, worker.ahead + most / 8 <= most,
            let out = worker.member.handOut(max: most - worker.ahead, now: now)
        {
            worker.ahead += UInt64(out.rows.count)
            worker.handed.append((out.key, out.rows))
        }
    }

    private func tellLines(_ worker: Worker) {
        guard now >= worker.syncedAt.advanced(by: Limits.clusterSyncMin),
            now >= worker.syncedAt.advanced(by: Limits.clusterSync)
                || worker.member.isAboutToTellLines(now: now)
        else { return }
        worker.syncedAt = now
        worker.member.counted(ClusterCounts(lines: worker.lines))
        var rest = worker.linedRows
        for (place, (key, rows)) in worker.handed.enumerated() {
            let lined = min(rest, UInt64(rows.count))
            rest -= lined
            worker.member.lined(key, below: rows.lowerBound + lined)
            if lined < rows.count {
                worker.linedRows = lined
                worker.handed.removeFirst(place)
                return
            }
        }
        worker.handed = []
        worker.linedRows = 0
    }
}
