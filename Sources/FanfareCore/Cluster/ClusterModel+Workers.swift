import FanfareBase

/// Workers that come, live and leave: joining, saying anew what one holds, beats.
extension ClusterModel {
    /// A process comes: it gets a session, and the unsettled grants of its folder.
    package mutating func join(
        _ request: ClusterRequest, _ join: ClusterOperation.Join
    ) -> ClusterReply {
        if state.job == nil {
            guard let terms = join.terms else { return .refused(.jobIsUnknown) }
            state.job = ClusterJob(
                terms: terms, prover: request.worker, cutter: request.worker,
                generation: ClusterGeneration(ordinal: 0, timeline: timeline, nonce: 0))
        }
        guard let job = state.job else { return .refused(.jobIsUnknown) }
        guard join.fingerprint == job.terms.fingerprint else { return .refused(.otherJob) }
        guard join.policy == job.terms.policy ?? join.policy else { return .refused(.otherPolicy) }
        guard join.protocols.contains(job.terms.protocolVersion) else {
            return .refused(.otherProtocol(job.terms.protocolVersion))
        }
        durability = .promised
        // Sessions are promised, so an engine that does not know one has gone back.
        let known = workerIndex(request.worker).map { state.workers[$0].session } ?? 0
        if request.session > known && request.generation == job.generation {
            beginGeneration(after: job.generation.ordinal, nonce: join.nonce)
        }
        guard let index = workerIndex(request.worker) else {
            guard state.workers.count < Limits.clusterWorkersMax else {
                return .refused(.tooManyWorkers)
            }
            state.workers.append(
                ClusterWorker(
                    id: request.worker, session: request.session + 1, place: join.place,
                    nonce: join.nonce))
            state.job?.terms.policy = join.policy
            return joined(state.workers.count - 1, hasMoved: false)
        }
        // The same process again: its first request was answered, and it has not heard so.
        if state.workers[index].nonce == join.nonce { return joined(index, hasMoved: false) }
        state.job?.terms.policy = join.policy
        let hasMoved = state.workers[index].place != join.place
        state.workers[index].session = max(state.workers[index].session, request.session) + 1
        state.workers[index].place = join.place
        state.workers[index].nonce = join.nonce
        state.workers[index].state = .active
        closeAll(of: index, inDoubt: hasMoved)
        finishIfAllIsDone()
        return joined(index, hasMoved: hasMoved)
    }

    private func joined(_ index: Int, hasMoved: Bool) -> ClusterReply {
        let worker = state.workers[index]
        return .joined(
            .init(
                session: worker.session, state: state.job?.state ?? .stopped,
                protocolVersion: state.job?.terms.protocolVersion ?? 0, beat: worker.beat,
                share: worker.share,
                hasMoved: hasMoved, grants: unsettled(of: worker.id)))
    }

    private func unsettled(of worker: WorkerID) -> [ClusterGrant] {
        state.grants.filter { $0.worker == worker && !$0.isSettled }
    }

    /// Closes all grants of a worker, under its present session.
    private mutating func closeAll(of index: Int, inDoubt: Bool) {
        let worker = state.workers[index]
        for range in state.ranges.indices
        where state.ranges[range].owner == worker.id && !state.ranges[range].isDone {
            release(range)
        }
        for grant in state.grants.indices
        where state.grants[grant].worker == worker.id && !state.grants[grant].isSettled {
            state.grants[grant].session = worker.session
            if inDoubt { state.grants[grant].isInDoubt = true }
        }
    }

