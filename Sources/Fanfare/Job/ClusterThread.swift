import FanfareBase
import FanfareCore
import FanfarePostgres
import FanfareSystem

/// The thread of a worker that talks to the engine: it asks what the member wants to know, and has the job obey.
struct ClusterThread {
    private let desk: ClusterDesk
    private let control: JobControl
    private let pace: JobPace?
    private let routes: [Lane.Route]
    private var guards: [OutcomeGuard] { routes.map(\.outcomeGuard) }
    private let reportPath: String
    private var report: OpenReport?
    private var cutter: ClusterCutter
    private var share: Int64?
    /// The lines that were told, and when the disk had them last.
    private var syncedAt = Instant.distantPast
    private var measuredAt = MachineClock.now
    /// The time over which rows per second are counted: short at first, or the first second would go by in small grants.
    private var measure = Limits.clusterMeasureMin
    /// The lines at that time; those that the folder had before this process are no work of its own.
    private var measuredLines: UInt64
    private var isLeaving = false
    private var troubleSince: Instant?
    private var isTroubleTold = false

    /// The report, opened once: a descriptor that is opened later may not hear of a write that has failed before.
    private final class OpenReport {
        let file: FileDescriptor

        init(_ path: String) throws(FileError) { file = try FileDescriptor.reading(path) }
    }

    init(
        _ desk: ClusterDesk, _ inputs: ClusterInputs, control: JobControl, pace: JobPace?,
        routes: [Lane.Route], reportPath: String
    ) {
        self.desk = desk
        self.control = control
        self.pace = pace
        self.routes = routes
        self.reportPath = reportPath
        measuredLines = desk.handedOutCount
        cutter = ClusterCutter(inputs, cutRows: desk.options.cutRows)
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
        try obeyJob()
        try obeyProviders()
        let hasCut = try cut()
        try lookUpCuts()
        // Rows that are given back settle the rest: its lines have to be on the disk.
        if try desk.update({ $0.member.isDraining && $0.unsent != nil }) {
            try synchronizeReport()
            try tellCounts()
        }
        let now = MachineClock.now
        let action = try desk.update { state -> ClusterAction in
            if state.member.isDraining, let unsent = state.unsent {
                state.member.drained(unsent: unsent, now: now)
            }
            return state.member.next(now: now)
        }
        try obeyMember()
        switch action {
        case .ask(let request, let number): try ask(request, number)
        case .hangUp: desk.engine.close()
        case .wait(let moment):
            // The next cut of a range that is not whole yet may be wanted.
            if hasCut { break }
            let look = now.advanced(by: Limits.clusterLook)
            _ = desk.alarm.sleep(until: min(moment, look))
        case .end(let ending):
            ended(ending)
            return false
        }
        return true
    }

