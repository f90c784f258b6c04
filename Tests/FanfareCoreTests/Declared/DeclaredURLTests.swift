import FanfareCore
import Testing

@Suite struct DeclaredURLTests {
    private func hosts(_ texts: [String], allowsPrivate: Bool = false) throws -> RowHosts {
        RowHosts(try texts.map { try #require(DeclaredHost($0)) }, allowsPrivate: allowsPrivate)
    }

    @Test(arguments: [
        ("https://Hooks.Example.org", "https://hooks.example.org", "/"),
        ("https://hooks.example.org/in?a=b&c", "https://hooks.example.org", "/in?a=b&c"),
        ("https://hooks.example.org:443/", "https://hooks.example.org", "/"),
        ("https://hooks.example.org?a", "https://hooks.example.org", "/?a"),
        ("HTTPS://a.b.example.com/x%20y", "https://a.b.example.com", "/x%20y"),
    ])
    func `a row's URL is taken apart`(text: String, origin: String, path: String) throws {
        let url = try DeclaredURL(
            row: text, hosts: hosts(["hooks.example.org", ".example.com"]))
        #expect(url.origin == origin)
        #expect(url.path == path)
    }

    /// The attacks in the reference's reports: other hosts, addresses in any writing, names before
    /// the host, and characters that would end the line of a request.
    @Test(arguments: [
        ("http://hooks.example.org/", DeclaredURL.Fault.notEncrypted),
        ("https://user@hooks.example.org/", .user), ("https://hooks.example.org@evil/", .user),
        ("https://hooks.example.org/#x", .fragment), ("ftp://hooks.example.org/", .malformed),
        ("https:/hooks.example.org", .malformed), ("https://", .malformed), ("", .malformed),
        ("https://hooks.example.org /", .malformed),
        ("https://hooks.example.org/a\r\nb", .malformed),
        ("https://hooks.example.org\\@evil", .malformed),
        ("https://h\u{F6}ks.example.org", .malformed),
        ("https://hooks.example.org.", .malformed), ("https://.example.org", .malformed),
        ("https://hooks.example.org:0/", .malformed),
        ("https://hooks.example.org:65536/", .malformed),
        ("https://hooks.example.org:8443/", .otherPort(8443)),
        ("https://evil/", .otherHost("evil")),
        ("https://hooks.example.org.evil/", .otherHost("hooks.example.org.evil")),
        ("https://xhooks.example.org/", .otherHost("xhooks.example.org")),
        ("https://10.0.0.1/", .address), ("https://[::1]/", .address),
        ("https://2130706433/", .address),
        ("https://0x7f.1/", .address), ("https://0x7f000001/", .address),
        ("https://127.1/", .address),
        ("https://localhost/", .address), ("https://a.localhost/", .address),
        ("https://[fe80::1%25eth0]/", .malformed), ("https://[::ffff:10.0.0.1]/", .address),
        ("https://hooks.example.org/" + String(repeating: "a", count: 2048), .tooLong),
    ])
    func `a row's URL that is not to be asked is told`(text: String, fault: DeclaredURL.Fault)
        throws
    {
        let listed = try hosts(["hooks.example.org"])
        #expect(throws: fault) { try DeclaredURL(row: text, hosts: listed) }
    }

    @Test func `any host is no address`() throws {
        let any = try hosts(["*"])
        #expect(try DeclaredURL(row: "https://a.example", hosts: any).host == "a.example")
        #expect(throws: DeclaredURL.Fault.address) {
            try DeclaredURL(row: "https://10.0.0.1", hosts: any)
        }
        #expect(throws: DeclaredURL.Fault.address) {
            try DeclaredURL(row: "https://localhost", hosts: any)
        }
        #expect(throws: DeclaredURL.Fault.otherPort(8443)) {
            try DeclaredURL(row: "https://a.example:8443", hosts: any)
        }
        #expect(try DeclaredURL(row: "https://a.example:8443", hosts: hosts(["*:*"])).port == 8443)
    }

    @Test func `an address that is listed itself may be asked`() throws {
        let listed = try hosts(["127.0.0.1:8080", "[::1]:*", "10.0.0.1"])
        let url = try DeclaredURL(row: "http://127.0.0.1:8080/in", hosts: listed)
        #expect(url.origin == "http://127.0.0.1:8080" && url.path == "/in")
        #expect(try DeclaredURL(row: "http://[::1]:9/", hosts: listed).origin == "http://[::1]:9")
        #expect(try DeclaredURL(row: "https://10.0.0.1/", hosts: listed).host == "10.0.0.1")
        // In the clear only this machine.
        #expect(throws: DeclaredURL.Fault.notEncrypted) {
            try DeclaredURL(row: "http://10.0.0.1:443/", hosts: listed)
        }
    }

    @Test func `private hosts may be named where that is allowed`() throws {
        let all = try hosts(["*:*"], allowsPrivate: true)
        #expect(try DeclaredURL(row: "http://127.0.0.1:8080/", hosts: all).port == 8080)
        #expect(try DeclaredURL(row: "https://10.0.0.1/", hosts: all).host == "10.0.0.1")
        // In the clear only this machine, and the list counts all the same.
        #expect(throws: DeclaredURL.Fault.notEncrypted) {
            try DeclaredURL(row: "http://10.0.0.1/", hosts: all)
        }
        #expect(throws: DeclaredURL.Fault.otherHost("10.0.0.1")) {
            try DeclaredURL(
                row: "https://10.0.0.1/", hosts: hosts([".example.org"], allowsPrivate: true))
        }
    }

    @Test func `a name means no address, and a listed address does`() throws {
        let listed = try hosts(["hooks.example.org", "127.0.0.1", "localhost"])
        #expect(listed.allowsPrivate(try DeclaredURL(service: "https://127.0.0.1")))
        #expect(listed.allowsPrivate(try DeclaredURL(service: "https://localhost")))
        #expect(!listed.allowsPrivate(try DeclaredURL(service: "https://127.0.0.2")))
        #expect(!listed.allowsPrivate(try DeclaredURL(service: "https://hooks.example.org")))
    }

    @Test(arguments: [
        "", "*.example.org", "a b", "a:", "a:0", "a:x", "[::1", "..a", "https://a", "é",
    ])
    func `what is no host is none`(text: String) {
        #expect(DeclaredHost(text) == nil)
    }

    @Test(arguments: [
        ("https://api.example.com", "https://api.example.com"),
        ("https://api.example.com/", "https://api.example.com"),
        ("https://api.example.com:8443", "https://api.example.com:8443"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("https://10.0.0.1", "https://10.0.0.1"),
        ("https://[2001:db8::1]:444", "https://[2001:db8::1]:444"),
    ])
    func `an origin of settings is read`(text: String, origin: String) throws {
        #expect(try DeclaredURL(origin: text).origin == origin)
    }

    @Test(arguments: [
        ("http://api.example.com", DeclaredURL.Fault.notEncrypted),
        ("https://api.example.com/v1", .path), ("https://api.example.com?x", .path),
        ("https://a@api.example.com", .user), ("api.example.com", .malformed),
        ("https://api.example.com/../x y", .malformed),
    ])
    func `an origin that is more than that is told`(text: String, fault: DeclaredURL.Fault) {
        #expect(throws: fault) { try DeclaredURL(origin: text) }
    }
}