    /// A worker says anew what it holds.
    package mutating func reassert(
        _ request: ClusterRequest, _ reassertion: ClusterOperation.Reassertion
    ) -> ClusterReply {
        guard let job = state.job else { return .refused(.jobIsUnknown) }
        // It may bring a worker that the records do not have, and so ones of another job.
        guard reassertion.fingerprint == job.terms.fingerprint else { return .refused(.otherJob) }
        let index: Int
        if let found = workerIndex(request.worker) {
            if state.workers[found].session > request.session {
                return .superseded(state.workers[found].place)
            }
            // A late copy: the process has gone on since, and may have given back what it held then.
            if state.workers[found].session == request.session
                && reassertion.beat < state.workers[found].beat
            {
                return .reasserted(unsettled(of: request.worker))
            }
            index = found
        } else {
            index = state.workers.count
            state.workers.append(
                ClusterWorker(
                    id: request.worker, session: request.session, place: reassertion.place,
                    nonce: reassertion.joinNonce))
        }
        durability = .promised
        state.workers[index].session = request.session
        state.workers[index].place = reassertion.place
        state.workers[index].nonce = reassertion.joinNonce
        state.workers[index].state = .active
        state.workers[index].beat = max(state.workers[index].beat, reassertion.beat)
        state.workers[index].share = max(state.workers[index].share, reassertion.using)
        let known = request.generation ?? job.generation
        if job.generation == known
            && reassertion.held.contains(where: { !isKnown($0, of: request.worker) })
        {
            beginGeneration(after: known.ordinal, nonce: reassertion.nonce)
        }
        closeAll(of: index, inDoubt: false)
        let twice = reassertion.rows.intersection(
            rowsGranted(toOthersThan: request.worker, since: known.ordinal))
        if let span = twice.spans.first { stop(.grantedTwice(span)) }
        let foreign = reassertion.foreignRows
        let others = foreign.intersection(rowsGranted(toOthersThan: request.worker, since: .min))
        for claim in reassertion.held {
            restore(claim, of: index, without: claim.isInDoubt ? others : twice)
        }
        putInDoubt(twice, of: reassertion, of: index)
        restoreSettled(reassertion, of: index, twice: twice)
        withholdFromOthers(reassertion.rows, than: request.worker)
        restoreWrittenOff(foreign, of: index, nonce: reassertion.nonce)
        withholdRests(foreign)
        finishIfAllIsDone()
        return .reasserted(unsettled(of: request.worker))
    }

    /// True if the engine has all that a worker remembers of a grant.
    private func isKnown(
        _ claim: ClusterOperation.Reassertion.Claim, of worker: WorkerID
    ) -> Bool {
        let rows = claim.rows.subtracting(rowsInDoubt(besides: claim.key))
        guard !rows.isEmpty else { return true }
        if let grant = state.grants.first(where: { $0.key == claim.key }) {
            // Rows below got their lines from a worker that had it before.
            return grant.worker != worker || grant.isSettled
                || grant.rows.isSuperset(of: rows.subtracting(RowIntervals(0..<grant.lined)))
        }
        guard let range = state.ranges.first(where: { $0.key == claim.key.range }) else {
            return false
        }
        return range.epoch == claim.key.epoch && range.owner == worker
            && range.grantedRows.isSuperset(of: rows)
    }

    /// The rows in doubt by other names than that of a grant: a worker that had them by that one does not send them any more.
    private func rowsInDoubt(besides key: GrantKey) -> RowIntervals {
        state.grants.reduce(into: RowIntervals()) { rows, grant in
            if grant.isInDoubt && grant.key != key { rows.formUnion(grant.rows) }
        }
    }

    /// Takes a claim over, but for rows that others were granted, too.
    ///
    /// Of rows in doubt these are the ones that were never the worker's to send: the worker that was granted them has their lines.
    private mutating func restore(
        _ claim: ClusterOperation.Reassertion.Claim, of index: Int, without others: RowIntervals
    ) {
        let worker = state.workers[index]
        var rows = claim.rows.subtracting(rowsInDoubt(besides: claim.key)).subtracting(others)
        // An engine that had forgotten them has given the worker some of them once more.
        for grant in state.grants where grant.worker == worker.id && grant.key != claim.key {
            rows.subtract(grant.rows)
        }
        if state.ranges.contains(where: { $0.grantKey == claim.key && $0.owner == worker.id }) {
            // It is done, and the worker has not heard so.
            return
        }
        guard let grant = state.grants.firstIndex(where: { $0.key == claim.key }) else {
            guard let first = rows.first else { return }
            state.grants.append(
                ClusterGrant(
                    key: claim.key, rows: rows, worker: worker.id, session: worker.session,
                    lined: first, isInDoubt: claim.isInDoubt, isSettled: false,
                    ordinal: state.job?.generation.ordinal ?? 0))
            return
        }
        // Settled, or another worker's by now: its lines were written already.
        guard state.grants[grant].worker == worker.id, !state.grants[grant].isSettled else {
            return
        }
        // It has forgotten that they are, and its worker has not.
        if claim.isInDoubt { state.grants[grant].isInDoubt = true }
        let lined = state.grants[grant].lined
        rows.subtract(RowIntervals(0..<lined))
        rows.subtract(state.grants[grant].rows)
        guard !rows.isEmpty else { return }
        state.grants[grant].rows.formUnion(rows)
        // As in a new record: another worker that has said nothing in this generation, and has some of them, has them twice.
        state.grants[grant].ordinal = state.job?.generation.ordinal ?? 0
    }

