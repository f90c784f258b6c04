import FanfareBase

/// The meaning of a provider's answer: for the row, the connection, the credential and the job.
///
/// The table in `ResponseClass+Table.swift` knows every documented pair of status and reason; for
/// the rest the status decides. It is a value of eight bytes.
package struct ResponseClass: Equatable, Sendable {
    /// The rule for sending the row again, as long as it has attempts left.
    package enum Retry: UInt8, Sendable {
        /// The answer is final.
        case never
        /// After the back-off, or after the time that the answer names.
        case afterDelay
        /// The same, but the device is at fault, and the row waits for longer than others would.
        case afterOwnDelay
        /// At once, on another connection: this one is to blame, not the row.
        case elsewhereAtOnce
        /// As soon as there is a new credential: nothing was processed, and the attempt does not count.
        case withNewCredential
        /// In doubt, though answered: messages with this answer were delivered. After a wait, where rows may
        /// be sent twice.
        case inDoubt
    }

    /// The consequence for the connection.
    package enum Connection: UInt8, Sendable {
        case keep
        /// No new requests; it drains and is replaced.
        case retire
    }

    /// The consequence for the provider token or certificate.
    package enum Credential: UInt8, Sendable {
        case keep
        /// The provider token is too old: sign a new one for the next connection.
        case renew
        /// The provider has seen too many: no new one as long as this one lasts.
        case hold
        /// The provider does not accept it.
        case refused
    }

    /// The consequence for the job.
    package enum Job: UInt8, Sendable {
        case goOn
        /// Every other row would get the same answer. The row itself goes back unfinished, so that a
        /// resumed job sends it; only a job that cannot be resumed reports it with `outcome`.
        case stop
        /// The same, if all answers so far are like this: see `FirstAnswers`.
        case stopAtStart
    }

    /// The row's outcome when it is not sent again (`retry` is `.never`, or attempts ran out).
    package var outcome: Outcome
    package var retry: Retry
    package var connection: Connection
    package var credential: Credential
    package var job: Job
    /// The column that is at fault.
    ///
    /// If the row itself gave it, use `ownFault`.
    package var blamedColumn: RowSchema.Known?
    /// The index at which the answer is counted.
    package var reasonIndex: ReasonIndex
    /// The first delay in seconds; 0 for none.
    private var firstDelaySeconds: UInt8

    /// Describes an answer that ends the row and concerns nothing else, except as given.
    package init(
        _ outcome: Outcome,
        retry: Retry = .never,
        connection: Connection = .keep,
        credential: Credential = .keep,
        job: Job = .goOn,
        blames blamedColumn: RowSchema.Known? = nil,
        firstDelay: Duration? = nil
    ) {
        self.outcome = outcome
        self.retry = retry
        self.connection = connection
        self.credential = credential
        self.job = job
        self.blamedColumn = blamedColumn
        self.reasonIndex = .unlisted
        firstDelaySeconds = UInt8(clamping: firstDelay?.components.seconds ?? 0)
    }

    /// The first wait when the answer asks for none, if it is another one than the route's.
    package var firstDelay: Duration? {
        firstDelaySeconds == 0 ? nil : .seconds(firstDelaySeconds)
    }

    /// This class for a row that gave the blamed column itself: its own fault, so the job goes on.
    package var ownFault: ResponseClass {
        var copy = self
        copy.job = .goOn
        copy.outcome = .rejected
        return copy
    }

    /// Classifies an answer.
    ///
    /// The provider gives a reason in JSON with each answer but 200. What comes without is from something
    /// in between (a redirect of a portal, a load balancer's page, a firewall's 403), and is no verdict on
    /// row, credential or token: the row may be tried again.
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The reason in the body; empty if there is none.
    ///   - bodyIsJSON: The body is whole, and a JSON object with a reason; no body is none.
    /// - Returns: The class of the table's rule, else of `fallback`.
    /// - Complexity: One comparison for 200; else a scan of the table's numbers, and of the texts
    ///   of that status. No allocation.
    package static func of(
        status: UInt16, reason: UnsafeBufferPointer<UInt8>, bodyIsJSON: Bool
    ) -> ResponseClass {
        if status == 200 { return accepted }
        if !reason.isEmpty {
            for index in rules.indices where rules[index].status == status {
                if unsafe rules[index].reason.equals(reason) { return listed(index) }
            }
        }
        return fallback(status: status, bodyIsJSON: bodyIsJSON)
    }

    /// Classifies the reason that came with a GOAWAY, which concerns the connection as a whole.
    ///
    /// - Returns: The class of the table's rule with this reason, with the connection retired, also
    ///   where the rule keeps it; `nil` when the reason is not in the table.
    package static func ofGoAway(reason: UnsafeBufferPointer<UInt8>) -> ResponseClass? {
        guard !reason.isEmpty else { return nil }
        for index in rules.indices where unsafe rules[index].reason.equals(reason) {
            var match = listed(index)
            match.connection = .retire
            return match
        }
        return nil
    }

    /// Returns the class of an answer that is not in the table.
    package static func fallback(status: UInt16, bodyIsJSON: Bool) -> ResponseClass {
        switch (status, bodyIsJSON) {
        case (200...299, _): ResponseClass(.accepted)
        case (300...399, _): noVerdict
        case (401, true), (403, true): ResponseClass(.failed, credential: .refused, job: .stop)
        case (408, _): ResponseClass(.failed, retry: .afterDelay)
        case (410, true): ResponseClass(.unregistered)
        // A proxy's 410 must not become a token to delete.
        case (410, false): ResponseClass(.suspect)
        // Misdirected: this server does not answer for the name, another one may.
        case (421, _): ResponseClass(.failed, retry: .elsewhereAtOnce, connection: .retire)
        case (429, _): ResponseClass(.throttled, retry: .afterDelay)
        case (500..., _): ResponseClass(.failed, retry: .afterDelay)
        case (400..., false): noVerdict
        default: ResponseClass(.rejected)
        }
    }

    /// The class of an answer that has not come from the provider: it says nothing of the row, and
    /// may have another end next time.
    private static let noVerdict = ResponseClass(.failed, retry: .afterDelay)

    /// The class of a success that the provider has not said: a page of a portal or a proxy.
    ///
    /// The row may have been sent.
    package static let foreignSuccess = ResponseClass(
        .unknown, retry: .inDoubt, job: .stopAtStart)

    /// Status 200.
    package static let accepted: ResponseClass = {
        var accepted = ResponseClass(.accepted)
        accepted.reasonIndex = .accepted
        return accepted
    }()

    private static func listed(_ index: Int) -> ResponseClass {
        var match = rules[index].class
        match.reasonIndex = ReasonIndex(rawValue: UInt8(truncatingIfNeeded: index))
        return match
    }
}

/// The place of an answer in the table of known ones, so that answers are counted in an array.
package struct ReasonIndex: Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Status 200, the table's first rule.
    package static let accepted = ReasonIndex(rawValue: 0)

    /// An answer or a local reason that the table does not hold; counted by its text.
    package static let unlisted = ReasonIndex(rawValue: .max)

    /// The rule behind the index; `nil` for `unlisted`.
    package var rule: ResponseRule? {
        self == .unlisted ? nil : ResponseClass.rules[Int(rawValue)]
    }
}
