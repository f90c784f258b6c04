import Fanfare
import FanfareCLI
import Testing

@Suite struct AddressReaderTests {
    private func fault<Value>(
        _ text: String, _ read: (String) throws(ValueFault) -> Value
    ) -> ValueFault? {
        do throws(ValueFault) {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    private func hostPort(_ text: String) throws(ValueFault) -> HostPort {
        try ValueReader.hostPort(text)
    }

    @Test(
        arguments: [
            ("127.0.0.1:8443", "127.0.0.1", 8443), ("localhost:1", "localhost", 1),
            ("[::1]:65535", "::1", 65535), ("[fe80::1%eth0]:443", "fe80::1%eth0", 443),
            ("[::ffff:1.2.3.4]:80", "::ffff:1.2.3.4", 80),
            ("api.push.example.com:443", "api.push.example.com", 443),
        ] as [(String, String, UInt16)])
    func `an address is a host and a port`(text: String, host: String, port: UInt16) throws {
        #expect(try hostPort(text) == HostPort(host: host, port: port))
    }

    @Test(arguments: [
        "", ":", ":8443", "localhost", "localhost:", "localhost:0", "localhost:65536",
        "localhost:-1", "localhost:+1", "localhost:8 4", "::1:8443", "[::1]", "[::1]8443",
        "[]:1", "[::1:8443", "[localhost]:1", "[::g]:1", "a b:1", "a/b:1", "ü:1", "a:1:2",
    ])
    func `what is not an address is refused`(text: String) {
        #expect(fault(text, hostPort) != nil)
    }

    @Test func `advice is a right address`() {
        #expect(fault("localhost", hostPort)?.example == "localhost:8443")
        #expect(fault("::1:8443", hostPort)?.example == "[::1]:8443")
    }

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.0.9", true),
        ("::1", true), ("127.0.0.1.example.com", false), ("127.0.0", false), ("127.0.0.256", false),
        ("128.0.0.1", false), ("localhost.example.com", false), ("::2", false), ("", false),
    ])
    func `loopback is this machine and nothing that looks like it`(host: String, expected: Bool) {
        #expect(HostPort(host: host, port: 1).isLoopback == expected)
    }

    @Test(
        arguments: [
            ("https://example.com:8443", true, "example.com", 8443),
            ("https://example.com", true, "example.com", 443),
            ("https://example.com/", true, "example.com", 443),
            ("HTTPS://[::1]:1", true, "::1", 1),
            ("http://127.0.0.1:8080", false, "127.0.0.1", 8080),
            ("http://[::1]", false, "::1", 80),
        ] as [(String, Bool, String, UInt16)])
    func `an endpoint is a URL without a path`(
        text: String, isSecure: Bool, host: String, port: UInt16
    ) throws {
        let expected = Endpoint(host: host, port: port, usesTLS: isSecure)
        #expect(try ValueReader.endpoint(text) == expected)
    }

    @Test(
        arguments: [
            ("example.com:8443", "https://example.com:8443"),
            ("http://example.com:8080", "https://example.com:8080"),
            ("ftp://example.com", "https://example.com"),
            ("https://example.com:443/3/device", "https://example.com:443"),
            ("https://example.com?x", "https://example.com"),
            ("https://", nil), ("https://:443", nil), ("https://example.com:0", nil),
            ("https://example.com//", "https://example.com"),
        ] as [(String, String?)])
    func `what is not an endpoint is refused, with advice`(text: String, example: String?) {
        let found = fault(text, ValueReader.endpoint)
        #expect(found != nil)
        #expect(found?.example == example)
        #expect(found?.isSecret == false)
    }

    /// Also where something else is wrong with it: advice would repeat it.
    @Test(arguments: [
        "https://bob:secret@example.com", "bob:secret@example.com", "ftp://bob:secret@example.com",
        "http://bob:secret@example.com:80/path", "https://bob@example.com:0",
    ])
    func `an endpoint with a user's name in it is refused and not shown`(text: String) {
        let found = fault(text, ValueReader.endpoint)
        #expect(found?.isSecret == true)
        #expect(found?.example == nil)
        #expect(found?.problem.contains("secret") == false)
    }
}
