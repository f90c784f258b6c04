import FanfareBase

/// A worker's conclusions from answers.
extension ClusterMember {
    mutating func take(_ answer: ClusterAnswer, to request: Outstanding, now: Instant) {
        if phase == .joining, case .giveBack(let back) = request.operation {
            return gaveBackEarlier(answer.body, back)
        }
        switch answer.body {
        case .refused(let refusal): return end(.refused(refusal))
        case .superseded(let other): return superseded(at: other)
        case .joined(let joined): return self.joined(joined, answer.generation, now: now)
        case .reasserted(let grants):
            return reasserted(grants, answer.generation, now: now)
        case .unknownSession, .otherGeneration:
            mustReassert = true
            return
        case .orders(let orders):
            if answer.generation != folder.generation { mustReassert = true }
            return follow(orders, to: request, now: now)
        case .survey, .cut, .taken, .takenGrant, .granted, .closed, .done, .missed, .notYours: break
        }
        // Rows that an engine gives that has gone back are not acknowledged before it knows what is held.
        guard answer.generation == folder.generation else {
            mustReassert = true
            return
        }
        take(answer.body, to: request.operation, now: now)
    }

    private mutating func take(
        _ reply: ClusterReply, to operation: ClusterOperation, now: Instant
    ) {
        switch operation {
        case .join, .reassert, .beat: break
        case .survey:
            if case .survey(let ranges, let grants) = reply { choose(ranges, grants, now: now) }
        case .cut:
            cutsRead = []
            if case .cut(let next, let isAll) = reply {
                job?.cutRows = next
                job?.isAllCut = isAll
            }
            freeRanges += 1
        case .take(let take):
            pendingTake = nil
            taken(reply, take, now: now)
        case .grant(let key, _): granted(reply, key, now: now)
        case .settle(let key): settled(reply, key)
        case .giveBack(let back): gaveBack(reply, back)
        case .decide(let decision, _):
            // An order that met a newer one is asked again, when that one is known.
            let isToRepeat = reply == .missed && decision.isOrder
            if pendingDecisions.first == decision && !isToRepeat { pendingDecisions.removeFirst() }
            beatDue = min(beatDue, now)
        }
    }

    // MARK: Rows

    private mutating func taken(
        _ reply: ClusterReply, _ take: ClusterOperation.Take, now: Instant
    ) {
        if case .rest(_, .some, _) = take, reply != .missed {
            // The others see a lost worker a beat or two later, and get their part.
            orphansDue = roughly(patience.beat * 2, after: now)
        }
        // A worker that counts as lost may be back, which the next beat shows and no survey before.
        if reply != .missed || !mayHaveOrphans { surveyDue = min(surveyDue, now) }
        // Its share comes with the next beat.
        if holdings.isEmpty && terms.rate != nil { beatDue = min(beatDue, now) }
        if case .taken(let range) = reply, !range.isDone, holding(range.grantKey) == nil {
            holdings.append(ClusterHolding(range))
        }
        if case .takenGrant(let grant) = reply, !grant.isSettled, holding(grant.key) == nil {
            holdings.append(ClusterHolding(grant))
        }
        writeHoldings()
    }

    private mutating func granted(_ reply: ClusterReply, _ key: GrantKey, now: Instant) {
        // The job gives nothing now; a beat will tell when it does.
        if case .missed = reply { grantDue = roughly(patience.beat, after: now) }
        guard let index = holding(key) else { return }
        if isHandingBack && reply != .notYours {
            // The rows were asked for before, and go back with the others: they never become the worker's.
            return
        }
        if case .granted(let range) = reply {
            let rows = range.grantedRows
            holdings[index].rows.formUnion(rows)
            holdings[index].granted = range.granted
            holdings[index].end = range.end
            holdings[index].only = range.only
            // An engine that has gone back unnoticed may show a range that it had closed.
            holdings[index].isOpen = true
            holdings[index].needsConfirming = false
            folder.rows.formUnion(rows)
        } else if case .closed(let grant) = reply {
            keep(grant)
            let own = ownPart(of: grant)
            holdings[index].close(own)
        } else if case .notYours = reply {
            lose(index)
        }
        writeHoldings()
    }

