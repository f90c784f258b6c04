import FanfareBase

/// The choice of a worker's next request.
extension ClusterMember {
    mutating func nextOperation(now: Instant) -> ClusterOperation? {
        switch phase {
        case .joining: return folder.backs.first.map { .giveBack($0) } ?? join
        case .ended: return nil
        case .working, .draining, .handingBack: break
        }
        if mustReassert { return reassertion }
        // While rows go back nothing waits for orders, but for a decision that has met newer ones.
        let isBeatDue =
            now >= beatDue
            && (!isHandingBack || folder.backs.isEmpty && !pendingDecisions.isEmpty)
        // From far away a beat is always due: then something else goes between two of them.
        if isBeatDue && !isBeatLate { return .beat(beat(isLeaving: false, now: now)) }
        if let other = otherOperation(now: now) { return other }
        return isBeatDue ? .beat(beat(isLeaving: false, now: now)) : nil
    }

    private mutating func otherOperation(now: Instant) -> ClusterOperation? {
        // Before a grant of theirs is settled, and before a verdict that may have to be told again.
        if let back = folder.backs.first { return .giveBack(back) }
        if let decision = pendingDecisions.first, let job {
            return .decide(decision, after: job.orders)
        }
        if let complete = holdings.first(where: {
            $0.isComplete && (!isHandingBack || $0.isInDoubt)
        }) {
            return .settle(complete.key)
        }
        if isHandingBack { return .beat(beat(isLeaving: true, now: now)) }
        guard phase == .working, let job else { return nil }
        if isRangeCut { return .cut(cutsRead) }
        guard mayAsk(now: now) else { return nil }
        if let role = roleToTake(job, now: now) { return .decide(role, after: job.orders) }
        if isProved(job) { return .decide(.proved, after: job.orders) }
        if now >= grantDue, let grant = grantToAsk { return grant }
        if let pendingTake { return .take(pendingTake) }
        if let due = lookDue, now >= due { return .survey }
        return nil
    }

    /// The next moment at which time alone changes something.
    func nextMoment(now: Instant) -> Instant {
        var moment = isHandingBack ? Instant.distantFuture : beatDue
        if phase == .working, let due = lookDue, due > now { moment = min(moment, due) }
        if let leavingSince { moment = min(moment, leavingSince.advanced(by: patience.leaving)) }
        return max(moment, now)
    }

    var isHandingBack: Bool { if case .handingBack = phase { true } else { false } }

    /// True if the worker may ask for rows that it does not have.
    private func mayAsk(now: Instant) -> Bool {
        guard let job, job.isOpen, now >= quietUntil, !job.isPaused else { return false }
        return switch job.state {
        case .running: true
        case .proving: true
        case .stopping, .stopped, .finished: false
        }
    }

    private var join: ClusterOperation {
        .join(
            .init(
                place: place, nonce: nonce, fingerprint: terms.fingerprint, policy: terms.policy,
                protocols: protocols,
                terms: folder.session == 0 ? terms : nil))
    }

    private var reassertion: ClusterOperation {
        var bits = generatorCopy
        return .reassert(
            .init(
                place: place, joinNonce: nonce, fingerprint: terms.fingerprint,
                beat: beatNumber, using: usedShare, held: claims(), rows: folder.rows,
                writtenOff: folder.writtenOff, nonce: bits.next()))
    }

    /// A generator whose numbers depend on the present state, and leave it as it is.
    private var generatorCopy: SplitMix64 { generator }

    /// The part of the rate that the worker uses, at most.
    private var usedShare: Int64 { pace ?? 0 }

    private mutating func beat(isLeaving: Bool, now: Instant) -> ClusterOperation.Beat {
        beatNumber += 1
        beatDue = roughly(patience.beat, after: now)
        let isQuiet = now < quietUntil || now < startsNothingUntil
        let isDone =
            job?.isOpen == false && now >= max(quietUntil, opensNothingUntil) && !mustReassert
        return ClusterOperation.Beat(
            number: beatNumber, using: usedShare,
            // Without work it needs no share, and after the engine has gone back it asks for no more.
            wants: isQuiet ? usedShare : holdings.isEmpty ? 0 : wants,
            lined: holdings.filter { !$0.rows.isEmpty }.map { .init(key: $0.key, lined: $0.lined) },
            lost: watch.lost(now: now, patience), counts: counts,
            outcomeEpoch: countedEpoch, counter: counter, figures: figures(now: now),
            holds: askedHolds.left(now: now), isLeaving: isLeaving, isRefused: isRefused,
            opens: isDone ? folder.generation : nil)
    }

    private func figures(now: Instant) -> ClusterFigures {
        ClusterFigures(
            outcomes: reportedOutcomes, rowsPerSecond: rowsPerSecond,
            writesOffAfterMilliseconds: onlyOrphansSince.map {
                max(0, $0.advanced(by: patience.writeOff).nanoseconds(since: now) / 1_000_000)
            })
    }

    // MARK: Roles

    private func roleToTake(_ job: ClusterJob, now: Instant) -> ClusterDecision? {
        if job.state == .proving && isVacant(job.prover, now: now) {
            return .prove(insteadOf: job.prover)
        }
        if !job.isAllCut && isVacant(job.cutter, now: now) { return .cut(insteadOf: job.cutter) }
        return nil
    }