    /// Puts rows in doubt that a worker has not settled and others were granted, too: none of them knows which rows another
    /// one has sent, so none sends them any more, and the worker writes lines that say so.
    private mutating func putInDoubt(
        _ twice: RowIntervals, of reassertion: ClusterOperation.Reassertion, of index: Int
    ) {
        var rows = RowIntervals()
        for claim in reassertion.held where !claim.isInDoubt {
            rows.formUnion(claim.rows.intersection(twice))
        }
        for grant in state.grants where grant.isInDoubt { rows.subtract(grant.rows) }
        append(
            rows, of: index, key: unusedKey(reassertion.nonce), isInDoubt: true, isSettled: false)
    }

    /// Restores what the worker has settled, as far as none of its grants has it.
    ///
    /// Rows that others were granted, too, stay in doubt for all time: another worker that still holds one would say so again
    /// and again, each time in a new generation, and take it from this one, as this one from it.
    private mutating func restoreSettled(
        _ reassertion: ClusterOperation.Reassertion, of index: Int, twice: RowIntervals
    ) {
        let worker = state.workers[index]
        var rows = reassertion.rows
        for grant in state.grants where grant.worker == worker.id || grant.isInDoubt {
            // Rows that another worker has written off have their lines.
            rows.subtract(grant.rows)
        }
        for range in state.ranges where range.owner == worker.id {
            rows.subtract(range.grantedRows)
        }
        append(
            rows.subtracting(twice), of: index,
            key: GrantKey(range: .drawn(reassertion.nonce), epoch: 0), isInDoubt: false,
            isSettled: true)
        append(
            rows.intersection(twice), of: index, key: unusedKey(reassertion.nonce),
            isInDoubt: true, isSettled: true)
    }

    /// Restores what the worker has written off, as far as no worker has it.
    private mutating func restoreWrittenOff(
        _ foreign: RowIntervals, of index: Int, nonce: UInt64
    ) {
        var rows = foreign
        for grant in state.grants { rows.subtract(grant.rows) }
        for range in state.ranges where range.owner != nil { rows.subtract(range.grantedRows) }
        append(rows, of: index, key: unusedKey(nonce), isInDoubt: true, isSettled: true)
    }

    /// Returns a name that no grant has yet, out of random bits.
    private func unusedKey(_ nonce: UInt64) -> GrantKey {
        var key = GrantKey(range: .drawn(nonce), epoch: 1)
        while state.grants.contains(where: { $0.key == key }) {
            key = GrantKey(range: key.range, epoch: key.epoch + 1)
        }
        return key
    }

    private mutating func append(
        _ rows: RowIntervals, of index: Int, key: GrantKey, isInDoubt: Bool, isSettled: Bool
    ) {
        guard let first = rows.first else { return }
        let worker = state.workers[index]
        state.grants.append(
            ClusterGrant(
                key: key, rows: rows, worker: worker.id, session: worker.session, lined: first,
                isInDoubt: isInDoubt, isSettled: isSettled,
                ordinal: state.job?.generation.ordinal ?? 0))
    }