    /// Drops a grant that the engine says is not the worker's; if it had rows, the engine has to explain.
    private mutating func lose(_ index: Int) {
        if holdings[index].rows.isEmpty { holdings.remove(at: index) } else { mustReassert = true }
    }

    private mutating func settled(_ reply: ClusterReply, _ key: GrantKey) {
        guard let index = holding(key) else { return }
        if case .done = reply {
            holdings.remove(at: index)
        } else if case .notYours = reply {
            // Others have written the rows off, or the engine has gone back: it has to say which.
            mustReassert = true
        } else {
            // More of the range was granted than was acknowledged.
            holdings[index].needsConfirming = true
        }
        writeHoldings()
    }

    private mutating func gaveBack(_ reply: ClusterReply, _ back: ClusterOperation.GivenBack) {
        // Other rows of the same grant may go back behind these.
        folder.backs.removeAll { $0 == back }
        // Rows in doubt stay in the folder's memory, or the engine could forget that they have no line.
        holdings.removeAll { $0.key == back.key && back.kept.isEmpty }
        writeHoldings()
    }

    /// Takes the answer about rows that the process before has not given back.
    private mutating func gaveBackEarlier(
        _ reply: ClusterReply, _ back: ClusterOperation.GivenBack
    ) {
        switch reply {
        case .refused(let refusal): end(.refused(refusal))
        case .done, .notYours, .missed: folder.backs.removeAll { $0 == back }
        // Another process of the folder came between, or the engine has gone back: it shows at joining what there is, and
        // what the folder does not have of that goes back.
        case .unknownSession, .otherGeneration, .superseded, .joined, .reasserted, .orders, .survey,
            .cut, .taken,
            .takenGrant, .granted, .closed:
            folder.backs = []
        }
    }

    func holding(_ key: GrantKey) -> Int? { holdings.firstIndex { $0.key == key } }

    /// Has the folder remember what is held.
    func claims() -> [ClusterOperation.Reassertion.Claim] {
        holdings.filter { !$0.rows.isEmpty }.map {
            .init(key: $0.key, rows: $0.rows, isInDoubt: $0.isInDoubt)
        }
    }

    mutating func writeHoldings() {
        let held = claims()
        if folder.held != held { folder.held = held }
        let foreign = ClusterOperation.Reassertion.foreignRows(of: held, besides: folder.rows)
            .subtracting(folder.writtenOff)
        if !foreign.isEmpty { folder.writtenOff.formUnion(foreign) }
    }

    /// Remembers rows in doubt that the worker had by another name before another one was granted them, too.
    ///
    /// To be called before the grant is among the holdings.
    private mutating func keep(_ grant: ClusterGrant) {
        guard grant.isInDoubt, holding(grant.key) == nil else { return }
        let own = grant.rows.intersection(folder.rows)
        if !own.isEmpty { folder.grantedTwice.formUnion(own) }
    }

    /// Returns what the folder has of a closed grant, and has the rest go back.
    ///
    /// The folder has all rows that it was granted by an acknowledged answer and has not given back. So what the engine shows
    /// besides was never acknowledged, or the folder has given it back, and an engine that has gone back has forgotten so: then
    /// another worker may have sent it. Rows in doubt are not sent anyhow.
    private mutating func ownPart(of grant: ClusterGrant) -> ClusterGrant {
        let isInDoubt =
            grant.isInDoubt || holding(grant.key).map { holdings[$0].isInDoubt } == true
            || folder.held.contains { $0.key == grant.key && $0.isInDoubt }
        let unknown = grant.rows.subtracting(folder.rows)
        guard !isInDoubt, let first = unknown.first else { return grant }
        var own = grant
        own.rows.subtract(unknown)
        if !folder.backs.contains(where: { $0.key == grant.key }) {
            let tail = own.rows.end ?? first
            folder.backs.append(
                .init(
                    key: grant.key, tail: tail, scattered: unknown.intersection(0..<tail),
                    newKey: .drawn(generator.next()), kept: own.rows))
        }
        return own
    }

    // MARK: Sessions