    private func isVacant(_ worker: WorkerID?, now: Instant) -> Bool {
        guard let worker else { return true }
        return worker != folder.worker && watch.lostBeat(of: worker, now: now, patience) != nil
    }

    /// True if this worker has proved the job: enough rows have an outcome, or there are no others that it could get.
    ///
    /// A worker that was lost, and is back, may have these, and may not start them before.
    private func isProved(_ job: ClusterJob) -> Bool {
        guard job.state == .proving, job.prover == folder.worker else { return false }
        if counts.lines >= patience.provingRows { return true }
        return job.isAllCut && holdings.isEmpty && (onlyOrphansSince != nil || isOutOfWork)
    }

    // MARK: Rows

    /// True if the next thing to ask for, besides a beat, is a block of rows.
    func grantIsDue(now: Instant) -> Bool {
        mayAsk(now: now) && now >= grantDue && grantToAsk != nil
    }

    private var grantToAsk: ClusterOperation? {
        if let unsure = holdings.first(where: \.needsConfirming) {
            return .grant(unsure.key, upTo: unsure.granted)
        }
        guard mayGetRows else { return nil }
        // The next block, of the range which was taken last: the rows of a lost worker have waited.
        let waiting = holdings.reduce(0) { $0 + ($1.isInDoubt ? 0 : $1.waitingCount) }
        guard waiting <= blockIsDueAt,
            let holding = holdings.last(where: { $0.isOpen && $0.granted < $0.end })
        else { return nil }
        return .grant(holding.key, upTo: holding.end(ofNext: blockRows))
    }

    /// True if the job gives rows to this worker.
    private var mayGetRows: Bool {
        guard let job else { return false }
        return job.state == .running || job.state == .proving && job.prover == folder.worker
    }

    private var needsWork: Bool {
        guard mayGetRows else { return false }
        return holdings.allSatisfy { !$0.isOpen || $0.granted == $0.end }
            && holdings.reduce(0) { $0 + $1.waitingCount } <= blockIsDueAt
    }

    /// The moment at which it looks for work; `nil` if it has enough, and no lost worker has left any.
    private var lookDue: Instant? {
        if needsWork { return surveyDue }
        return mayHaveOrphans && mayGetRows ? max(surveyDue, orphansDue) : nil
    }

    /// Returns a range of a worker that is lost, and the last beat of that one: of a worker that has work of its own only
    /// one with rows that were granted to no worker, which would wait until one has nothing else to do.
    private mutating func lostRange(
        _ others: [ClusterRange], now: Instant
    ) -> (ClusterRange, UInt64)? {
        let lost = others.compactMap { range in
            range.owner.flatMap { watch.lostBeat(of: $0, now: now, patience) }.map { (range, $0) }
        }.filter { needsWork || !$0.0.restRows.isEmpty }
        // All look at once: those who meet at one would leave the others.
        return lost.randomElement(using: &generator)
    }

    /// Chooses among what a survey has shown.
    mutating func choose(_ ranges: [ClusterRange], _ grants: [ClusterGrant], now: Instant) {
        surveyDue = roughly(patience.survey, after: now)
        let others = ranges.filter { $0.owner != folder.worker }
        let orphans = grants.filter { $0.worker != folder.worker }
        // A worker that lives may have grants that are closed: all of them are, once it has said anew what it holds.
        let isOver =
            job?.isAllCut == true && ranges.isEmpty
            && orphans.allSatisfy { watch.lostBeat(of: $0.worker, now: now, patience) != nil }
        onlyOrphansSince = isOver ? onlyOrphansSince ?? now : nil
        for grant in orphans {
            guard let seen = watch.givenUpBeat(of: grant.worker, now: now, patience) else {
                continue
            }
            pendingTake = .orphan(grant.key, of: .init(worker: grant.worker, beat: seen))
            return
        }
        if let (range, seen) = lostRange(others, now: now) {
            pendingTake = .rest(range.grantKey, seen: seen, epoch: generator.next())
            return
        }
        // The rest is for a worker that has nothing to do.
        mayHaveOrphans = false
        isOutOfWork = false
        guard needsWork else { return }
        let free = others.filter { $0.owner == nil }
        if !free.isEmpty {
            // Not all the first one: those who come at the same time would meet there.
            let place = Int.random(in: 0..<min(free.count, 8), using: &generator)
            pendingTake = .rest(free[place].grantKey, seen: nil, epoch: generator.next())
            return
        }
        isOutOfWork = true
        let rests = others.map { ($0, $0.restRows) }
        if case (let largest, let rest)? = rests.max(by: { $0.1.count < $1.1.count }),
            rest.count >= patience.splitRows, let row = rest.row(at: (rest.count + 1) / 2)
        {
            isOutOfWork = false
            pendingTake = .upperPart(
                largest.grantKey, from: row, newKey: .drawn(generator.next()))
            return
        }
        guard let onlyOrphansSince, now >= onlyOrphansSince.advanced(by: patience.writeOff) else {
            return
        }
        for grant in orphans {
            guard let seen = watch.lostBeat(of: grant.worker, now: now, patience) else { continue }
            pendingTake = .orphan(grant.key, of: .init(worker: grant.worker, beat: seen))
            return
        }
    }
}
