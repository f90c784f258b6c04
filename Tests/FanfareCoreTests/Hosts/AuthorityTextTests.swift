import FanfareCore
import Testing

/// Hosts and ports, as RFC 3986 §3.2 has them.
@Suite struct AuthorityTextTests {
    @Test(arguments: [
        ("push.example.com", "push.example.com", nil, false),
        ("push.example.com:443", "push.example.com", 443, false),
        ("push.example.com:65535", "push.example.com", 65_535, false),
        ("127.0.0.1:80", "127.0.0.1", 80, false),
        ("[::1]", "::1", nil, true), ("[::1]:8443", "::1", 8443, true),
        // No host of any reader's, and no fault of the port.
        ("", "", nil, false), (":80", "", 80, false), ("[::1", "[:", 1, false),
    ])
    func `an authority has a host and a port`(
        text: String, host: String, port: UInt16?, isBracketed: Bool
    ) throws {
        let parts = try #require(AuthorityText(text))
        #expect(parts.host == host)
        #expect(parts.port == port)
        #expect(parts.isBracketed == isBracketed)
    }

    @Test(arguments: ["a:", "a:0", "a:65536", "a:+80", "a: 80", "a:8o", "[::1]:", "::g"])
    func `a port is a number from 1 to 65535`(text: String) {
        #expect(AuthorityText(text) == nil)
    }
}