    private mutating func joined(
        _ joined: ClusterReply.Joined, _ generation: ClusterGeneration?, now: Instant
    ) {
        let hasMoved = joined.hasMoved || folder.place.map { $0 != place } ?? false
        let isNew = folder.generation == nil
        var held = folder.held
        folder.session = joined.session
        folder.place = place
        if isNew { folder.generation = generation }
        opensNothingUntil = now.advanced(by: patience.others)
        beatNumber = max(beatNumber, joined.beat)
        beatDue = now
        phase = .working
        if hasMoved {
            // A process with the original may be alive: until it must have stopped, its share is its own.
            share = joined.share
            startsNothingUntil = now.advanced(by: patience.others)
            quietUntil = max(quietUntil, startsNothingUntil)
            for index in held.indices { held[index].isInDoubt = true }
        }
        for grant in joined.grants {
            var shown = grant
            if !hasMoved {
                if !held.contains(where: { $0.key == grant.key }) { keep(grant) }
                shown = ownPart(of: grant)
            } else if !grant.isInDoubt {
                folder.rows.formUnion(grant.rows)
            }
            if let index = holding(grant.key) {
                holdings[index].close(shown)
            } else {
                holdings.append(ClusterHolding(shown))
            }
            if hasMoved, let index = holding(grant.key) { holdings[index].isInDoubt = true }
        }
        // The engine may have forgotten that rows are in doubt, and so that the folder was moved.
        for claim in held where claim.isInDoubt {
            if let index = holding(claim.key) { holdings[index].isInDoubt = true }
        }
        for claim in held
        where !joined.grants.contains(where: {
            $0.key == claim.key && $0.rows.isSuperset(of: claim.rows)
        }) {
            // The folder knows more than the engine. All of it is said, or it would count as settled.
            mustReassert = true
            if let index = holding(claim.key) {
                holdings[index].rows.formUnion(claim.rows)
                holdings[index].needsConfirming = true
            } else {
                holdings.append(ClusterHolding(claim))
            }
        }
        for index in holdings.indices
        where !joined.grants.contains(where: { $0.key == holdings[index].key }) {
            if holdings[index].rows.isEmpty {
                holdings[index].isOpen = false
            } else {
                holdings[index].needsConfirming = true
                mustReassert = true
            }
        }
        holdings.removeAll { !$0.isOpen && $0.rows.isEmpty }
        // Only the folder knows what it has settled: an engine that has gone back unnoticed may grant that to others.
        if folder.generation != generation || !isNew { mustReassert = true }
        // A folder that was moved may have been copied before it was granted what the engine has forgotten.
        writeHoldings()
    }

    private mutating func reasserted(
        _ grants: [ClusterGrant], _ generation: ClusterGeneration?, now: Instant
    ) {
        mustReassert = false
        let before = rowsWithLanes
        if folder.generation != generation {
            folder.generation = generation
            // One that has not heard of it has lost patience by then, even with a slow clock.
            quietUntil = max(quietUntil, now.advanced(by: patience.others))
            watch.reset()
            job?.isOpen = false
        }
        holdings.removeAll { holding in !grants.contains { $0.key == holding.key } }
        for grant in grants {
            keep(grant)
            // Rows that go back are not the worker's any more, also if the engine shows them.
            let own = ownPart(of: grant)
            if isHandingBack { continue }
            if let index = holding(grant.key) {
                // Without those that another worker was granted, too.
                holdings[index].rows = own.rows
                holdings[index].close(own)
            } else {
                holdings.append(ClusterHolding(own))
            }
        }
        pendingTake = nil
        beatDue = min(beatDue, now)
        writeHoldings()
        // A job that is finished names no rows, and lanes that are let go would send these.
        if job?.state == .finished, let span = before.subtracting(rowsWithLanes).spans.first {
            drain(.stopped(.grantedTwice(span)), now: now)
        }
    }

    /// The rows to be sent that lanes have, and that are not known to have lines.
    private var rowsWithLanes: RowIntervals {
        holdings.reduce(into: RowIntervals()) { rows, holding in
            guard !holding.isInDoubt, holding.lined < holding.handed else { return }
            rows.formUnion(holding.rows.intersection(holding.lined..<holding.handed))
        }
    }

    private mutating func superseded(at other: ClusterPlace) {
        // At the same place there is one process at a time: it was a late request of an earlier one.
        guard other == place, phase == .working else { return end(.superseded) }
        nonce = generator.next()
        phase = .joining
    }

