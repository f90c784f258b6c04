import FanfareBase

/// A host and a port, before any name is looked up.
package struct HostPort: Equatable, Sendable {
    /// A name or an address; an IPv6 address without its brackets.
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// True if the host cannot be another machine: `localhost`, 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension ValueReader {
    /// `host:port`, `1.2.3.4:port` or `[::1]:port`.
    ///
    /// Port 0 lets the system choose, which only a server can make use of.
    package static func hostPort(
        _ text: String, allowsPortZero: Bool = false
    ) throws(ValueFault) -> HostPort {
        let (host, port) = try splitHost(text)
        guard let port else {
            if UInt16(text) != nil {
                throw ValueFault("is a port without its host", example: "127.0.0.1:\(text)")
            }
            throw ValueFault("has no port", example: "\(text):8443")
        }
        return HostPort(host: host, port: try Self.port(port, allowsZero: allowsPortZero))
    }

    package static func port(
        _ text: String, allowsZero: Bool = false
    ) throws(ValueFault) -> UInt16 {
        let isDigits = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isDigits, let port = UInt16(text), allowsZero || port > 0 else {
            throw ValueFault("has a port that is not between \(allowsZero ? 0 : 1) and 65535")
        }
        return port
    }

    /// Splits and checks the host; the port is nil without a colon for it.
    static func splitHost(_ text: String) throws(ValueFault) -> (host: String, port: String?) {
        if text.hasPrefix("[") {
            guard let (host, rest) = String(text.dropFirst()).parts(at: "]"),
                rest.isEmpty || rest.hasPrefix(":"), isIPv6(host)
            else { throw ValueFault("has no IPv6 address in its brackets", example: "[::1]:8443") }
            return (host, rest.isEmpty ? nil : String(rest.dropFirst()))
        }
        guard let colon = text.firstIndex(of: ":") else {
            return (try checkedName(text), nil)
        }
        let port = text[text.index(after: colon)...]
        guard !port.contains(":") else {
            throw ValueFault("has an IPv6 address without brackets", example: "[::1]:8443")
        }
        return (try checkedName(String(text[..<colon])), String(port))
    }

    /// Letters, digits, hyphens, points and underscores: names as DNS and people use them.
    private static func checkedName(_ name: String) throws(ValueFault) -> String {
        guard !name.isEmpty else { throw ValueFault("has no host before its port") }
        let isName = name.utf8.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
        guard isName else { throw ValueFault("has a host that is neither a name nor an address") }
        return name
    }

    /// Returns true if a text has the shape of an IPv6 address; the system reads it.
    private static func isIPv6(_ text: String) -> Bool {
        let address = text.prefix { $0 != "%" }
        return address.contains(":")
            && address.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x3A, 0x41...0x46, 0x61...0x66: true
                default: byte == UInt8(ascii: ".")
                }
            }
    }
}
