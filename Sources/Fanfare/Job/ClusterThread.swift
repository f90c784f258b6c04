import FanfareBase
import FanfareCore
import FanfarePostgres
import FanfareSystem

/// The thread of a worker that talks to the engine: it asks what the member wants to know, and tells it which lines the
/// report has.
///
/// Between its questions `ClusterCutting` makes cuts, and `ClusterSteering` has the lanes do what the member says.
struct ClusterThread {
    private let desk: ClusterDesk
    private let control: JobControl
    private let guards: [OutcomeGuard]
    private let reportPath: String
    /// Returns the rows of the report by their outcome, for people.
    private let outcomes: @Sendable () -> [UInt64]
    private var report: OpenReport?
    /// True once the disk has refused to confirm the report: no further line counts as being there.
    private var hasLostLines = false
    private var link: ClusterLink
    private var cutting: ClusterCutting
    private var steering: ClusterSteering
    /// The lines that were told, and when the disk had them last.
    private var syncedAt = Instant.distantPast
    private var measuredAt = MachineClock.now
    /// The time over which rows per second are counted: short at first, or the first second would go by in small grants.
    private var measure = Limits.clusterMeasureMin
    /// The lines at that time; those that the folder had before this process are no work of its own.
    private var measuredLines: UInt64

    /// The report, opened once: a descriptor that is opened later may not hear of a write that has failed before.
    private final class OpenReport {
        let file: FileDescriptor

        init(_ path: String) throws(FileError) { file = try FileDescriptor.reading(path) }
    }

    init(
        _ desk: ClusterDesk, _ inputs: ClusterInputs, control: JobControl, pace: JobPace?,
        routes: [Lane.Route], reportPath: String, outcomes: @escaping @Sendable () -> [UInt64]
    ) {
        self.desk = desk
        self.outcomes = outcomes
        self.control = control
        guards = routes.map(\.outcomeGuard)
        self.reportPath = reportPath
        link = ClusterLink(desk.engine, log: control.log)
        cutting = ClusterCutting(desk, inputs, control: control)
        steering = ClusterSteering(desk, control: control, pace: pace, routes: routes)
        measuredLines = desk.handedOutCount
    }

    /// Runs until the worker's part in the job has ended.
    mutating func run() {
        while true {
            do throws(FileError) {
                try tellLines()
                guard try step() else { return }
            } catch {
                control.stop(JobStop(.inputOutput, Statement(error.sentence)))
                desk.close()
                return
            }
        }
    }

    /// - Returns: False at the end.
    private mutating func step() throws(FileError) -> Bool {
        try steering.obeyJob()
        try steering.obeyProviders()
        let hasCut = try cutting.cut(&link)
        try cutting.lookUp(&link)
        // Rows that are given back settle the rest: its lines have to be on the disk.
        let isLast = try desk.update { $0.hasRowsToGiveBack }
        let areLinesOnDisk = isLast && synchronizeReport()
        if areLinesOnDisk { try tellCounts() }
        let now = MachineClock.now
        let action = try desk.update { state -> ClusterAction in
            if isLast { state.giveBack(areLinesOnDisk: areLinesOnDisk, now: now) }
            return state.member.next(now: now)
        }
        try steering.obeyMember(&link)
        switch action {
        case .ask(let request, let number): try ask(request, number)
        case .hangUp: link.hangUp()
        case .wait(let moment):
            // The next cut of a range that is not whole yet may be wanted.
            if hasCut { break }
            let look = now.advanced(by: Limits.clusterLook)
            _ = desk.alarm.sleep(until: min(moment, look))
        case .end(let ending):
            steering.end(
                ending, differences: differences(at: ending),
                successor: try successor(at: ending))
            return false
        }
        return true
    }

    /// The settings that differ from the other workers', if this one is refused for them.
    private mutating func differences(at ending: ClusterEnding) -> Statement? {
        let isPolicy: Bool
        switch ending {
        case .refused(.otherJob): isPolicy = false
        case .refused(.otherPolicy): isPolicy = true
        case .refused, .finished, .left, .stopped, .inputDiffers, .superseded: return nil
        }
        let deadline = MachineClock.now.advanced(by: desk.options.patience.answer)
        let found = link.ask { engine throws(PostgresError) in
            try engine.differences(ofPolicy: isPolicy, deadline: deadline)
        }
        return found ?? nil
    }

    /// The place at which a copy of this worker's folder has taken its part, if it has.
    private mutating func successor(at ending: ClusterEnding) throws(FileError) -> String? {
        guard ending == .superseded else { return nil }
        let worker = try desk.update { $0.member.folder.worker }
        let deadline = MachineClock.now.advanced(by: desk.options.patience.answer)
        let found = link.ask { engine throws(PostgresError) in
            try engine.place(of: worker, deadline: deadline)
        }
        return found ?? nil
    }

