package import FanfareBase

/// The end of a worker's part in a job.
package enum ClusterEnding: Equatable, Sendable {
    case finished
    /// The job was stopped; `nil` if the reason was not heard.
    case stopped(ClusterVerdict?)
    /// It was told to leave.
    case left
    /// Its copy of the input is another one.
    case inputDiffers
    case refused(ClusterRefusal)
    /// Another process works with a copy of its folder.
    case superseded
}

/// The next thing that a worker's thread for the engine has to do.
package enum ClusterAction: Equatable, Sendable {
    /// Send a request; its answer is to come back with the number.
    case ask(ClusterRequest, number: UInt64)
    /// Close the connection, if there is one, and drop its answers.
    case hangUp
    case wait(until: Instant)
    case end(ClusterEnding)
}

// What to know before you change this:
// - A row goes only inside a grant that was acknowledged, and only `handOut` lets it go. No time-out ends a grant.
// - One request at a time; its answer counts only while it is the present one. So an answer is not older than
//   what was acknowledged before it.
// - The folder is written before rows are handed out: `folder` says what, and `folderVersion` when.
// - The cluster simulation kills, stops, cuts and rolls back: run `dev/fuzz cluster` after a change.

/// A worker among others, without a socket and without a clock: facts in, requests out.
///
/// It holds grants, asks for more before they run out, takes what others cannot do, tells what it has done, and
/// leaves. The lanes' side asks it for rows and says which of them have lines.
package struct ClusterMember: Sendable {
    enum Phase: Equatable, Sendable {
        /// It gives back what the process before it could not, and asks for a session. Exits: `working`, `ended`.
        case joining
        /// It works, or stands by. Exits: `joining` when a late request of its own took its session, `draining`, `ended`.
        case working
        /// It starts nothing, and its lanes finish what they have. Exits: `handingBack`, `ended`.
        case draining(ClusterEnding)
        /// It gives back what was not sent, and says good-bye. Exit: `ended`.
        case handingBack(ClusterEnding)
        /// It has no exit.
        case ended(ClusterEnding)
    }

    /// The request on its way.
    struct Outstanding: Sendable {
        var number: UInt64
        var operation: ClusterOperation
        var askedAt: Instant
    }

    let place: ClusterPlace
    let terms: ClusterTerms
    let protocols: ClosedRange<Int>
    package let patience: ClusterPatience
    var generator: SplitMix64

    /// The memory that is to be on the disk.
    package internal(set) var folder: ClusterFolder { didSet { folderVersion += 1 } }
    /// Another number whenever the folder is to be written.
    package private(set) var folderVersion = 0

    var phase = Phase.joining
    var nonce: UInt64
    var holdings: [ClusterHolding] = []
    var job: ClusterJob?
    var freeRanges = 0
    var counts = ClusterCounts()
    /// The epoch in which its outcomes were counted.
    var countedEpoch: Int?
    /// The name under which the process counts.
    let counter: UInt64
    /// The figures that the last beat was answered with.
    var sums = ClusterCounts()
    var watch = ClusterWatch()
    /// The workers that beat, this one included, as the last beat has shown them.
    var activeWorkers = 0

    var outstanding: Outstanding?
    private var lastNumber: UInt64 = 0
    private var failures = 0
    private var notBefore = Instant.distantPast

    /// The number of its last beat, when it is due again, and when the last answered one was sent.
    var beatNumber: UInt64 = 0
    var beatDue = Instant.distantPast
    var heardAt: Instant?
    var share: Int64 = 0
    /// The ends of providers' holds, as the engine has said them, and as this worker was asked itself.
    var holds = RouteHolds()
    var askedHolds = RouteHolds()
    /// The part of the job's rate that the worker could use, in millionths of a start per second.
    package var wants: Int64 = .max
    /// The rows that its lanes get through in a second.
    package var rowsPerSecond: UInt64 = 0
    /// The rows of its report by their outcome, for people.
    package var reportedOutcomes: [UInt64] = []
    var steps = StepTime()
    /// True if the last request was a beat, and the next one was due before its answer was there.
    var isBeatLate = false

    var mustReassert = false
    /// It asks for nothing new before, because the engine has gone back, or the folder was moved.
    var quietUntil = Instant.distantPast
    /// Until then the process does not open an engine that has gone back: it has not seen since when others know of it.
    var opensNothingUntil = Instant.distantPast
    /// It starts nothing before, because a process with the original of its folder may be alive.
    var startsNothingUntil = Instant.distantPast

    /// The workers that were lost at the last beat, and whether they may have left rows that wait for a worker.
    var lostWorkers: [WorkerID] = []
    var mayHaveOrphans = false
    /// A worker that has rows of its own takes no more of theirs before: see `taken`.
    var orphansDue = Instant.distantPast
    var surveyDue = Instant.distantPast
    var grantDue = Instant.distantPast
    var pendingTake: ClusterOperation.Take?
    /// Cuts of the next range, which this worker has read and not told.
    var cutsRead: [ClusterCut] = []
    var pendingDecisions: [ClusterDecision] = []
    var onlyOrphansSince: Instant?
    /// True if the last survey has shown nothing that this worker could take.
    var isOutOfWork = false
    var leavingSince: Instant?
    /// True if it leaves because its provider has refused it.
    var isRefused = false

    /// - Parameters:
    ///   - folder: The memory of the worker's folder.
    ///   - place: The place of the folder.
    ///   - terms: The job, as this process would make it.
    ///   - protocols: The protocols that it speaks.
    ///   - patience: Times and sizes.
    ///   - seed: The seed of its jitter and of the names that it draws: another one for each process.
    package init(
        folder: ClusterFolder, place: ClusterPlace, terms: ClusterTerms,
        protocols: ClosedRange<Int>, patience: ClusterPatience, seed: UInt64
    ) {
        self.folder = folder
        self.place = place
        self.terms = terms
        self.protocols = protocols
        self.patience = patience
        generator = SplitMix64(seed: seed)
        nonce = generator.next()
        counter = nonce
    }

    /// The end, once it has come.
    package var ending: ClusterEnding? {
        if case .ended(let ending) = phase { ending } else { nil }
    }

    /// The end that it drains toward.
    package var drainVerdict: ClusterEnding? {
        if case .draining(let ending) = phase { ending } else { nil }
    }

    /// The time that a request takes, until its answer is there.
    package var stepTime: Duration { steps.value }

    /// True if the next request tells how far lines are, or soon: then the disk should have those that there are.
    package func isAboutToTellLines(now: Instant) -> Bool {
        guard outstanding == nil, phase == .working else { return false }
        return now >= beatDue || grantIsDue(now: now)
    }

    /// True if lanes are to start nothing more and to say when they are through.
    package var isDraining: Bool { if case .draining = phase { true } else { false } }

    // MARK: Requests

    /// Returns what to do now; to be asked again after each fact, and at the time that it names.
    package mutating func next(now: Instant) -> ClusterAction {
        if let ending { return .end(ending) }
        if let outstanding {
            let due = outstanding.askedAt.advanced(by: patience.answer)
            guard now >= due else { return .wait(until: due) }
            connectionFailed(now: now)
            return .hangUp
        }
        if let leavingSince, now >= leavingSince.advanced(by: patience.leaving) {
            if case .handingBack(let ending) = phase {
                // The engine is away. The next process of the folder gives back what this one has not.
                phase = .ended(ending)
                return .end(ending)
            }
        }
        guard now >= notBefore else { return .wait(until: notBefore) }
        guard let operation = nextOperation(now: now) else {
            return .wait(until: nextMoment(now: now))
        }
        lastNumber += 1
        outstanding = Outstanding(number: lastNumber, operation: operation, askedAt: now)
        isBeatLate = false
        var request = ClusterRequest(
            worker: folder.worker, session: folder.session, generation: folder.generation,
            operation: operation)
        if case .grant(let key, _) = operation, let index = holding(key) {
            request.lined = holdings[index].lined
        }
        return .ask(request, number: lastNumber)
    }

    /// Notes that the connection is gone, and with it the answer to the request on its way.
    package mutating func connectionFailed(now: Instant) {
        guard outstanding != nil else { return }
        outstanding = nil
        failures = min(failures + 1, 16)
        let bound = min(
            patience.firstBackOff.wholeNanoseconds << Int64(failures - 1),
            patience.backOffMax.wholeNanoseconds)
        notBefore = now.advanced(
            byNanoseconds: Int64.random(in: bound / 2...bound, using: &generator))
    }

    /// Takes an answer, unless its request was given up.
    package mutating func answered(number: UInt64, _ answer: ClusterAnswer, now: Instant) {
        guard let request = outstanding, request.number == number else { return }
        outstanding = nil
        failures = 0
        steps.note(nanoseconds: now.nanoseconds(since: request.askedAt))
        if case .beat = request.operation { isBeatLate = now >= beatDue }
        take(answer, to: request, now: now)
    }

    /// Returns a moment give or take a tenth of the time until it.
    mutating func roughly(_ time: Duration, after now: Instant) -> Instant {
        let length = time.wholeNanoseconds
        return now.advanced(
            byNanoseconds: Int64.random(in: length * 9 / 10...length * 11 / 10, using: &generator))
    }
}
