import FanfareBase
import FanfareCore
import Synchronization

/// The messages of a route's lanes to each other about their provider.
final class RouteContact: Sendable {
    private let reached = Atomic(false)
    /// The last answer, in nanoseconds of the loops' clock; 0 before the first.
    private let answeredAt = Atomic<Int64>(0)
    private let judgedAt = Atomic<Int64>(0)
    private let proof = Mutex(RouteProof())
    /// The end of the time that the provider has asked for last, in nanoseconds of the loops' clock; 0 for none.
    private let askedUntil = Atomic<Int64>(0)
    private let held = Atomic(false)

    /// True if any lane has had a connection.
    var isReached: Bool { reached.load(ordering: .relaxed) }

    /// A lane has had a connection.
    func wasReached() { reached.store(true, ordering: .relaxed) }

    /// The time of the provider's last answer to any lane, to a tenth of a second; `nil` if it
    /// never answered.
    var lastAnswer: Instant? { Self.moment(answeredAt.load(ordering: .relaxed)) }

    /// The provider has answered a lane.
    func wasAnswered(at now: Instant) { answeredAt.store(now.nanoseconds, ordering: .relaxed) }

    /// The time of the provider's last verdict on a row of any lane; `nil` if it never gave one.
    var lastVerdict: Instant? { Self.moment(judgedAt.load(ordering: .relaxed)) }

    /// The provider has given a lane a verdict on a row.
    func wasJudged(at now: Instant) { judgedAt.store(now.nanoseconds, ordering: .relaxed) }

    /// The end of the time that the provider has asked for; `nil` if it never did.
    var askedToWaitUntil: Instant? { Self.moment(askedUntil.load(ordering: .relaxed)) }

    /// The provider has asked for time, for all rows.
    func wasAsked(toWaitUntil moment: Instant) {
        askedUntil.max(moment.nanoseconds, ordering: .relaxed)
    }

    /// True if lanes start nothing, because the provider wants nothing of any worker.
    var isHeld: Bool { held.load(ordering: .relaxed) }

    /// - Returns: True if that changes anything: lanes are to be woken then.
    func hold(_ isOn: Bool) -> Bool { held.exchange(isOn, ordering: .relaxed) != isOn }

    /// Does something with the proof that the provider takes what all rows have in common.
    /// - Returns: The result, and true if lanes that wait have to look again.
    func withProof<Result: Sendable>(
        _ body: (inout RouteProof) -> Result
    ) -> (result: Result, frees: Bool) {
        proof.withLock { proof in
            let wasHolding = proof.isHolding
            let result = body(&proof)
            return (result, wasHolding && !proof.isHolding)
        }
    }

    private static func moment(_ nanoseconds: Int64) -> Instant? {
        nanoseconds == 0 ? nil : Instant(nanoseconds: nanoseconds)
    }
}
