/// The parts of an authority, as they are written: `push.example.com:8443`, `[::1]`.
///
/// Its readers check that the host is one. RFC 3986 §3.2
package struct AuthorityText {
    /// The host; that of an address in brackets without them.
    package let host: Substring
    /// True if the host stood in brackets, as addresses of IPv6 do.
    package let isBracketed: Bool
    /// The port; `nil` if there is none.
    package let port: UInt16?

    /// Splits an authority; `nil` if there is no port from 1 to 65535 behind its colon.
    package init?(_ authority: String) {
        var host = authority[...]
        var port: UInt16?
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            let digits = authority[authority.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt16(digits), number > 0
            else { return nil }
            port = number
            host = authority[..<colon]
        }
        isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self.host = isBracketed ? host.dropFirst().dropLast() : host
        self.port = port
    }
}
