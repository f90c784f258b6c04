import FanfareBase

/// The operations that give rows to workers. Safety hangs on these, and on nothing else.
extension ClusterModel {
    /// Adds a range of the input behind the last one: the rows of some cuts.
    package mutating func cut(_ request: ClusterRequest, _ cuts: [ClusterCut]) -> ClusterReply {
        if let objection = objectionToRows(request) { return objection }
        guard let job = state.job, let first = cuts.first, let last = cuts.last else {
            return .missed
        }
        guard first.firstRow == job.cutRows, !job.isAllCut else {
            // Cuts are a function of the bytes, so two workers that cut make the same ones.
            let other = cuts.first {
                (job.isAllCut ? $0.firstRow <= job.cutRows : $0.firstRow < job.cutRows)
                    && !state.cuts.contains($0)
            }
            if let other { stop(.inputsDiffer(atRow: other.firstRow)) }
            return .cut(next: job.cutRows, isAll: job.isAllCut)
        }
        state.cuts += cuts
        if first.firstRow < last.endRow {
            state.ranges.append(
                ClusterRange(
                    key: .cut(at: first.firstRow), rows: first.firstRow..<last.endRow, owner: nil,
                    session: 0, epoch: 0, only: nil))
            // An engine that has gone back may know grants of rows whose cut it has forgotten.
            for grant in state.grants { withhold(grant.rows, inRange: state.ranges.count - 1) }
        }
        state.job?.cutRows = last.endRow
        state.job?.isAllCut = last.isLast
        durability = .promised
        finishIfAllIsDone()
        return .cut(next: last.endRow, isAll: last.isLast)
    }

    /// Gives a worker rows that were granted to no other one.
    package mutating func take(
        _ request: ClusterRequest, _ take: ClusterOperation.Take
    ) -> ClusterReply {
        if let objection = objectionToRows(request) { return objection }
        guard gives(to: request.worker) else { return .missed }
        switch take {
        case .rest(let key, let seen, let epoch): return takeRest(request, key, seen, epoch)
        case .upperPart(let key, let row, let newKey):
            return takeUpperPart(request, key, row, newKey)
        case .orphan(let key, let seen): return takeOrphan(request, key, seen)
        }
    }

    private mutating func takeRest(
        _ request: ClusterRequest, _ key: GrantKey, _ seen: UInt64?, _ epoch: UInt64
    ) -> ClusterReply {
        // The same request again: its answer was lost.
        if let index = ownRange(request, GrantKey(range: key.range, epoch: epoch)) {
            return .taken(state.ranges[index])
        }
        guard let index = openRange(key) else { return .missed }
        if let owner = state.ranges[index].owner, !isGone(owner, seen: seen) { return .missed }
        release(index)
        state.ranges[index].owner = request.worker
        state.ranges[index].session = request.session
        state.ranges[index].epoch = epoch
        durability = .promised
        finishIfAllIsDone()
        return .taken(state.ranges[index])
    }

    private mutating func takeUpperPart(
        _ request: ClusterRequest, _ key: GrantKey, _ row: UInt64, _ newKey: RangeKey
    ) -> ClusterReply {
        if let made = state.ranges.first(where: { $0.key == newKey }) {
            return made.owner == request.worker ? .taken(made) : .missed
        }
        guard let index = openRange(key) else { return .missed }
        let range = state.ranges[index]
        guard let owner = range.owner, owner != request.worker, range.granted < row,
            row < range.end
        else { return .missed }
        state.ranges[index].end = row
        state.ranges.append(
            ClusterRange(
                key: newKey, rows: row..<range.end, owner: request.worker,
                session: request.session, epoch: newKey.bits,
                only: range.only?.intersection(row..<range.end))
        )
        durability = .promised
        return .taken(state.ranges[state.ranges.count - 1])
    }

    private mutating func takeOrphan(
        _ request: ClusterRequest, _ key: GrantKey, _ seen: ClusterOperation.Seen
    ) -> ClusterReply {
        guard let index = state.grants.firstIndex(where: { $0.key == key }) else { return .missed }
        let grant = state.grants[index]
        guard !grant.isSettled, grant.worker == seen.worker,
            isGone(grant.worker, seen: seen.beat)
        else { return .missed }
        // Rows below have their lines on the disk of the worker that is gone.
        noteLined(of: grant)
        state.grants[index].rows.remove(0..<grant.lined)
        state.grants[index].isSettled = state.grants[index].rows.isEmpty
        state.grants[index].worker = request.worker
        state.grants[index].session = request.session
        state.grants[index].isInDoubt = true
        durability = .promised
        finishIfAllIsDone()
        return .takenGrant(state.grants[index])
    }

