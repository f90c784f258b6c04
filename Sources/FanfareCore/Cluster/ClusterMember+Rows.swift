package import FanfareBase

/// The lanes' side of a worker.
extension ClusterMember {
    /// Rows that lanes get.
    package struct HandOut: Equatable, Sendable {
        package var key: GrantKey
        package var rows: Range<UInt64>
        /// True if the rows are not to be sent: only lines are to be written that say that they are in doubt.
        package var isInDoubt: Bool

        package init(key: GrantKey, rows: Range<UInt64>, isInDoubt: Bool) {
            self.key = key
            self.rows = rows
            self.isInDoubt = isInDoubt
        }
    }

    /// True if lanes may start rows that they have in their hands.
    ///
    /// Once the engine is known to have gone back they wait until it has been told what is held, a request later: if it was
    /// away for long, others may have been granted these rows.
    package func mayStart(now: Instant) -> Bool {
        guard phase == .working, !mustReassert, let job, let heardAt, !job.isPaused else {
            return false
        }
        guard now < heardAt.advanced(by: patience.own), now >= startsNothingUntil else {
            return false
        }
        return switch job.state {
        case .running: true
        case .proving: job.prover == folder.worker
        case .stopping, .stopped, .finished: false
        }
    }

    /// The moment from which on nothing starts unless a beat is answered before; `nil` if nothing does now.
    package func patienceEnds(now: Instant) -> Instant? {
        mayStart(now: now) ? heardAt?.advanced(by: patience.own) : nil
    }

    /// The part of the job's rate that lanes may use, in millionths of a start per second; `nil` if it has no pace.
    package var pace: Int64? {
        (job?.terms.rate ?? terms.rate) == nil || share == .max ? nil : share
    }

    /// Gives rows to the lanes: those of acknowledged grants, in their order, each once.
    package mutating func handOut(max count: UInt64, now: Instant) -> HandOut? {
        for index in holdings.indices {
            let holding = holdings[index]
            guard let span = holding.waiting.spans.first else { continue }
            // Lines about rows in doubt may be written at any time.
            guard holding.isInDoubt ? phase == .working : mayStart(now: now) else { continue }
            let end = min(span.upperBound, span.lowerBound + count)
            holdings[index].handed = end
            return HandOut(
                key: holding.key, rows: span.lowerBound..<end, isInDoubt: holding.isInDoubt)
        }
        return nil
    }

    /// Notes that all rows of a grant below one have their lines, on the disk.
    package mutating func lined(_ key: GrantKey, below row: UInt64) {
        guard let index = holding(key) else { return }
        holdings[index].lined = max(holdings[index].lined, row)
    }

    /// Notes the figures of the report.
    /// - Parameters:
    ///   - counts: The lines, and the outcomes of this process.
    ///   - epoch: The epoch in which the outcomes were counted: see `outcomeEpoch`.
    package mutating func counted(_ counts: ClusterCounts, inEpoch epoch: Int? = nil) {
        self.counts = counts
        countedEpoch = epoch
    }

    /// Notes that the report has more lines, and no outcome that was not counted before.
    package mutating func counted(lines: UInt64) { counts.lines = lines }

    /// The number of times that the job has gone on after a stop, and so the outcomes that count now; `nil` before the
    /// engine has said so.
    package var outcomeEpoch: Int? { job?.outcomeEpoch }

    /// The figures of all workers together; `nil` before the engine has said them.
    package var wholeJob: WholeJob? {
        job.map {
            WholeJob(
                // Rows that were written off, and whose worker came back, have two lines.
                finished: min(sums.lines, $0.cutRows), rows: $0.cutRows, isAllCounted: $0.isAllCut,
                workers: activeWorkers)
        }
    }

    /// The outcomes of all other processes, those that worked in this folder before included.
    package var othersOutcomes: [UInt64] { sums.outcomes }

    // MARK: Waiting for a provider

    /// Notes that a provider asks for time, for all rows of a route.
    /// - Parameters:
    ///   - route: The route.
    ///   - moment: The end of the time.
    ///   - now: The present.
    package mutating func asked(route: Int, toWaitUntil moment: Instant, now: Instant) {
        let end = ProviderHold.end(moment, now: now)
        guard askedHolds.note(end, ofRoute: route) else { return }
        // The others hear of it at once, but not of each answer that says the same.
        if end > holds[route].advanced(by: patience.beat) { beatDue = min(beatDue, now) }
    }

