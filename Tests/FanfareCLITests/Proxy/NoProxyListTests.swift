import FanfareCLI
import Testing

@Suite struct NoProxyListTests {
    private func contains(_ list: String, _ host: String, port: UInt16 = 443) -> Bool {
        NoProxyList(list).contains(host, port: port)
    }

    // The cases of curl's tests/unit/unit1614.c that are about names, and its manual.
    @Test(arguments: [
        ("www.example.com", "localhost,.example.com,.example.de", true),
        ("www.example.com.", "localhost,.example.com,.example.de", true),
        ("example.com", "localhost,.example.com,.example.de", true),
        ("example.com.", "localhost,.example.com,.example.de", true),
        ("www.example.com", "localhost,.example.com.,.example.de", true),
        ("www.example.com", "localhost,www.example.com.,.example.de", true),
        ("example.com", "localhost,example.com,.example.de", true),
        ("example.com.", "localhost,example.com,.example.de", true),
        ("nexample.com", "localhost,example.com,.example.de", false),
        ("www.example.com", "localhost,example.com,.example.de", true),
        ("127.0.0.1", "127.0.0.1,localhost", true),
        ("127.0.0.1", "127.0.0.1,localhost,", true),
        ("127.0.0.1", "127.0.0.1/8,localhost,", true),
        ("127.0.0.1", "127.0.0.1/28,localhost,", true),
        ("127.0.0.1", "127.0.0.1/31,localhost,", true),
        ("127.0.0.1", "localhost,127.0.0.1", true),
        ("localhost", "localhost,127.0.0.1", true),
        ("localhost", "127.0.0.1,localhost", true),
        ("foobar", "barfoo", false), ("foobar", "foobar", true), ("192.168.0.1", "foobar", false),
        ("192.168.0.1", "192.168.0.0/16", true), ("192.168.0.1", "192.168.0.0/24", true),
        ("192.168.0.1", "192.168.0.0/32", false), ("192.168.1.1", "192.168.0.0/24", false),
        ("192.168.1.1", "foo, bar, 192.168.0.0/24", false),
        ("192.168.1.1", "foo, bar, 192.168.0.0/16", true),
        ("::1", "foo, bar, 192.168.0.0/16", false), ("::1", "foo, bar, ::1/64", true),
        ("bar", "foo, bar, ::1/64", true), ("BAr", "foo, bar, ::1/64", true),
        ("BAr", "foo,,,,,              bar, ::1/64", true),
        ("www.example.com", "foo, .example.com", true),
        ("example.com", "www.example.com", false),
    ])
    func `the same hosts are meant as by curl`(host: String, list: String, expected: Bool) {
        #expect(contains(list, host) == expected)
    }

    @Test func `a star is every host, an empty list none`() {
        #expect(contains("*", "api.push.apple.com") && contains("*", "::1"))
        #expect(!contains("", "api.push.apple.com") && !contains(" , ,", "host"))
        #expect(!contains(".", "host") && !contains(".", "host."))
    }

    @Test(
        arguments: [
            ("host.example:8443", "host.example", 8443, true),
            ("host.example:8443", "host.example", 443, false),
            (".example:8443", "host.example", 8443, true),
            ("10.0.0.1:443", "10.0.0.1", 443, true), ("10.0.0.1:443", "10.0.0.1", 444, false),
            ("[fd00::1]", "fd00::1", 443, true), ("[fd00::1]:443", "fd00::1", 443, true),
            ("[fd00::1]:444", "fd00::1", 443, false), ("fd00::/8", "fd00::1", 443, true),
            ("fd00:0::1", "fd00::1", 443, true), ("*.example", "host.example", 443, true),
        ] as [(String, String, UInt16, Bool)])
    func `a port makes a word hold for that port alone`(
        list: String, host: String, port: UInt16, expected: Bool
    ) {
        #expect(contains(list, host, port: port) == expected)
    }

    @Test(arguments: [
        "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/a", "10.0.0.0/", "/8", "[10.0.0.1", "::/129",
    ])
    func `what is no network has no address in it`(list: String) {
        #expect(!contains(list, "10.0.0.1"))
    }
}
