import FanfareBase
import FanfareCore
import FanfareHTTP2

/// The one request that is sent for every row where the service is no push provider: a load test of
/// any HTTP/2 server.
struct FixedRequest: Sendable, Equatable {
    var method: String
    var path: String
    /// The header fields in lower case, without pseudo-header fields and those that HTTP/2 forbids.
    var fields: [Field] = []
    /// `:authority`, where it is not that of the endpoint.
    var authority: String?
    var body: [UInt8] = []

    /// A header field.
    struct Field: Sendable, Equatable {
        var name: String
        var value: String
        /// True if no peer and no proxy in between may index it.
        var isSecret: Bool { Self.secrets.contains(name) }

        private static let secrets = [
            "authorization", "cookie", "proxy-authorization", "x-api-key",
        ]
    }
}

/// Any HTTP/2 server, to which the same request goes again and again.
final class FixedService: PushService {
    let request: FixedRequest
    private let scheme: String
    private let authority: String

    /// - Parameters:
    ///   - request: The request.
    ///   - scheme: The scheme of the requests.
    ///   - authority: The value of `:authority`, if the request has none of its own.
    init(_ request: FixedRequest, scheme: String, authority: String) {
        self.request = request
        self.scheme = scheme
        self.authority = authority
    }

    /// None of the fields differs from request to request.
    func headerFields(credential: String?) -> [HeaderField] {
        var list = [
            HeaderField(":method", request.method),
            HeaderField(":scheme", scheme),
            HeaderField(":authority", request.authority ?? authority),
            HeaderField(":path", request.path, .withoutIndexing),
        ]
        if !request.body.isEmpty, !request.fields.contains(where: { $0.name == "content-length" }) {
            list.append(HeaderField("content-length", String(request.body.count)))
        }
        list += request.fields.map {
            HeaderField($0.name, $0.value, $0.isSecret ? .neverIndexed : .indexed)
        }
        return list
    }

    var provider: ProviderKind? { nil }

    var fixedBody: [UInt8]? { request.body }

    var expiration: Int64 { 0 }

    func problem(ofToken token: UnsafeBufferPointer<UInt8>) -> RowProblem? { nil }

    func addFields(
        of batch: RowBatch, _ index: Int, to row: inout PreparedRow
    ) throws(RowProblem) -> Int { .max }

    func makeJudge() -> any AnswerJudge { FixedJudge() }
}

/// Tells good answers from bad ones; it does not know their meaning beyond that.
private final class FixedJudge: AnswerJudge {
    func judge(_ response: Response, to row: borrowing PreparedRow) -> Judgement {
        Judgement(ResponseClass(response.status < 400 ? .accepted : .rejected))
    }

    func judge(goAway debugData: UnsafeBufferPointer<UInt8>) -> GoAwayNotice? { nil }
}
