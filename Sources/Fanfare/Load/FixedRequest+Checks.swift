import FanfareBase
import FanfareCore
import FanfareHTTP2

/// The checks that turn a user's text into a request that HTTP/2 allows.
extension FixedRequest {
    /// Fields that only mean something on a connection of HTTP/1. RFC 9113 §8.2.2
    private static let forbidden = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    /// Checks a request.
    /// - Throws: `FanfareError` with code `configuration`.
    init(_ request: LoadRequest) throws(FanfareError) {
        method = request.method ?? (request.body.isEmpty ? "GET" : "POST")
        guard Self.isToken(method) else {
            throw FanfareError(.configuration, "\(.method) \(method): not a method of HTTP")
        }
        // It asks for a tunnel, which has no path.
        guard method != "CONNECT" else {
            throw FanfareError(
                .configuration, "\(.method) CONNECT: there is no tunnel to be had here")
        }
        path = request.path
        let isPath = path.hasPrefix("/") || path == "*" && method == "OPTIONS"
        guard isPath, path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw FanfareError(
                .configuration,
                "\(.path) \(path): a path begins with / and has no blanks; others are written %20")
        }
        guard request.body.count <= Limits.loadBodyBytesMax else {
            throw FanfareError(
                .configuration,
                "the body has \(request.body.count) bytes; \(Limits.loadBodyBytesMax) are the most")
        }
        body = request.body
        guard request.fields.count <= Limits.loadFieldsMax else {
            throw FanfareError(
                .configuration, "more than \(Limits.loadFieldsMax) times \(.fields)")
        }
        for field in request.fields { try add(field) }
        let bytes = headerBytes
        guard bytes <= Limits.headerListBytes else {
            throw FanfareError(
                .configuration,
                "the header fields have \(bytes) bytes; \(Limits.headerListBytes) are the most")
        }
    }

    private mutating func add(_ field: LoadRequest.Field) throws(FanfareError) {
        let name = field.name.lowercased()
        func fail(_ why: String) -> FanfareError {
            // The value may be a secret.
            FanfareError(.configuration, "\(.fields) '\(field.name): …': \(why)")
        }
        guard Self.isToken(name) else { throw fail("not a name of a header field") }
        guard !Self.forbidden.contains(name) else { throw fail("HTTP/2 does not have it") }
        guard name != "te" || field.value == "trailers" else {
            throw fail("HTTP/2 allows nothing but trailers there")
        }
        let isText = field.value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
        guard isText else { throw fail("its value has control characters") }
        // RFC 9113 §8.2.1
        guard let first = field.value.first, let last = field.value.last else {
            return try add(name, "", fail)
        }
        guard !first.isWhitespace && !last.isWhitespace else {
            throw fail("its value begins or ends with a blank")
        }
        try add(name, field.value, fail)
    }

    private mutating func add(
        _ name: String, _ value: String, _ fail: (String) -> FanfareError
    ) throws(FanfareError) {
        switch name {
        case "host":
            guard Self.isAuthority(value) else {
                throw fail("not a host, with a port or without: example.com:8443, [::1]")
            }
            authority = value
        case "content-length" where value != "\(body.count)":
            // RFC 9113 §8.1.1: the peer would call it malformed.
            throw fail("the body has \(body.count) bytes")
        default:
            fields.append(Field(name: name, value: value))
        }
    }

    /// True if a text is a host and perhaps a port, without user information. RFC 9113 §8.3.1, RFC
    /// 3986 §3.2
    private static func isAuthority(_ text: String) -> Bool {
        var rest = Substring(text)
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return false }
            let address = rest[..<end].dropFirst()
            guard !address.isEmpty,
                address.utf8.allSatisfy({ $0.isUnreserved || $0 == 0x3A })
            else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            let host = rest.prefix { $0 != ":" }
            guard !host.isEmpty,
                host.utf8.allSatisfy({ $0.isUnreserved || "%!$&'()*+,;=".utf8.contains($0) })
            else { return false }
            rest = rest[host.endIndex...]
        }
        guard !rest.isEmpty else { return true }
        return rest.first == ":" && UInt16(rest.dropFirst()) ?? 0 > 0
    }

    /// The header's size as peers count it, with the endpoint's parts at their longest. RFC 9113
    /// §6.5.2
    private var headerBytes: Int {
        var bytes = 1024 + method.utf8.count + path.utf8.count
        for field in fields { bytes += field.name.utf8.count + field.value.utf8.count + 32 }
        return bytes
    }

    /// True if a text is a token. RFC 9110 §5.6.2
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isTokenCharacter)
    }
}
