/// The state of a job that several workers share, by the engine's word for it.
package enum ClusterJobState: String, Sendable {
    /// Only the prover sends, until enough rows have an outcome. Exits: `running`, `stopping`, `finished`.
    case proving
    /// All workers send. Exits: `stopping`, `finished`.
    case running
    /// A verdict or an order ends the job: workers drain and leave. Exits: `stopped`, or back by the order to go on.
    case stopping
    /// No worker is left. Exit: back by the order to go on.
    case stopped
    /// Each row is settled. It has no exit.
    case finished
}

/// The reason why a job stops.
package enum ClusterVerdict: Equatable, Sendable {
    /// An order of the user's.
    case ordered
    /// The outcomes so far: a rule of the job's, or what the provider says about key, topic or environment.
    case outcomes
    /// Two workers have read different bytes behind the same names; the row is the first one of the cut.
    case inputsDiffer(atRow: UInt64)
    /// The engine went back, and has granted rows that another worker held already.
    case grantedTwice(Range<UInt64>)
}

/// The terms of a job, as the first worker that joins it states them.
package struct ClusterTerms: Equatable, Sendable {
    /// The version of what workers tell each other.
    ///
    /// It changes whenever two programs would not understand each other, or would come to other results from the same
    /// bytes: since 2 the sums of cuts are CRC-32C.
    package static let ownProtocol = 2

    /// A digest of the inputs, the settings and the key: workers of one job have the same.
    package var fingerprint: UInt64
    package var protocolVersion: Int
    /// The pace of the whole job in millionths of a start per second; `nil` for none.
    package var rate: Int64?
    /// A digest of what the job's workers have to agree on, and may agree on anew: lists of tokens that are left out, bounds
    /// that stop the job, and the like.
    ///
    /// `nil` if the next worker that joins says it.
    package var policy: UInt64?

    package init(fingerprint: UInt64, protocolVersion: Int, rate: Int64?, policy: UInt64? = nil) {
        self.fingerprint = fingerprint
        self.protocolVersion = protocolVersion
        self.rate = rate
        self.policy = policy
    }
}

/// A job as the engine has it: one record, which everything compares and sets.
package struct ClusterJob: Equatable, Sendable {
    package var terms: ClusterTerms
    package var state = ClusterJobState.proving
    package var prover: WorkerID?
    package var cutter: WorkerID?
    /// The first row that is not cut yet.
    package var cutRows: UInt64 = 0
    package var isAllCut = false
    package var isPaused = false
    package var verdict: ClusterVerdict?
    /// The number of orders so far.
    package var orders = 0
    /// The number of times that it went on after a stop: outcomes of before count no more.
    package var outcomeEpoch = 0
    /// For each route the time for which its provider wants nothing more; a server takes it off as time goes on.
    package var holds: [ProviderHold] = []
    package var generation: ClusterGeneration
    /// True if grants and takes are given: not while workers say anew what they hold.
    package var isOpen = true

    package init(
        terms: ClusterTerms, prover: WorkerID?, cutter: WorkerID?, generation: ClusterGeneration
    ) {
        self.terms = terms
        self.prover = prover
        self.cutter = cutter
        self.generation = generation
    }
}

/// The figures of a worker's own report.
package struct ClusterCounts: Equatable, Sendable {
    /// Rows with a line.
    package var lines: UInt64
    /// The outcomes, as thresholds count them: those of each route, one after the other.
    package var outcomes: [UInt64]

    package init(lines: UInt64 = 0, outcomes: [UInt64] = []) {
        self.lines = lines
        self.outcomes = outcomes
    }

    static func += (sum: inout ClusterCounts, more: ClusterCounts) {
        sum.lines += more.lines
        sum.addOutcomes(more.outcomes)
    }

    mutating func addOutcomes(_ more: [UInt64]) {
        for (index, count) in more.enumerated() {
            if index == outcomes.count { outcomes.append(0) }
            outcomes[index] += count
        }
    }
}

/// The figures of a worker that only people look at.
package struct ClusterFigures: Equatable, Sendable {
    /// The rows of its report by their outcome, in the order of the outcomes' numbers.
    package var outcomes: [UInt64]
    /// The rows that it gets through in a second.
    package var rowsPerSecond: UInt64
    /// The time after which it writes off the rows of lost workers, if nothing else is left by then; `nil` while there is
    /// other work.
    package var writesOffAfterMilliseconds: Int64?

    package init(
        outcomes: [UInt64] = [], rowsPerSecond: UInt64 = 0, writesOffAfterMilliseconds: Int64? = nil
    ) {
        self.outcomes = outcomes
        self.rowsPerSecond = rowsPerSecond
        self.writesOffAfterMilliseconds = writesOffAfterMilliseconds
    }
}

