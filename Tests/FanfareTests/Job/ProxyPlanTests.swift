import FanfareTestSupport
import Glibc
import Testing

@testable import Fanfare

/// The request that opens a tunnel, and what is wrong with it before anything is sent.
@Suite struct ProxyPlanTests {
    private func tunnel(
        to endpoint: Endpoint = .apns(.production, port: 443),
        _ credentials: ProxyCredentials = .none, verifies: Bool = true
    ) throws -> TunnelSettings {
        var configuration = Preparation.configuration("token\naa\n", payload: #"{"aps":{}}"#)
        configuration.provider.endpoint = endpoint
        configuration.provider.verifiesServer = verifies
        configuration.provider.proxy = Proxy(host: "proxy.example", port: 3128)
        configuration.provider.proxy?.credentials = credentials
        let plan = try PreparedJob(configuration, identity: Preparation.identity)
        return try #require(try plan.laneSettings()[0].connection.proxy)
    }

    private func request(_ tunnel: TunnelSettings) -> String {
        tunnel.request.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    // RFC 9112 §3.2.3: authority-form, with the port in any case.
    @Test(
        arguments: [
            (Endpoint.apns(.production, port: 443), "api.push.apple.com:443"),
            (Endpoint.apns(.sandbox, port: 2197), "api.sandbox.push.apple.com:2197"),
            (Endpoint(host: "2001:db8::5", port: 8443), "[2001:db8::5]:8443"),
        ] as [(Endpoint, String)])
    func `the proxy is asked for the provider's host and port`(
        endpoint: Endpoint, target: String
    ) throws {
        #expect(
            request(try tunnel(to: endpoint))
                == "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\nUser-Agent: fanfare\r\n\r\n")
    }

    // RFC 7617 §2 has the first, and its text in Base64.
    @Test(arguments: [
        ("Aladdin:open sesame\n", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("u:\r\nmore\n", "dTo="),
        (":", "Og=="),
    ])
    func `user and password stand in the first line of a file`(text: String, code: String) throws {
        let folder = try TemporaryFolder()
        let tunnel = try tunnel(.file(try folder.write(text, to: "password.txt")))
        #expect(tunnel.isAuthenticated)
        let field = "\r\nProxy-Authorization: Basic \(code)\r\n\r\n"
        #expect(request(tunnel).hasSuffix(field))
    }

    @Test func `or in a variable, percent-encoded`() throws {
        // One after another: the environment is everybody's.
        for (url, code) in [
            ("http://Aladdin:open%20sesame@proxy.example:3128", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("u@proxy.example:3128", "dTo="), ("http://u:a%3Ab@h:1", "dTphOmI="),
        ] {
            setenv("FANFARE_TEST_PROXY_PLAN", url, 1)
            let tunnel = try tunnel(.environment("FANFARE_TEST_PROXY_PLAN"))
            #expect(request(tunnel).contains("Basic \(code)\r\n"))
        }
    }

    @Test func `what does not read as user and password is refused without showing it`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("opensesame\n", to: "password.txt")
        setenv("FANFARE_TEST_PROXY_FAULT", "http://u:opensesame%4@h:1", 1)
        for credentials in [
            .file(path), .file(folder.path("none.txt")), .environment("FANFARE_TEST_PROXY_FAULT"),
            .environment("FANFARE_TEST_PROXY_NONE"),
        ] as [ProxyCredentials] {
            let error = fanfareError { _ = try tunnel(credentials) }
            #expect(error?.code == .configuration)
            #expect(error?.message.contains("the proxy's password") == true)
            #expect(error?.message.contains("opensesame") == false)
        }
    }

    @Test func `what cannot go through is refused`() {
        let clear = Endpoint(host: "127.0.0.1", port: 80, usesTLS: false)
        #expect(
            fanfareError { _ = try tunnel(to: clear) }?.message.contains("not encrypted") == true)
        let lines = Endpoint(host: "a\r\nX: b", port: 443)
        #expect(fanfareError { _ = try tunnel(to: lines) }?.code == .configuration)
        // The loopback address would be that of the proxy's machine.
        let local = Endpoint(host: "127.0.0.1", port: 443)
        let error = fanfareError { _ = try tunnel(to: local, verifies: false) }
        #expect(error?.message.contains("proxy.example:3128") == true)
    }
}