    /// The rows that other workers were granted in later generations, and may have sent, or have settled.
    ///
    /// What they were granted before, and a worker of this generation has, they had given back before it got it, and the
    /// engine has forgotten so. But what they have settled they never gave back: those rows count whenever they were granted.
    private func rowsGranted(
        toOthersThan worker: WorkerID, since ordinal: Int
    ) -> RowIntervals {
        var rows = RowIntervals()
        for range in state.ranges
        where range.owner != nil && range.owner != worker
            && (range.isDone || range.ordinal > ordinal)
        {
            rows.formUnion(range.grantedRows)
        }
        for grant in state.grants
        where grant.worker != worker && !grant.isInDoubt
            && (grant.isSettled || grant.ordinal > ordinal)
        {
            rows.formUnion(grant.rows)
        }
        return rows
    }

    /// Takes rows that a worker has out of all that others have.
    private mutating func withholdFromOthers(_ rows: RowIntervals, than worker: WorkerID) {
        for index in state.ranges.indices where state.ranges[index].owner != worker {
            let range = state.ranges[index]
            if range.isDone && range.owner == nil { continue }
            withhold(rows, inRange: index)
        }
        for index in state.grants.indices where state.grants[index].worker != worker {
            // A line that says "in doubt" gives way to the one of the worker that came back.
            if !state.grants[index].isInDoubt { state.grants[index].rows.subtract(rows) }
            if state.grants[index].rows.isEmpty { state.grants[index].isSettled = true }
        }
    }

    /// Takes rows that were another worker's before, and that a worker has in doubt, out of what no worker was granted.
    private mutating func withholdRests(_ rows: RowIntervals) {
        for index in state.ranges.indices where !state.ranges[index].isDone {
            let range = state.ranges[index]
            withhold(rows.intersection(range.granted..<range.end), inRange: index)
        }
    }

    /// A worker lives, and gets its orders.
    package mutating func beat(
        _ request: ClusterRequest, _ beat: ClusterOperation.Beat
    ) -> ClusterReply {
        if let objection = objection(to: request) { return objection }
        guard let index = workerIndex(request.worker), let job = state.job else {
            return .unknownSession
        }
        // An older beat that comes late changes nothing.
        if beat.number > state.workers[index].beat {
            follow(beat, of: index, knowing: request.generation)
        }
        let worker = state.workers[index]
        return .orders(
            ClusterOrders(
                job: state.job ?? job,
                share: share(of: index).map { min($0, worker.share) } ?? .max,
                workers: state.workers.map { .init(id: $0.id, beat: $0.beat, state: $0.state) },
                ranges: state.ranges.filter { $0.owner == worker.id && !$0.isDone },
                grants: unsettled(of: worker.id),
                freeRanges: state.ranges.count { $0.owner == nil && !$0.isDone },
                counts: counts(besides: beat.counter)))
    }

    /// The lines of all workers, and the outcomes of all processes but for one: it knows its own better.
    private func counts(besides process: UInt64) -> ClusterCounts {
        var sums = ClusterCounts()
        for worker in state.workers {
            sums.lines += worker.counts.lines
            sums.addOutcomes(worker.earlierOutcomes)
            if worker.counter != process { sums.addOutcomes(worker.counts.outcomes) }
        }
        return sums
    }

    /// Takes note of the time that providers ask for: the longest one counts.
    private mutating func hold(_ asked: [ProviderHold]) {
        guard var holds = state.job?.holds else { return }
        for (route, hold) in asked.prefix(Limits.clusterHoldsMax).enumerated() {
            guard hold.outlasts(route < holds.count ? holds[route] : .none) else { continue }
            while holds.count <= route { holds.append(.none) }
            holds[route] = hold
        }
        state.job?.holds = holds
    }

    /// Takes the figures of a beat.
    private mutating func take(_ beat: ClusterOperation.Beat, of index: Int) {
        if state.workers[index].counter != beat.counter {
            // Another process of the folder: what the one before has told stays counted.
            var earlier = ClusterCounts(outcomes: state.workers[index].earlierOutcomes)
            earlier.addOutcomes(state.workers[index].counts.outcomes)
            state.workers[index].earlierOutcomes = earlier.outcomes
            state.workers[index].counts.outcomes = []
            state.workers[index].counter = beat.counter
        }
        state.workers[index].counts.lines = beat.counts.lines
        // Those of before the job went on are not counted any more.
        guard beat.outcomeEpoch == state.job?.outcomeEpoch else { return }
        state.workers[index].counts.outcomes = beat.counts.outcomes
    }