/// A worker as the engine has it.
package struct ClusterWorker: Equatable, Sendable {
    /// The state of a worker, by the engine's word for it.
    package enum State: String, Sendable {
        /// It beats, or did so until a moment ago. Exits: `lost`, `left`.
        case active
        /// Another worker has seen no beat for long. Exits: `active` with its next beat, `givenUp`.
        case lost
        /// A person has said that it never comes back. Exit: `active` with its next beat.
        case givenUp = "given_up"
        /// It said good-bye. Exit: `active` when a process joins with its folder.
        case left
    }

    package let id: WorkerID
    /// The number of the process that works in the folder.
    package var session: Int
    package var place: ClusterPlace
    /// The random bits of the process that joined last, so that a repeated request joins once.
    package var nonce: UInt64
    package var state = State.active
    /// The number of its last beat, which others compare.
    package var beat: UInt64 = 0
    /// The most that the worker may be using of the job's rate.
    package var share: Int64 = 0
    /// The share that it could use.
    package var wants: Int64 = 0
    /// The figures of the process that beat last.
    package var counts = ClusterCounts()
    /// The process whose outcomes these are; 0 before the first beat.
    package var counter: UInt64 = 0
    /// The outcomes that earlier processes of its folder have told since the job last went on.
    package var earlierOutcomes: [UInt64] = []
    /// True if its copy of the input has other bytes than the cut.
    package var hasOtherInput = false
    /// The figures that its last beat has told for people; no transaction reads it back.
    package var figures: ClusterFigures?

    package init(id: WorkerID, session: Int, place: ClusterPlace, nonce: UInt64) {
        self.id = id
        self.session = session
        self.place = place
        self.nonce = nonce
    }
}

/// A row boundary: the same for each worker that reads the same bytes.
package struct ClusterCut: Equatable, Sendable {
    package var firstRow: UInt64
    /// The row behind the last one.
    package var endRow: UInt64
    /// The checksum of the bytes between.
    package var sum: UInt32
    /// True if the input ends here.
    package var isLast: Bool
    /// The place of the first row.
    package var place = Place()
    /// The bytes and the lines from there to the first row of the next cut.
    package var (byteCount, lineCount) = (UInt64(0), UInt64(0))

    /// The place of a row boundary in the inputs.
    package struct Place: Equatable, Sendable {
        /// The input, counted from 0.
        package var input = 0
        package var offset: UInt64 = 0
        package var line: UInt64 = 0

        package init() {}
    }

    package init(firstRow: UInt64, endRow: UInt64, sum: UInt32, isLast: Bool) {
        self.firstRow = firstRow
        self.endRow = endRow
        self.sum = sum
        self.isLast = isLast
    }
}

/// A range of rows: the unit of ownership.
///
/// `first ..< claimed` was granted to earlier owners, `claimed ..< granted` belongs to the owner for ever, and only
/// `granted ..< end` can change hands.
package struct ClusterRange: Equatable, Sendable {
    package let key: RangeKey
    package var first: UInt64
    package var end: UInt64
    package var claimed: UInt64
    package var granted: UInt64
    /// The owner has told that below this row each of its rows has a line on its disk.
    package var lined: UInt64
    package var owner: WorkerID?
    package var session: Int
    package var epoch: UInt64
    /// The rows of the interval that the range has; `nil` for all of them.
    package var only: RowIntervals?
    package var isDone = false
    /// The ordinal of the generation in which rows were granted last.
    package var ordinal = 0

    package init(
        key: RangeKey, rows: Range<UInt64>, owner: WorkerID?, session: Int, epoch: UInt64,
        only: RowIntervals?
    ) {
        self.key = key
        first = rows.lowerBound
        end = rows.upperBound
        claimed = rows.lowerBound
        granted = rows.lowerBound
        lined = rows.lowerBound
        self.owner = owner
        self.session = session
        self.epoch = epoch
        self.only = only
    }

    package var grantKey: GrantKey { GrantKey(range: key, epoch: epoch) }

    /// The rows that belong to the owner.
    package var grantedRows: RowIntervals { rows(in: claimed..<granted) }

    /// The rows that were not granted yet.
    package var restRows: RowIntervals { rows(in: granted..<end) }

    package func rows(in span: Range<UInt64>) -> RowIntervals {
        RowIntervals(span, only: only)
    }
}

/// A grant that is closed: its owner has the rows, and gets no more of the range under this epoch.
package struct ClusterGrant: Equatable, Sendable {
    package let key: GrantKey
    package var rows: RowIntervals
    package var worker: WorkerID
    package var session: Int
    package var lined: UInt64
    /// True if the worker cannot know what came of the rows, and only writes their lines: they were another worker's,
    /// or its folder is a copy.
    package var isInDoubt: Bool
    package var isSettled: Bool
    package var ordinal: Int

    package init(
        key: GrantKey, rows: RowIntervals, worker: WorkerID, session: Int, lined: UInt64,
        isInDoubt: Bool, isSettled: Bool, ordinal: Int
    ) {
        self.key = key
        self.rows = rows
        self.worker = worker
        self.session = session
        self.lined = lined
        self.isInDoubt = isInDoubt
        self.isSettled = isSettled
        self.ordinal = ordinal
    }
}
