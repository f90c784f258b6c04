/// A folder's memory of the cluster, written before any row of a new grant goes.
package struct ClusterFolder: Equatable, Sendable {
    package let worker: WorkerID
    /// The identity of the job that it is a part of; `nil` if none was noted.
    package var job: UInt64?
    /// The last session of the folder; 0 if no process has joined with it.
    package var session = 0
    package var place: ClusterPlace?
    package var generation: ClusterGeneration?
    /// The grants that are not settled.
    package var held: [ClusterOperation.Reassertion.Claim] = []
    /// All rows that were granted to the folder, but for those that it gave back.
    ///
    /// An engine that goes back may forget any of them, settled ones too, and then only the folder can say that they
    /// must not be granted again.
    package var rows = RowIntervals()
    /// Those of them that another worker was granted, too: its lines about them count more.
    package var grantedTwice = RowIntervals()
    /// The rows that it has had in doubt, and that were never its own to send: those of lost workers.
    ///
    /// They may have been sent, and an engine that goes back may forget who had them and who has written them off.
    package var writtenOff = RowIntervals()
    /// The rows that go back, as far as the engine has not said that it has them.
    ///
    /// It may have been away when the worker left. Then the next process of the folder gives them back, before it joins.
    package var backs: [ClusterOperation.GivenBack] = []

    package init(worker: WorkerID) { self.worker = worker }

    /// True if a row, counted from 0, was the worker's to send, and no other one's.
    package func isOwn(_ row: UInt64) -> Bool {
        rows.contains(row) && !grantedTwice.contains(row)
    }

    /// The rows of the grants that are not settled.
    package var heldRows: RowIntervals {
        held.reduce(into: RowIntervals()) { $0.formUnion($1.rows) }
    }
}

/// A grant in the hands of a worker.
struct ClusterHolding: Equatable, Sendable {
    let key: GrantKey
    /// The rows that the worker has, acknowledged.
    var rows: RowIntervals
    /// The row below which the range is granted, as far as that is acknowledged.
    var granted: UInt64
    /// The end of the range.
    var end: UInt64
    /// The rows that the range has, if the engine has taken some out of it; `nil` for all of the interval.
    var only: RowIntervals?
    /// True if more of the range can be granted under this key.
    var isOpen: Bool
    /// True if the engine has shown the grant, and has not yet acknowledged it.
    var needsConfirming = false
    var isInDoubt: Bool
    /// Rows below are in the hands of lanes, or have lines.
    var handed: UInt64
    /// Rows below have lines on the disk.
    var lined: UInt64

    init(_ range: ClusterRange) {
        key = range.grantKey
        rows = RowIntervals()
        granted = range.claimed
        end = range.end
        only = range.only
        isOpen = true
        isInDoubt = false
        handed = range.claimed
        lined = range.claimed
    }

    init(_ grant: ClusterGrant) {
        key = grant.key
        rows = grant.rows
        granted = grant.rows.end ?? 0
        end = granted
        isOpen = false
        isInDoubt = grant.isInDoubt
        handed = grant.rows.first ?? 0
        lined = handed
    }

    /// The row up to which a grant brings so many rows of the range; its end if it has no more.
    ///
    /// What counts are rows, and not their numbers: the engine takes out of a range what other workers turn out to have,
    /// and at a slow pace a gap would take a turn for each few rows that are not there.
    func end(ofNext count: UInt64) -> UInt64 {
        RowIntervals(granted..<end, only: only).row(at: count) ?? end
    }

    /// The rows that no lane has had yet.
    var waiting: RowIntervals {
        needsConfirming ? RowIntervals() : rows.intersection(handed..<UInt64.max)
    }

    /// The number of rows in `waiting`, which a worker asks for at each look.
    var waitingCount: UInt64 { needsConfirming ? 0 : rows.count(from: handed) }

    /// True if all rows have their lines and no further ones can come.
    var isComplete: Bool {
        !needsConfirming && (!isOpen || granted == end) && lined >= (rows.end ?? 0)
    }

    /// Becomes what the engine has closed, or says is closed.
    mutating func close(_ grant: ClusterGrant) {
        rows.formUnion(grant.rows)
        granted = rows.end ?? 0
        end = granted
        isOpen = false
        needsConfirming = false
        isInDoubt = isInDoubt || grant.isInDoubt
    }
}
