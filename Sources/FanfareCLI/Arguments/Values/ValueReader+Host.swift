import FanfareBase
import FanfareCore

extension ValueReader {
    /// Reads a host that rows may name: `hooks.example.org`, `.example.org`, `*`, with a port or without.
    package static func allowedHost(_ text: String) throws(ValueFault) -> String {
        guard DeclaredHost(text) != nil else {
            throw ValueFault(
                "is no host; write a name, .example.org for all below it, or *, with a port behind a "
                    + "colon if need be", example: "hooks.example.org")
        }
        return text
    }

    /// Reads a name by which others know a server of ours: `jobs.example.org`.
    package static func serverName(_ text: String) throws(ValueFault) -> String {
        guard !text.isEmpty, text.utf8.count <= Limits.hostNameBytesMax,
            text.utf8.allSatisfy({ $0.isLetterOrDigit || "-._".utf8.contains($0) })
        else {
            throw ValueFault(
                "is no name of a server; write it without a scheme, a port and a path",
                example: "jobs.example.org")
        }
        return text
    }
}

extension Limits {
    /// The longest name in DNS, as people write it. RFC 1035 §2.3.4
    static let hostNameBytesMax = 254
}
