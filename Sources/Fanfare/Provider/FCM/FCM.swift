import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// Firebase Cloud Messaging by its HTTP v1 API.
///
/// The path is the same for all rows, and the token is in the body: the opposite of APNs.
/// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send
final class FCM: PushService {
    /// The settings for all rows of a job.
    struct Settings: Sendable {
        /// The scheme of the requests.
        var scheme: String
        /// The host, and the port if it is not the scheme's own.
        var authority: String
        /// The project's id or number.
        var project: String
        /// True if rows are checked; load tests switch it off.
        var validates = true
        /// True if messages are only validated, and not delivered.
        var validatesOnly = false
        /// The texts that messages are made of; none where rows bring theirs.
        var texts: [FCMFilledPlaces] = []
    }

    let settings: Settings

    init(_ settings: Settings) {
        self.settings = settings
    }

    var provider: ProviderKind? { .fcm }

    var fixedBody: [UInt8]? { nil }

    /// A message says itself how long it lives, and from when on is Google's to count.
    var expiration: Int64 { 0 }

    func headerFields(credential: String?) -> [HeaderField] {
        var fields = [
            HeaderField(":method", "POST"),
            HeaderField(":scheme", settings.scheme),
            HeaderField(":authority", settings.authority),
            HeaderField(":path", "/v1/projects/\(settings.project)/messages:send"),
            HeaderField("content-type", "application/json"),
        ]
        if let credential {
            // All requests of a connection have the same: see APNs' field of this name.
            fields.append(HeaderField("authorization", "Bearer \(credential)"))
        }
        return fields
    }

    func problem(ofToken token: UnsafeBufferPointer<UInt8>) -> RowProblem? {
        if token.isEmpty { return .tokenEmpty }
        if token.count > Limits.tokenBytesMax { return .tokenTooLong }
        // Of visible characters, JSON escapes two: no token has them.
        return unsafe TextScan.isVisible(token) ? nil : .tokenInvalid
    }

    func addFields(
        of batch: RowBatch, _ index: Int, to row: inout PreparedRow
    ) throws(RowProblem) -> Int { Limits.fcmBodyBytesMax }

    func appendPayload(
        _ payload: UnsafeBufferPointer<UInt8>, to row: inout PreparedRow
    ) throws(RowProblem) {
        guard settings.validatesOnly else {
            return unsafe try appendMessage(payload, 0..<payload.count, to: &row)
        }
        guard let message = unsafe FCMValidation.message(in: payload) else {
            throw .payloadWithoutMessage
        }
        row.bytes.append(FCMValidation.beginning)
        unsafe try appendMessage(payload, message, to: &row)
        row.bytes.append(FCMValidation.end)
    }

    /// Appends a part of a payload, with the row's token in its message unless that names its
    /// target.
    private func appendMessage(
        _ payload: UnsafeBufferPointer<UInt8>, _ part: Range<Int>, to row: inout PreparedRow
    ) throws(RowProblem) {
        switch unsafe FCMTokenPlace.find(in: payload) {
        case .at(let offset, let isLast) where part.contains(offset):
            unsafe row.bytes.append(
                UnsafeBufferPointer(rebasing: payload[part.lowerBound..<offset]))
            row.bytes.append("\"token\":\"")
            row.appendCopy(of: row.token)
            row.bytes.append(isLast ? "\"" : "\",")
            unsafe row.bytes.append(
                UnsafeBufferPointer(rebasing: payload[offset..<part.upperBound]))
        case .at, .noMessage:
            guard !settings.validates else { throw .payloadWithoutMessage }
            unsafe row.bytes.append(UnsafeBufferPointer(rebasing: payload[part]))
        case .given:
            unsafe row.bytes.append(UnsafeBufferPointer(rebasing: payload[part]))
        }
    }

    func makeJudge() -> any AnswerJudge {
        FCMJudge(validatesOnly: settings.validatesOnly, texts: settings.texts)
    }
}

extension Limits {
    /// The longest body of a request to FCM.
    ///
    /// FCM limits notification and data to 4,096 bytes; a body may repeat them for each platform.
    static let fcmBodyBytesMax = 32 * 1024
}