    private mutating func follow(
        _ beat: ClusterOperation.Beat, of index: Int, knowing generation: ClusterGeneration?
    ) {
        if durability == .none { durability = .soon }
        let id = state.workers[index].id
        state.workers[index].beat = beat.number
        state.workers[index].state = .active
        state.workers[index].wants = beat.wants
        state.workers[index].figures = beat.figures
        take(beat, of: index)
        hold(beat.holds)
        for progress in beat.lined { note(progress, of: id) }
        for seen in beat.lost where seen.worker != id {
            guard let other = workerIndex(seen.worker), state.workers[other].beat == seen.beat,
                state.workers[other].state == .active || state.workers[other].state == .givenUp
            else { continue }
            if state.workers[other].state == .active { state.workers[other].state = .lost }
            // The worker has not used it any more since it lost patience, which it did before.
            state.workers[other].share = 0
        }
        if let opens = beat.opens, opens == state.job?.generation, state.job?.isOpen == false {
            state.job?.isOpen = true
            durability = .promised
        }
        if beat.isLeaving { return leave(index, isRefused: beat.isRefused) }
        // The part that it does not use any more is free from here on, and not when it was told to use less.
        state.workers[index].share = min(state.workers[index].share, beat.using)
        // An engine that has gone back does not know yet what others use.
        if state.job?.isOpen == true && state.job?.generation == generation { raiseShare(index) }
    }

    private mutating func note(_ progress: ClusterOperation.Beat.Progress, of worker: WorkerID) {
        if let index = state.ranges.firstIndex(where: {
            $0.grantKey == progress.key && $0.owner == worker
        }) {
            noteLines(below: progress.lined, ofRange: index)
        } else if let index = state.grants.firstIndex(where: {
            $0.key == progress.key && $0.worker == worker
        }) {
            state.grants[index].lined = max(state.grants[index].lined, progress.lined)
        }
    }

    /// Notes the row below which all that the owner of a range was granted have lines.
    mutating func noteLines(below row: UInt64, ofRange index: Int) {
        let range = state.ranges[index]
        state.ranges[index].lined = min(max(range.lined, row), range.granted)
    }

    private mutating func leave(_ index: Int, isRefused: Bool) {
        let id = state.workers[index].id
        durability = .promised
        state.workers[index].state = .left
        state.workers[index].share = 0
        if state.job?.prover == id { state.job?.prover = nil }
        if state.job?.cutter == id { state.job?.cutter = nil }
        // The key of one worker says nothing about those of others, but none is left whose key is taken.
        if isRefused
            && state.workers.allSatisfy({ $0.state == .left || $0.state == .givenUp })
        {
            stop(.outcomes)
        }
        if state.job?.state == .stopping && !state.workers.contains(where: { $0.state == .active })
        {
            state.job?.state = .stopped
        }
    }

    // MARK: Pace

    /// Raises the share of a worker to its part, as far as the rate has room.
    private mutating func raiseShare(_ index: Int) {
        guard let rate = state.job?.terms.rate, let part = share(of: index) else { return }
        let present = state.workers[index].share
        guard part > present else { return }
        let used = state.workers.reduce(0) { $0 + $1.share }
        let raised = min(part, present + max(0, rate - used))
        guard raised > present else { return }
        state.workers[index].share = raised
        durability = .promised
    }

    /// The part of the rate that a worker should come to; `nil` without a pace.
    private func share(of index: Int) -> Int64? {
        guard let rate = state.job?.terms.rate else { return nil }
        var others: [Int64] = []
        for (other, worker) in state.workers.enumerated()
        where other != index && worker.state == .active { others.append(worker.wants) }
        return ShareRule.part(wanted: state.workers[index].wants, others: others, of: rate)
    }
}