    /// Grants rows: the only answer that lets a worker send any.
    package mutating func grant(
        _ request: ClusterRequest, _ key: GrantKey, upTo row: UInt64
    ) -> ClusterReply {
        if let objection = objectionToRows(request) { return objection }
        // Also if nothing changes it is a write: its acknowledgment says that all before is on the disk.
        if let index = ownRange(request, key) {
            guard gives(to: request.worker) else { return .missed }
            let range = state.ranges[index]
            state.ranges[index].granted = max(range.granted, min(row, range.end))
            state.ranges[index].ordinal = state.job?.generation.ordinal ?? 0
            noteLines(below: request.lined, ofRange: index)
            durability = .promised
            return .granted(state.ranges[index])
        }
        guard let index = ownGrant(request, key) else { return .notYours }
        durability = .promised
        return .closed(state.grants[index])
    }

    /// All rows of a grant have their lines on the disk.
    package mutating func settle(_ request: ClusterRequest, _ key: GrantKey) -> ClusterReply {
        if let objection = objectionToRows(request) { return objection }
        defer { finishIfAllIsDone() }
        if let index = state.ranges.firstIndex(where: { $0.grantKey == key }),
            state.ranges[index].owner == request.worker,
            state.ranges[index].session == request.session
        {
            let range = state.ranges[index]
            guard range.granted == range.end else { return .missed }
            state.ranges[index].isDone = true
            durability = .promised
            return .done
        }
        guard let index = state.grants.firstIndex(where: { $0.key == key }),
            state.grants[index].worker == request.worker
        else { return .notYours }
        state.grants[index].isSettled = true
        durability = .promised
        return .done
    }

    /// Takes rows back that were not sent.
    package mutating func giveBack(
        _ request: ClusterRequest, _ back: ClusterOperation.GivenBack
    ) -> ClusterReply {
        if let objection = objectionToRows(request) { return objection }
        if let index = ownRange(request, back.key) {
            let range = state.ranges[index]
            let tail = min(max(back.tail, range.claimed), range.granted)
            let unsent = back.scattered.intersection(range.grantedRows).intersection(0..<tail)
            state.ranges[index].granted = tail
            release(index, settlingAllBut: unsent)
            offer(unsent, as: back.newKey)
        } else if let index = ownGrant(request, back.key), !state.grants[index].isInDoubt {
            var unsent = state.grants[index].rows.intersection(back.tail..<UInt64.max)
            unsent.formUnion(back.scattered.intersection(state.grants[index].rows))
            state.grants[index].rows.subtract(unsent)
            state.grants[index].isSettled = true
            offer(unsent, as: back.newKey)
        } else {
            return .notYours
        }
        keep(back)
        durability = .promised
        finishIfAllIsDone()
        return .done
    }

    /// Lists what there is to take.
    package func survey(_ request: ClusterRequest) -> ClusterReply {
        if let objection = objectionToRows(request) { return objection }
        return .survey(
            ranges: Array(
                state.ranges.lazy.filter { !$0.isDone }.prefix(Limits.clusterSurveyMax)),
            grants: Array(
                state.grants.lazy.filter { !$0.isSettled }.prefix(Limits.clusterSurveyMax)))
    }

    // MARK: Records

    private func openRange(_ key: GrantKey) -> Int? {
        state.ranges.firstIndex { $0.key == key.range && $0.epoch == key.epoch && !$0.isDone }
    }

    private func ownRange(_ request: ClusterRequest, _ key: GrantKey) -> Int? {
        openRange(key).flatMap {
            state.ranges[$0].owner == request.worker && state.ranges[$0].session == request.session
                ? $0 : nil
        }
    }

    private func ownGrant(_ request: ClusterRequest, _ key: GrantKey) -> Int? {
        state.grants.firstIndex {
            $0.key == key && $0.worker == request.worker && $0.session == request.session
                && !$0.isSettled
        }
    }

    /// True if a worker has left, or has not beaten since another one has seen it.
    private func isGone(_ id: WorkerID, seen: UInt64?) -> Bool {
        guard let index = workerIndex(id) else { return true }
        return state.workers[index].state == .left || state.workers[index].beat == seen
    }

