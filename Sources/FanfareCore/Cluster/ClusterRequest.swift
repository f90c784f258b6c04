/// A request to the engine: who asks, and one of the ten operations.
///
/// Each of them is absolute: it says what is to be, and under which epoch, session and generation. So a request whose
/// answer was lost is asked again, and a copy that the network delivers late does no harm.
package struct ClusterRequest: Equatable, Sendable {
    package var worker: WorkerID
    /// The session of the process; for `join` the last one that its folder knows.
    package var session: Int
    /// The generation that the process knows.
    package var generation: ClusterGeneration?
    package var operation: ClusterOperation
    /// With a request for rows of a range, the row below which all that were granted of it have lines.
    package var lined: UInt64 = 0

    package init(
        worker: WorkerID, session: Int, generation: ClusterGeneration?, operation: ClusterOperation
    ) {
        self.worker = worker
        self.session = session
        self.generation = generation
        self.operation = operation
    }
}

package enum ClusterOperation: Equatable, Sendable {
    case join(Join)
    case reassert(Reassertion)
    case beat(Beat)
    case survey
    /// Cuts that follow one another: their rows are one range.
    case cut([ClusterCut])
    case take(Take)
    case grant(GrantKey, upTo: UInt64)
    case settle(GrantKey)
    case giveBack(GivenBack)
    /// A change of the job's record; orders only if there were so many before, or a late copy would undo later ones.
    case decide(ClusterDecision, after: Int)

    /// The words of a process that comes.
    package struct Join: Equatable, Sendable {
        package var place: ClusterPlace
        package var nonce: UInt64
        package var fingerprint: UInt64
        /// The policy of this worker: see `ClusterTerms.policy`.
        package var policy: UInt64?
        /// The protocols that this program speaks.
        package var protocols: ClosedRange<Int>
        /// The job, if it is to be made; `nil` if the folder has been part of it already.
        package var terms: ClusterTerms?
    }

    /// All that a worker has, said anew to an engine that has gone back.
    package struct Reassertion: Equatable, Sendable {
        package var place: ClusterPlace
        /// The nonce of its process, for `join` to know it again.
        package var joinNonce: UInt64
        package var fingerprint: UInt64
        /// The number of its last beat.
        package var beat: UInt64
        /// The part of the job's rate that it uses.
        package var using: Int64
        /// The grants that are not settled.
        package var held: [Claim]
        /// All rows that were ever granted to the worker and that it did not give back.
        package var rows: RowIntervals
        /// Rows of lost workers that it has had in doubt, those with lines too.
        package var writtenOff = RowIntervals()
        /// Random bits, for the generation that this may begin, and for a grant of settled rows.
        package var nonce: UInt64

        /// The rows in doubt that were never the worker's to send: those of a worker that was lost.
        var foreignRows: RowIntervals {
            Self.foreignRows(of: held, besides: rows).union(writtenOff.subtracting(rows))
        }

        /// Returns the same of some grants, of a worker that has such rows of its own.
        static func foreignRows(of held: [Claim], besides rows: RowIntervals) -> RowIntervals {
            held.reduce(into: RowIntervals()) { if $1.isInDoubt { $0.formUnion($1.rows) } }
                .subtracting(rows)
        }

        package struct Claim: Equatable, Sendable {
            package var key: GrantKey
            package var rows: RowIntervals
            package var isInDoubt: Bool

            package init(key: GrantKey, rows: RowIntervals, isInDoubt: Bool) {
                self.key = key
                self.rows = rows
                self.isInDoubt = isInDoubt
            }
        }
    }

    /// The figures that a worker tells each second.
    package struct Beat: Equatable, Sendable {
        /// Counted from 1; the engine follows a beat only if it is newer than the last.
        package var number: UInt64
        package var using: Int64
        package var wants: Int64
        /// For each grant of the worker's the row below which all have lines.
        package var lined: [Progress]
        /// Workers that this one has seen no beat of for long, and the beat that it saw.
        package var lost: [Seen]
        package var counts: ClusterCounts
        /// The epoch in which these outcomes were counted; `nil` before the process knows one.
        package var outcomeEpoch: Int?
        /// The process that counts: its outcomes replace those that it told before, and add to those of others.
        package var counter: UInt64
        /// The figures that people see, and no operation looks at.
        package var figures: ClusterFigures?
        /// For each route the time for which its provider has asked this worker to send nothing.
        package var holds: [ProviderHold] = []
        package var isLeaving: Bool
        /// True if it leaves because its provider has refused it.
        package var isRefused = false
        /// The generation that may give grants again, as far as this worker is concerned.
        package var opens: ClusterGeneration?

        package struct Progress: Equatable, Sendable {
            package var key: GrantKey
            package var lined: UInt64
        }
    }

    /// A worker and a beat of it that another one has seen.
    package struct Seen: Equatable, Sendable {
        package var worker: WorkerID
        package var beat: UInt64
    }

    package enum Take: Equatable, Sendable {
        /// The rest of a range, which is not granted, under a new epoch. The owner's beat is a courtesy: it does not serve
        /// safety.
        case rest(GrantKey, seen: UInt64?, epoch: UInt64)
        /// The upper part of what is not granted of a range that another worker works on.
        case upperPart(GrantKey, from: UInt64, newKey: RangeKey)
        /// The rows of a lost worker that have no lines, to write lines that say so.
        case orphan(GrantKey, of: Seen)
    }

    /// Rows that were proved unsent, when nothing of their worker can start any more.
    package struct GivenBack: Equatable, Sendable {
        package var key: GrantKey
        /// From this row on nothing was sent.
        package var tail: UInt64
        /// Rows before it that were not sent.
        package var scattered: RowIntervals
        /// The name of a range for these.
        package var newKey: RangeKey
        /// Rows before it that may have been sent and have no line: they stay the worker's.
        ///
        /// All others have one.
        package var kept = RowIntervals()

        package init(
            key: GrantKey, tail: UInt64, scattered: RowIntervals, newKey: RangeKey,
            kept: RowIntervals = RowIntervals()
        ) {
            self.key = key
            self.tail = tail
            self.scattered = scattered
            self.newKey = newKey
            self.kept = kept
        }
    }
}

/// A change of the job's record.
package enum ClusterDecision: Equatable, Sendable {
    /// Proves the job in place of the worker that should.
    case prove(insteadOf: WorkerID?)
    /// Cuts the input in place of the worker that should.
    case cut(insteadOf: WorkerID?)
    /// The job has proved itself.
    case proved
    /// The job is to stop; the first verdict counts.
    case stop(ClusterVerdict)
    /// The worker's copy of the input has other bytes than the cut at a row; two such workers stop the job.
    case inputDiffers(atRow: UInt64)
    case pause(Bool)
    /// The pace, in millionths of a start per second.
    case setRate(Int64)
    /// A job that was stopped goes on.
    case goOn
    /// The next worker that joins says the policy that counts from then on.
    case renewPolicy
    /// A worker never comes back: others write the lines of its rows without waiting for the end of the job.
    case giveUp(WorkerID)

    /// True if it overrides earlier decisions, so that a late copy would do harm.
    var isOrder: Bool {
        switch self {
        case .stop, .pause, .setRate, .goOn, .renewPolicy, .giveUp: true
        case .prove, .cut, .proved, .inputDiffers: false
        }
    }
}