    /// The moment until which nothing of a route is to be sent, because its provider asks for time; `nil` if it may be,
    /// or if this worker starts nothing any more: its rows go back, and it has nothing to wait for.
    package func hold(ofRoute route: Int, now: Instant) -> Instant? {
        guard phase == .working else { return nil }
        let end = max(holds[route], askedHolds[route])
        return end > now ? end : nil
    }

    // MARK: The input

    /// The row at which a cut is wanted, if this worker is to cut now.
    package var cutWanted: UInt64? {
        guard phase == .working, !mustReassert, let job, !isRangeCut else { return nil }
        guard job.cutter == folder.worker, !job.isAllCut, freeRanges < patience.cutAhead else {
            return nil
        }
        return cutsRead.last?.endRow ?? job.cutRows
    }

    package mutating func cutRead(_ cut: ClusterCut) { cutsRead.append(cut) }

    /// True if the cuts that were read are to be told: they are as many as a range has, or the last ones.
    ///
    /// Ranges are as long as all that was cut before, up to a bound: so all that come at the beginning find one soon, and
    /// a long job has few of them.
    var isRangeCut: Bool {
        guard let first = cutsRead.first, let last = cutsRead.last else { return false }
        let before = first.firstRow / max(1, first.endRow - first.firstRow)
        return last.isLast || UInt64(cutsRead.count) >= min(before, UInt64(patience.rangeCuts))
    }

    /// Notes that a cut's bytes are not those of this worker's copy: it leaves before their first row.
    package mutating func inputDiffered(atRow row: UInt64, now: Instant) {
        decide(.inputDiffers(atRow: row))
        drain(.inputDiffers, now: now)
    }

    // MARK: Decisions and the end

    /// Tells the engine of a verdict or an order.
    package mutating func decide(_ decision: ClusterDecision) {
        if pendingDecisions.count < Limits.clusterDecisionsMax { pendingDecisions.append(decision) }
    }

    package mutating func leave(now: Instant) { drain(.left, now: now) }

    /// Leaves because the provider has refused this worker.
    ///
    /// The provider takes what the others show it, so the key, the clock or the way of this machine is at fault, and the job
    /// goes on without it. Only the worker that proves the job speaks for all: no other has been taken yet.
    package mutating func wasRefused(now: Instant) {
        if let job, job.state == .proving, job.prover == folder.worker {
            decide(.stop(.outcomes))
        } else {
            isRefused = true
        }
        drain(.left, now: now)
    }

    mutating func drain(_ ending: ClusterEnding, now: Instant) {
        switch phase {
        case .joining: end(ending)
        case .working: phase = .draining(ending)
        case .draining, .handingBack, .ended: break
        }
    }

    /// Notes that lanes have nothing in flight any more, and gives back what no process of the folder has sent.
    ///
    /// Rows that this process has not handed out may have been sent by one before it. So traces decide, and not what
    /// this process knows of its lanes.
    /// - Parameters:
    ///   - lined: Rows that have got their lines from this process, on the disk.
    ///   - trace: Returns the trace of another row.
    ///   - now: The time.
    package mutating func drained(
        lined: RowIntervals, trace: (UInt64) -> RowTrace, now: Instant
    ) {
        guard case .draining(let ending) = phase else { return }
        phase = .handingBack(ending)
        leavingSince = now
        for index in holdings.indices where !holdings[index].isInDoubt {
            let holding = holdings[index]
            // The engine has shown a closed grant, and has not said what is in it.
            if holding.rows.isEmpty && !holding.isOpen { continue }
            let (back, kept) = RowTrace.sorted(holding.rows.subtracting(lined), by: trace)
            let tail =
                holding.rows.subtracting(back).end ?? holding.rows.first ?? holding.granted
            folder.backs.append(
                .init(
                    key: holding.key, tail: tail, scattered: back.intersection(0..<tail),
                    newKey: .drawn(generator.next()), kept: kept))
            // From here on the rows are not this worker's, whether the engine hears of it or not.
            holdings[index].rows = kept
            folder.rows.subtract(back)
        }
        writeHoldings()
    }
}