    mutating func end(_ ending: ClusterEnding) { phase = .ended(ending) }

    // MARK: Orders

    private mutating func follow(_ orders: ClusterOrders, to request: Outstanding, now: Instant) {
        heardAt = request.askedAt
        if let job, job.outcomeEpoch != orders.job.outcomeEpoch {
            // The job has gone on since the outcomes came together for which it was to stop.
            pendingDecisions.removeAll { $0 == .stop(.outcomes) }
        }
        job = orders.job
        // Another worker cuts now, or the engine has gone back.
        if cutsRead.first?.firstRow != job?.cutRows { cutsRead = [] }
        sums = orders.counts
        activeWorkers = orders.workers.count { $0.state == .active }
        freeRanges = orders.freeRanges
        holds = RouteHolds(orders.job.holds, now: now)
        // A raise by an engine that has gone back may be one of what others use.
        share = mustReassert || now < quietUntil ? min(share, orders.share) : orders.share
        if case .handingBack(let ending) = phase {
            // A beat of before, and one that asks for the orders, are no good-bye.
            if case .beat(let beat) = request.operation, beat.isLeaving, folder.backs.isEmpty {
                end(ending)
            }
            return
        }
        watch.look(orders.workers, now: now, patience)
        lookForOrphans(now: now)
        switch orders.job.state {
        // The engine may have forgotten rows that lanes have in their hands, which go on at the end.
        case .finished: if !mustReassert { return end(.finished) }
        case .stopping, .stopped: drain(.stopped(orders.job.verdict), now: now)
        case .proving, .running: break
        }
        // It has not heard that the job was stopped, and has gone on with another policy.
        if terms.policy != orders.job.terms.policy ?? terms.policy {
            drain(.refused(.otherPolicy), now: now)
        }
        if !mustReassert { compare(orders) }
    }

    /// Looks at once for the rows of a worker that was not lost before.
    private mutating func lookForOrphans(now: Instant) {
        let lost = watch.lost(now: now, patience).map(\.worker)
        if !lost.allSatisfy(lostWorkers.contains) {
            mayHaveOrphans = true
            surveyDue = min(surveyDue, now)
        }
        lostWorkers = lost
    }

    /// Compares what the engine shows with what the worker holds.
    private mutating func compare(_ orders: ClusterOrders) {
        for index in holdings.indices.reversed() {
            let held = holdings[index]
            if let range = orders.ranges.first(where: { $0.grantKey == held.key }) {
                if range.granted < held.granted || !range.grantedRows.isSuperset(of: held.rows) {
                    // Other workers may have some of its rows: it hands out no more before that is clear.
                    holdings[index].needsConfirming = true
                    mustReassert = true
                }
                // Another worker may have taken the upper part, or rows in between.
                holdings[index].end = range.end
                holdings[index].only = range.only
            } else if let grant = orders.grants.first(where: { $0.key == held.key }) {
                if held.isOpen { holdings[index].needsConfirming = true }
                if !grant.rows.isSuperset(of: held.rows) { mustReassert = true }
            } else if !held.isComplete {
                // One that is complete may be settled: its answer was lost, and it is settled again.
                lose(index)
            }
        }
        // The grants that it was given without hearing of them.
        for range in orders.ranges where holding(range.grantKey) == nil {
            var found = ClusterHolding(range)
            found.needsConfirming = range.granted > range.claimed
            // Rows that it has settled, and the engine has forgotten so: they are not to go back as the others do.
            found.rows = range.grantedRows.intersection(folder.rows)
            found.granted = found.rows.end ?? range.claimed
            holdings.append(found)
        }
        for grant in orders.grants where holding(grant.key) == nil {
            var found = ClusterHolding(grant)
            found.needsConfirming = true
            found.rows = RowIntervals()
            holdings.append(found)
        }
        writeHoldings()
    }
}

extension ClusterHolding {
    /// A grant that the folder remembers, and the engine has not shown.
    init(_ claim: ClusterOperation.Reassertion.Claim) {
        key = claim.key
        rows = claim.rows
        granted = claim.rows.end ?? 0
        end = granted
        isOpen = false
        needsConfirming = true
        isInDoubt = claim.isInDoubt
        handed = claim.rows.first ?? 0
        lined = handed
    }
}