    private mutating func ask(_ request: ClusterRequest, _ number: UInt64) throws(FileError) {
        let now = MachineClock.now
        // The worker looks at its patience when that ends, also while an answer is waited for.
        let ends = try desk.update { $0.member.patienceEnds(now: now) } ?? .distantFuture
        let deadline = min(
            now.advanced(by: desk.options.patience.answer),
            max(ends, now.advanced(by: .milliseconds(50))))
        let answer: ClusterAnswer
        do throws(PostgresError) {
            answer = try desk.engine.transact(request, deadline: deadline)
        } catch {
            desk.engine.close()
            try desk.update { $0.member.connectionFailed(now: MachineClock.now) }
            return tellTrouble(error)
        }
        tellTrouble(nil)
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
        guard now >= syncedAt.advanced(by: Limits.clusterSync) else { return }
        let (progress, lines) = try desk.update { state in
            (state.handedOut.progress(), state.lineCount)
        }
        guard !progress.isEmpty else { return }
        syncedAt = now
        try synchronizeReport()
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
        }
    }

    private mutating func synchronizeReport() throws(FileError) {
        if report == nil { report = try OpenReport(reportPath) }
        try report?.file.synchronize()
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

    /// Makes the next cut, if this worker is the one that cuts.
    /// - Returns: True if it has made one.
    /// - Throws: `FileError` if the member cannot be kept.
    private mutating func cut() throws(FileError) -> Bool {
        guard let row = try desk.update({ $0.member.cutWanted }) else { return false }
        let cut: ClusterCut
        do throws(FanfareError) {
            if !cutter.isAt(row) {
                let deadline = MachineClock.now.advanced(by: desk.options.patience.answer)
                let found: ClusterCut?
                do throws(PostgresError) {
                    found = try desk.engine.lastCut(deadline: deadline)
                } catch {
                    desk.engine.close()
                    tellTrouble(error)
                    return false
                }
                guard let last = found, last.endRow == row else { return false }
                try cutter.move(behind: last)
            }
            cut = try cutter.cut(at: row)
        } catch {
            control.inputFailed(error)
            control.stop(JobStop(.inputOutput, error.statement))
            return false
        }
        try desk.update { $0.member.cutRead(cut) }
        return true
    }

    /// Looks up the cut that the reader waits for, and those that it will wait for next.
    private mutating func lookUpCuts() throws(FileError) {
        guard let row = try desk.update({ $0.wantedCut }) else { return }
        let deadline = MachineClock.now.advanced(by: desk.options.patience.answer)
        let found: [ClusterCut]
        do throws(PostgresError) {
            found = try desk.engine.cuts(from: row, deadline: deadline)
        } catch {
            desk.engine.close()
            return tellTrouble(error)
        }
        guard !found.isEmpty else { return }
        try desk.update { state in
            state.wantedCut = nil
            state.cuts = found
        }
        desk.wakeReader()
    }

    // MARK: Orders

    /// Has the worker leave when its own job stops.
    private mutating func obeyJob() throws(FileError) {
        guard !isLeaving, let stop = control.stop else { return }
        isLeaving = true
        let crossed = guards.compactMap(\.crossedEpoch).first
        try desk.update { state in
            // A verdict of the provider about key or topic is true on each machine. Outcomes of before the job went on
            // concern this worker only.
            if stop.kind == .refused, crossed == nil || crossed == state.member.outcomeEpoch {
                state.member.decide(.stop(.outcomes))
            }
            state.member.leave(now: MachineClock.now)
        }
        desk.close()
    }

    /// Has all workers wait for as long as a provider has asked one of them.
    private func obeyProviders() throws(FileError) {
        let now = MachineClock.now
        var changes = false
        for (index, route) in routes.enumerated() {
            let asked = route.contact.askedToWaitUntil
            let hold = try desk.update { state in
                if let asked, asked > now {
                    state.member.asked(route: index, toWaitUntil: asked, now: now)
                }
                return state.member.hold(ofRoute: index, now: now)
            }
            guard route.contact.hold(hold != nil) else { continue }
            changes = true
            let seconds = hold.map { ($0.nanoseconds(since: now) + 999_999_999) / 1_000_000_000 }
            control.log?.add(
                hold == nil ? "provider_goes_on" : "provider_holds", .info,
                (route.name.map { [.init("route", Statement($0))] } ?? [])
                    + (seconds.map { [.init("seconds", Statement("\($0)"))] } ?? []))
        }
        if changes { control.wakeLanes() }
    }

    /// Has the lanes do what the job says.
    private mutating func obeyMember() throws(FileError) {
        let now = MachineClock.now
        let (mayStart, share, isDraining, ends) = try desk.update {
            (
                $0.member.mayStart(now: now), $0.member.pace, $0.member.isDraining,
                $0.member.patienceEnds(now: now)
            )
        }
        // While nothing may start, lanes keep to the moment that has passed: a later one would let them go on before
        // they are held.
        if let ends, control.mayStart(until: ends) { control.wakeLanes() }
        if let pace, let share, share != self.share {
            if let settings = PaceSettings(share: share) {
                pace.change(to: settings, now: now)
                control.wakeLanes()
            }
        }
        self.share = share
        if isDraining && !isLeaving {
            isLeaving = true
            let verdict = try desk.update { $0.member.drainVerdict }
            control.stop(Self.drainStop(verdict, desk.options))
            desk.close()
        }
        // After the stop: lanes that were held send none of a job that is over.
        control.hold(!isDraining && (!mayStart || share == 0))
    }

    private func ended(_ ending: ClusterEnding) {
        if let stop = Self.stop(ending, desk.options) { control.stop(stop) }
        // No lane waits for a provider whose hold this thread no longer follows.
        for route in routes { _ = route.contact.hold(false) }
        control.hold(false)
        _ = control.mayStart(until: .distantFuture)
        control.wakeLanes()
        desk.close()
    }

    private mutating func tellTrouble(_ error: PostgresError?) {
        let now = MachineClock.now
        guard let error else {
            if isTroubleTold { control.log?.add("cluster_is_back", .info) }
            (troubleSince, isTroubleTold) = (nil, false)
            return
        }
        troubleSince = troubleSince ?? now
        guard !isTroubleTold else { return }
        isTroubleTold = true
        control.log?.add("cluster_away", .error, [.init("message", Statement(error.reason))])
    }
}

