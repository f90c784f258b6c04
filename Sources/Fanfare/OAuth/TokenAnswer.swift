package import FanfareBase
import FanfareCore
import FanfareTLS

/// The answer of a service that issues access tokens.
package enum TokenAnswer: Sendable {
    case granted(AccessToken)
    /// Asking again may help, after the time that was asked for.
    case temporary(Statement, wish: Duration?)
    /// Asking again would not help.
    case permanent(Statement)

    /// An answer as it has come; the bytes are borrowed, and the caller's to wipe.
    @safe
    package struct Received {
        let status: UInt16
        let body: UnsafeBufferPointer<UInt8>
        let date: UnsafeBufferPointer<UInt8>
        let retryAfter: UnsafeBufferPointer<UInt8>

        /// - Parameters:
        ///   - status: The HTTP status.
        ///   - body: The whole body.
        ///   - date: The field `date`; empty without one.
        ///   - retryAfter: The field `retry-after`; empty without one.
        package init(
            status: UInt16, body: UnsafeBufferPointer<UInt8>, date: UnsafeBufferPointer<UInt8>,
            retryAfter: UnsafeBufferPointer<UInt8>
        ) {
            self.status = status
            unsafe self.body = body
            unsafe self.date = date
            unsafe self.retryAfter = retryAfter
        }
    }

    /// The members that answers have.
    private static let members = [
        "access_token", "expires_in", "id_token", "accessToken", "expireTime", "error",
        "error_description", "error.status", "error.message",
    ]

    /// Reads an answer.
    /// - Parameters:
    ///   - received: The answer.
    ///   - request: The request.
    ///   - account: The account's name for messages.
    ///   - now: The time of the answer, in UNIX seconds.
    /// - Returns: The token, or the reason why there is none.
    package static func read(
        _ received: Received, to request: TokenRequest, account: String, now: Int64
    ) -> TokenAnswer {
        guard let question = request.question else {
            preconditionFailure("BUG: an answer that brings no token is read as one")
        }
        if case .described(let token) = question {
            return read(token, in: received, to: request, account: account, now: now)
        }
        let found = unsafe SecretMembers(received.body, members)
        let serverTime = unsafe HTTPDate.parse(received.date, now: now)
        guard (200...299).contains(received.status), let found else {
            return refusal(
                received, found, to: request, question, account: account, serverTime: serverTime,
                now: now)
        }
        let host = request.endpoint.host
        let isImpersonation = question == .impersonation
        guard let secret = found.secret(isImpersonation ? "accessToken" : "access_token") else {
            return .permanent(
                found.has("id_token")
                    ? "\(host) answers with an identity and without an access token, as it does for a "
                        + "scope that it does not know: is \(account) an account of Google's own cloud?"
                    : "\(host) answers \(received.status) without an access token: is it a token "
                        + "service of Google's?")
        }
        let life =
            isImpersonation
            ? lifeSeconds(until: found.string("expireTime"), now: serverTime ?? now)
            : found.has("expires_in") ? found.integer("expires_in") : nil
        let seconds = min(life ?? assumedSeconds, secondsMax)
        // A metadata server hands out the token that it has, which may be at its end.
        guard seconds > 0 else {
            return .temporary("\(host) answers with an access token that has expired", wish: nil)
        }
        guard let token = AccessToken(secret, life: .seconds(seconds)) else {
            return .permanent("\(host) answers with an access token that no header field can have")
        }
        return .granted(token)
    }

    private static func refusal(
        _ received: Received, _ found: SecretMembers?, to request: TokenRequest,
        _ question: TokenQuestion, account: String,
        serverTime: Int64?, now: Int64
    ) -> TokenAnswer {
        let refusal = TokenRefusal(
            status: received.status,
            error: found?.string("error") ?? found?.string("error.status") ?? "",
            words: found?.string("error_description") ?? found?.string("error.message") ?? "")
        let statement = refusal.statement(
            of: question, host: request.endpoint.host, account: account,
            skew: serverTime.map { now - $0 })
        guard refusal.fault(of: question) == .temporary else {
            return .permanent(statement)
        }
        return unsafe .temporary(
            statement, wish: RetryAfter.parse(received.retryAfter, now: now))
    }

    /// The life of a token when the answer does not say: short, because one that is called expired earlier is
    /// renewed in any case.
    private static let assumedSeconds: Int64 = 300
    /// The longest life that Google gives any token.
    private static let secondsMax: Int64 = 12 * 3600

    /// The seconds until a moment: `2026-11-23T13:00:00Z`, with a fraction or without.
    ///
    /// RFC 3339 §5.6
    private static func lifeSeconds(until text: String?, now: Int64) -> Int64? {
        guard let text, text.utf8.count >= 20, text.utf8.last == UInt8(ascii: "Z") else {
            return nil
        }
        // The form of reports has three digits of a fraction, which do not matter here.
        let fraction = text.utf8.dropFirst(19).dropLast()
        guard fraction.isEmpty || fraction.first == UInt8(ascii: ".") else { return nil }
        var reader = TimestampReader()
        var moment = String(text.prefix(19)) + ".000Z"
        return moment.withUTF8 { unsafe reader.milliseconds($0) }.map { $0 / 1000 - now }
    }
}