    private mutating func ask(_ request: ClusterRequest, _ number: UInt64) throws(FileError) {
        let now = MachineClock.now
        // The worker looks at its patience when that ends, also while an answer is waited for.
        let ends = try desk.update { $0.member.patienceEnds(now: now) } ?? .distantFuture
        let deadline = min(
            now.advanced(by: desk.options.patience.answer),
            max(ends, now.advanced(by: .milliseconds(50))))
        let step = try desk.update { $0.member.stepTime }
        link.tell(step: step)
        let answer = link.ask { engine throws(PostgresError) in
            engine.stepTime = step
            return try engine.transact(request, deadline: deadline)
        }
        guard let answer else {
            try desk.update { $0.member.connectionFailed(now: MachineClock.now) }
            return
        }
        link.answered()
        try desk.update {
            $0.member.answered(number: number, answer, now: MachineClock.now)
        }
        try tellGuards()
        desk.wakeReader()
    }

    // MARK: Facts

    /// Tells the member of lines, once the disk has them.
    private mutating func tellLines() throws(FileError) {
        let now = MachineClock.now
        try measureSpeed(now)
        guard now >= syncedAt.advanced(by: Limits.clusterSyncMin) else { return }
        let isDue = now >= syncedAt.advanced(by: Limits.clusterSync)
        let (progress, lines) = try desk.update { state in
            let tellsSoon = state.member.pace != nil && state.member.isAboutToTellLines(now: now)
            return (isDue || tellsSoon ? state.handedOut.progress() : [], state.lineCount)
        }
        guard !progress.isEmpty else { return }
        syncedAt = now
        guard synchronizeReport() else { return }
        try desk.update { state in
            for (key, row) in progress { state.member.lined(key, below: row) }
        }
        try tellCounts(lines: lines)
    }

    /// Tells the member of the rows that its lanes get through, by which it asks for more.
    private mutating func measureSpeed(_ now: Instant) throws(FileError) {
        guard now >= measuredAt.advanced(by: measure) else { return }
        let time = max(1, now.nanoseconds(since: measuredAt) / 1_000_000)
        let earlier = measuredLines
        let isPaused = control.isPaused
        let lines = try desk.update { state in
            let lines = state.lineCount
            state.member.rowsPerSecond = (lines - min(lines, earlier)) * 1000 / UInt64(time)
            if isPaused { state.inHand.rest() } else { state.inHand.measure(now: now) }
            return lines
        }
        (measuredAt, measuredLines) = (now, lines)
        if lines > earlier { measure = min(measure * 2, Limits.clusterMeasureMax) }
    }

    /// Tells the member of the outcomes of this process, route by route, as far as a threshold counts rows.
    /// - Parameter lines: The lines that the disk has; `nil` for all that were written.
    /// - Throws: `FileError` if the member cannot be kept.
    private func tellCounts(lines: UInt64? = nil) throws(FileError) {
        // This thread alone tells the guards the epoch, so it is the same for all.
        let sums = guards.map(\.sums)
        try desk.update { state in
            state.member.counted(
                ClusterCounts(
                    lines: lines ?? state.lineCount,
                    outcomes: sums.flatMap { $0.outcomes.inOrder }),
                inEpoch: sums.first?.epoch)
            state.member.reportedOutcomes = outcomes()
        }
    }

    /// Has the disk confirm the report.
    ///
    /// If it does not, that stops the job, and the thread goes on: rows without a trace still go back.
    /// - Returns: False if lines may be lost.
    private mutating func synchronizeReport() -> Bool {
        guard !hasLostLines else { return false }
        do throws(FileError) {
            if report == nil { report = try OpenReport(reportPath) }
            try report?.file.synchronize()
        } catch {
            hasLostLines = true
            control.stop(JobStop(.inputOutput, Statement(error.sentence)))
        }
        return !hasLostLines
    }

    /// Shows the outcomes of the others to those that watch.
    private func tellGuards() throws(FileError) {
        let (others, epoch) = try desk.update {
            ($0.member.othersOutcomes, $0.member.outcomeEpoch)
        }
        guard let epoch else { return }
        for (index, outcomeGuard) in guards.enumerated() {
            let places = index * Outcome.count..<(index + 1) * Outcome.count
            outcomeGuard.update(
                others: OutcomeCounts(
                    inOrder: others.dropFirst(places.lowerBound).prefix(places.count)),
                inEpoch: epoch)
        }
    }
}