extension ClusterThread {
    /// The reason for this worker's stop; `nil` if it has come to the proper end.
    fileprivate static func stop(_ ending: ClusterEnding, _ options: ClusterOptions) -> JobStop? {
        switch ending {
        case .finished, .left: nil
        case .stopped, .inputDiffers: drainStop(ending, options)
        case .refused(.jobIsUnknown):
            JobStop(
                .refused,
                "the server has lost the job \(options.job), so it may have granted anything to other workers: "
                    + "nothing more is sent")
        case .refused(.otherJob):
            JobStop(
                .usage,
                "the job \(options.job) has other inputs or settings than this worker: give all of its workers the "
                    + "same ones, or begin another job")
        case .refused(.otherProtocol(let version)):
            JobStop(
                .usage,
                "the workers of \(options.job) speak version \(version) of their protocol, and this program speaks "
                    + "\(ClusterTerms.ownProtocol): use one version of Fanfare on all machines, or begin another job"
            )
        case .refused(.tooManyWorkers):
            JobStop(
                .usage,
                "the job \(options.job) has \(Limits.clusterWorkersMax) workers, as many as it may have"
            )
        case .superseded:
            JobStop(
                .usage, "another process works with a copy of this worker's report and checkpoint")
        }
    }

    /// The reason for a stop that this worker drains for.
    fileprivate static func drainStop(
        _ ending: ClusterEnding?, _ options: ClusterOptions
    ) -> JobStop {
        switch ending {
        case .stopped(.ordered):
            JobStop(
                .interrupted,
                "the job \(options.job) was stopped on request; fanfare cluster resume lets it go on"
            )
        case .stopped(.inputsDiffer(let row)):
            JobStop(
                .inputOutput,
                "the workers of \(options.job) do not see the same file: from row \(row + 1) on their bytes differ"
            )
        case .stopped(.grantedTwice(let rows)):
            JobStop(
                .inputOutput,
                "the server has forgotten writes, and rows \(rows.lowerBound + 1) to \(rows.upperBound) were granted "
                    + "twice")
        case .inputDiffers:
            JobStop(
                .inputOutput,
                "this machine's input has other bytes than those of the worker that cut it, so it leaves the job "
                    + "\(options.job); give all machines the same file")
        default:
            JobStop(.refused, "another worker has stopped the job \(options.job)")
        }
    }
}

extension PaceSettings {
    /// The pace of a share in millionths of a start per second; `nil` for no start at all.
    init?(share: Int64) {
        guard share > 0 else { return nil }
        if share >= 1_000 * ShareRule.unitsPerStart {
            self.init(
                count: min(share / ShareRule.unitsPerStart, Int64(Limits.paceCountMax)),
                period: 1_000_000_000)
        } else {
            let period = (1_000_000_000_000_000 + share - 1) / share
            self.init(
                count: 1, period: min(period, Limits.pacePeriodMax.wholeNanoseconds))
        }
    }
}