    /// Ends the ownership of a range: what was granted stays with the owner, and the epoch moves on.
    /// - Parameters:
    ///   - range: The range.
    ///   - unsent: Rows that were granted and not sent; `nil` if the grant is not settled.
    /// - Returns: The grant that the owner keeps; `nil` if there is none.
    func releasedGrant(_ range: ClusterRange, settlingAllBut unsent: RowIntervals?) -> ClusterGrant?
    {
        guard let owner = range.owner else { return nil }
        var rows = range.grantedRows
        if let unsent { rows.subtract(unsent) }
        guard !rows.isEmpty else { return nil }
        return ClusterGrant(
            key: range.grantKey, rows: rows, worker: owner, session: range.session,
            lined: range.lined, isInDoubt: false, isSettled: unsent != nil, ordinal: range.ordinal)
    }

    mutating func release(_ index: Int, settlingAllBut unsent: RowIntervals? = nil) {
        if let grant = releasedGrant(state.ranges[index], settlingAllBut: unsent) {
            state.grants.append(grant)
        }
        state.ranges[index].owner = nil
        state.ranges[index].epoch &+= 1
        state.ranges[index].claimed = state.ranges[index].granted
        state.ranges[index].lined = state.ranges[index].granted
        state.ranges[index].isDone = state.ranges[index].restRows.isEmpty
    }

    /// Takes rows without a line out of a grant that was settled when its others were given back.
    ///
    /// They keep its name, by which the worker's folder knows them.
    private mutating func keep(_ back: ClusterOperation.GivenBack) {
        guard let index = state.grants.firstIndex(where: { $0.key == back.key }) else { return }
        let grant = state.grants[index]
        let kept = grant.rows.intersection(back.kept)
        guard let first = kept.first else { return }
        let lined = grant.rows.subtracting(kept)
        state.grants[index].rows = kept
        state.grants[index].lined = first
        state.grants[index].isSettled = false
        guard !lined.isEmpty else { return }
        state.grants.append(
            ClusterGrant(
                key: GrantKey(range: back.newKey, epoch: grant.key.epoch), rows: lined,
                worker: grant.worker, session: grant.session, lined: grant.lined,
                isInDoubt: false, isSettled: true, ordinal: grant.ordinal))
    }

    /// Keeps a record of the rows of a grant that its worker has told to have lines, before another one gets the grant.
    ///
    /// Without it no record would say whose report has these lines, and rows that were sent would look like rows that no worker
    /// ever had. The record has the range of the grant, and an epoch of its own.
    private mutating func noteLined(of grant: ClusterGrant) {
        let lined = grant.rows.intersection(0..<grant.lined)
        guard !lined.isEmpty else { return }
        var key = grant.key
        // Any other epoch would do; a step that is odd comes to all of them.
        let step: UInt64 = 0x9E37_79B9_7F4A_7C15
        repeat {
            key = GrantKey(range: key.range, epoch: key.epoch &+ step)
        } while state.grants.contains { $0.key == key }
            || state.ranges.contains { $0.grantKey == key }
        state.grants.append(
            ClusterGrant(
                key: key, rows: lined, worker: grant.worker, session: grant.session,
                lined: grant.lined, isInDoubt: grant.isInDoubt, isSettled: true,
                ordinal: grant.ordinal))
    }

    /// Makes a range without an owner of rows that are scattered over another one.
    ///
    /// An engine that has gone back may know grants of rows whose cut it has forgotten. These come with their cut.
    private mutating func offer(_ rows: RowIntervals, as key: RangeKey) {
        let rows = rows.intersection(0..<(state.job?.cutRows ?? 0))
        guard let first = rows.first, let end = rows.end else { return }
        state.ranges.append(
            ClusterRange(
                key: key, rows: first..<end, owner: nil, session: 0, epoch: 0, only: rows))
    }

    /// Takes rows out of what a range has.
    func withheld(_ rows: RowIntervals, from range: ClusterRange) -> ClusterRange {
        let common = rows.intersection(range.claimed..<range.end)
        guard !common.isEmpty else { return range }
        var rest = range
        var only = range.only ?? RowIntervals(range.first..<range.end)
        only.subtract(common)
        rest.only = only
        if rest.restRows.isEmpty && rest.owner == nil { rest.isDone = true }
        return rest
    }

    mutating func withhold(_ rows: RowIntervals, inRange index: Int) {
        state.ranges[index] = withheld(rows, from: state.ranges[index])
    }
}
