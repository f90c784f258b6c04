import FanfareBase
import FanfareCore
import FanfareHTTP2

/// The one request that is sent for every row where the service is no push provider: a load test of
/// any HTTP/2 server.
struct FixedRequest: Sendable, Equatable {
    var method: String
    var path: String
    /// In lower case, without pseudo-header fields and those that HTTP/2 forbids.
    var fields: [Field] = []
    /// `:authority`, where it is not that of the endpoint.
    var authority: String?
    var body: [UInt8] = []

    /// A header field.
    struct Field: Sendable, Equatable {
        var name: String
        var value: String
        /// Whether no peer and no proxy in between may remember it.
        var isSecret: Bool { Self.secrets.contains(name) }

        private static let secrets = [
            "authorization", "cookie", "proxy-authorization", "x-api-key",
        ]
    }

    /// All fields of the request; none differs from request to request.
    func headers(scheme: String, authority: String) -> RequestHeaders {
        var list = [
            HeaderField(":method", method),
            HeaderField(":scheme", scheme),
            HeaderField(":authority", self.authority ?? authority),
            HeaderField(":path", path, .withoutIndexing),
        ]
        if !body.isEmpty, !fields.contains(where: { $0.name == "content-length" }) {
            list.append(HeaderField("content-length", String(body.count)))
        }
        list += fields.map {
            HeaderField($0.name, $0.value, $0.isSecret ? .neverIndexed : .indexed)
        }
        return RequestHeaders(list)
    }
}
