import FanfareCLI
import Testing

/// The names under which the servers of a job answer.
@Suite struct ServerNamesTests {
    private static let names = ServerNames(
        given: ["Jobs.Example.", "fanfare"], machine: "build7.Corp.example",
        domains: ["corp.example", "lab.example"])

    @Test(arguments: [
        nil, "", "127.0.0.1", "0.0.0.0:9464", "192.0.2.7:80", "255.255.255.255", "[::1]",
        "[::1]:9464", "[2001:db8::7]:1", "[::ffff:192.0.2.7]", "localhost", "LOCALHOST:1",
        "localhost.", "build7", "BUILD7:9464", "build7.corp.example", "build7.lab.example:9464",
        "build7.local", "jobs.example", "JOBS.example.:443", "fanfare:9464",
    ])
    func `an address, a name of this machine and one that was given are answered`(host: String?) {
        #expect(Self.names.contain(host))
    }

    @Test(arguments: [
        "attacker.example", "127.0.0.1.attacker.example", "localhost.attacker.example",
        "build7.attacker.example", "build7.corp.example.attacker.example", "corp.example",
        "build8", "x.jobs.example", "example", "fanfare.example", "1.2.3", "2130706433",
        "0x7f.0.0.1", "1.2.3.256", "+1.2.3.4", "127.0.0.1.example:80", "[attacker.example]", "[::1",
        "[::1]attacker.example", "[127.0.0.1]", "[::1].attacker.example:80", "::1", "@127.0.0.1",
        "127.0.0.1@attacker.example", "attacker.example:127.0.0.1", " ", ".", "local",
    ])
    func `any other name is refused`(host: String) {
        #expect(!Self.names.contain(host))
    }

    @Test func `a machine without a name has none but localhost`() {
        let names = ServerNames()
        #expect(names.contain("localhost") && names.contain("10.0.0.1"))
        for host in ["local", ".local", ".", "build7", "example"] {
            #expect(!names.contain(host), "\(host)")
        }
    }

    @Test func `the refusal says which option makes it right, and repeats nothing but a name`() {
        #expect(
            Self.names.refusal(of: "Prometheus.example:9464")
                == "this server is not known as prometheus.example; if that is a name of it, give "
                + "the job --page-host prometheus.example")
        for host in [
            nil, "<b>.example", "a b", "", "\u{1B}[31m", String(repeating: "a", count: 300),
        ] {
            #expect(
                Self.names.refusal(of: host)
                    == "this server has no such name; --page-host gives it another one")
        }
    }

    /// As resolv.conf(5) has them.
    @Test func `the domains are those of the resolver's settings`() {
        let settings = """
            # search comment.example
            nameserver 192.0.2.53
            search default.svc.cluster.local\tsvc.cluster.local cluster.local
            domain corp.example
            options ndots:5
            searching no.example
            """
        #expect(
            ServerNames.domains(settings)
                == [
                    "default.svc.cluster.local", "svc.cluster.local", "cluster.local",
                    "corp.example",
                ]
        )
        #expect(ServerNames.domains("") == [])
    }

    @Test(arguments: ["jobs.example.org", "fanfare", "fanfare.july.svc", "a_b-c.example"])
    func `a name may be given`(text: String) throws {
        #expect(try ValueReader.serverName(text) == text)
    }

    @Test(arguments: [
        "", "http://jobs.example", "jobs.example:9464", "jobs.example/", "a b", "*", "[::1]",
        "caf\u{E9}.example", String(repeating: "a", count: 255),
    ])
    func `anything else is no name`(text: String) {
        #expect(throws: ValueFault.self) { try ValueReader.serverName(text) }
    }
}
