/// What an answer of FCM means: for the row, the connection, the access token, the pace and the job.
package struct FCMVerdict: Equatable, Sendable {
    /// Whether the row is to be sent again, as long as it has attempts left.
    package enum Retry: UInt8, Sendable {
        /// The answer is final.
        case never
        /// After a wait: nothing was processed.
        case afterDelay
        /// The same, but the row's device or topic has had too many, and others need not wait.
        case afterOwnDelay
        /// As soon as there is a new access token: nothing was processed, and the attempt does not count.
        case withNewToken
        /// In doubt: messages that were answered so have been delivered. After a wait, where rows may be
        /// sent twice.
        case inDoubt
        /// At once, on another connection.
        case elsewhereAtOnce
    }

    /// What becomes of the access token, which all requests of the route share.
    package enum Token: UInt8, Sendable {
        case keep
        /// It is no longer taken: another one is asked for, once for each token (`AccessTokenPolicy`).
        case renew
        /// Another one would fare no better.
        case refused
    }

    /// What becomes of the route's pace.
    package enum Pace: UInt8, Sendable {
        case keep
        /// The project has had too many requests: all of its rows are sent more slowly.
        case slow
    }

    /// What becomes of the route's part of the job.
    package enum Job: UInt8, Sendable {
        case goOn
        /// Every other row would get the same answer.
        case stop
        /// Most likely so, if nothing but this has been answered so far: see `FCMAnswers.firstAnswers`.
        case stopAtStart
        /// It concerns the rows of one platform: the job goes on unless half of the answers are this.
        case stopAtHalf
    }

    /// The row's outcome when it is not sent again.
    package var outcome: Outcome
    package var retry: Retry
    package var connection: ResponseClass.Connection
    package var token: Token
    package var pace: Pace
    package var job: Job
    /// The column that is at fault.
    ///
    /// When the row itself gave it, use `ownFault`.
    package var blamedColumn: RowSchema.Known?
    /// The first wait when the answer names none.
    package var firstDelay: Duration

    /// Describes an answer that ends the row and concerns nothing else, except as given.
    package init(
        _ outcome: Outcome,
        retry: Retry = .never,
        connection: ResponseClass.Connection = .keep,
        token: Token = .keep,
        pace: Pace = .keep,
        job: Job = .goOn,
        blames blamedColumn: RowSchema.Known? = nil,
        firstDelay: Duration = FCMRetryDelay.least
    ) {
        self.outcome = outcome
        self.retry = retry
        self.connection = connection
        self.token = token
        self.pace = pace
        self.job = job
        self.blamedColumn = blamedColumn
        self.firstDelay = firstDelay
    }

    /// This verdict for a row that gave the blamed column itself: its own fault, so the job goes on.
    package var ownFault: FCMVerdict {
        var copy = self
        copy.job = .goOn
        copy.outcome = .rejected
        return copy
    }

    /// The verdict on an answer that calls the access token expired when `AccessTokenPolicy` knows that
    /// another one would not help.
    package static let refusedToken = FCMVerdict(.failed, token: .refused, job: .stop)
}
