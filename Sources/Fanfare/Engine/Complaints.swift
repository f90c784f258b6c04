package import FanfareBase
import FanfareCore

/// The provider's faults in words: for the message that ends the job, for the progress and the log.
struct Complaints {
    /// The word for the peer: a provider, or a host that rows name.
    private let peer: String
    /// The last trouble; shown when the job is given up, and while there is trouble.
    private(set) var trouble: Statement = ""
    /// True if the log knows of it, and of credentials that are not available.
    private var isTold = false
    private var isCredentialTold = false
    /// The stop for a provider that only refuses, once the job no longer allows that.
    private(set) var refusal: JobStop?

    init(about peer: String) {
        self.peer = peer
    }

    /// Something went wrong.
    mutating func heard(_ trouble: Statement) {
        self.trouble = trouble
    }

    /// A request has ended without an answer while its connection goes on.
    mutating func heard(_ attempt: Attempt) {
        switch attempt.ending {
        case .late, .lateUnsent:
            trouble = "it answers no request"
        case .refusedStream:
            trouble = "it refuses requests (REFUSED_STREAM)"
        case .malformed:
            trouble = "its answers break HTTP"
        default:
            let code = unsafe String(decoding: attempt.reason, as: UTF8.self)
            trouble = "requests are reset (\(code))"
        }
    }

    /// Keeps the words of a provider that has given no verdict for too long.
    mutating func refused(_ attempt: Attempt, for lasted: Duration) {
        let time = Self.text(lasted)
        let status = attempt.status
        func message(_ reason: String) -> Statement {
            "the \(peer) has refused every request for \(time): it answers \(status) "
                + Statement(reason.isEmpty ? "without a reason" : reason)
        }
        let reason = unsafe String(decoding: attempt.reason, as: UTF8.self)
        var stop = JobStop(.refused, message(reason))
        if !reason.isEmpty {
            stop.logStatement = unsafe message(LogEvent.reason(attempt.reason))
        }
        refusal = stop
    }

    /// The stop for a provider that gives no answer.
    func noAnswer(for lasted: Duration) -> JobStop {
        JobStop(.refused, "no answer from the \(peer) for \(Self.text(lasted)): \(trouble)")
    }

    /// Returns the stop for a provider without any connection.
    func noConnection() -> JobStop {
        JobStop(.refused, "no connection to the \(peer): \(trouble)")
    }

    /// The stop for a connection that would fail in the same way every time.
    func noConnection(_ text: Statement) -> JobStop {
        JobStop(.refused, "no connection to the \(peer): \(text)")
    }

    /// Logs the beginning of trouble, and its end.
    /// - Parameters:
    ///   - lasting: Trouble that has lasted for a while; `nil` without.
    ///   - stop: The reason why the lane stops, if it does: then trouble ends otherwise.
    ///   - observer: The receiver of the log's events.
    ///   - now: The time.
    mutating func tell(
        _ lasting: ProviderTrouble?, stop: JobStop?, to observer: inout LaneObserver, now: Instant
    ) {
        if let lasting, !isTold {
            observer.note(
                "provider_unanswering", .warning, now: now, [.init("reason", lasting.reason)])
        } else if lasting == nil, isTold, stop == nil {
            observer.note("provider_answering", .info, now: now)
        }
        isTold = lasting != nil
    }

    /// Logs that credentials are not available, and that they are available again.
    /// - Parameters:
    ///   - trouble: Trouble that has lasted for a while; `nil` without.
    ///   - stop: The reason why the lane stops, if it does: then trouble ends otherwise.
    ///   - observer: The receiver of the log's events.
    ///   - now: The time.
    mutating func tell(
        _ trouble: CredentialTrouble?, stop: JobStop?, to observer: inout LaneObserver,
        now: Instant
    ) {
        if let trouble, !isCredentialTold {
            observer.note(
                "access_token_failing", .warning, now: now, [.init("reason", trouble.reason)])
        } else if trouble == nil, isCredentialTold, stop == nil {
            observer.note("access_token_renewed", .info, now: now)
        }
        isCredentialTold = trouble != nil
    }

    private static func text(_ time: Duration) -> String {
        NumberText.duration(milliseconds: time.wholeNanoseconds / 1_000_000)
    }
}

/// A provider that has answered nothing for a while.
package struct ProviderTrouble: Equatable, Sendable {
    /// For how long it has not.
    package var seconds: Double
    /// For how long that is put up with.
    package var patienceSeconds: Double
    /// The last trouble.
    package var reason: Statement

    package init(seconds: Double, patienceSeconds: Double, reason: Statement) {
        self.seconds = seconds
        self.patienceSeconds = patienceSeconds
        self.reason = reason
    }
}
