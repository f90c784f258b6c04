import FanfareBase
import FanfareCore
import FanfareTLS
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Requests for access tokens over real sockets.
@Suite struct TokenAskerTests {
    /// Tue, 14 Nov 2023 22:13:20 GMT, in UNIX seconds.
    private static let now: Int64 = 1_700_000_000
    private static let granted =
        #"{"access_token":"ya29.a","expires_in":3599,"token_type":"Bearer"}"#

    /// A client's way to a server.
    private struct Way: Sendable {
        var authority: SelfSignedAuthority?
        var proxyPort: UInt16?
        var limit = Duration.seconds(60)
        var versions = HTTPVersions.http2

        func made(to endpoint: Endpoint) throws -> ServiceWay {
            var tls: TLSClientSettings?
            if let authority {
                var settings = ClientTLSConfiguration()
                settings.caPEM = authority.caPEM
                settings.offer(versions)
                tls = TLSClientSettings(
                    context: try TLSContext(client: settings), serverName: endpoint.host)
            }
            let proxy = proxyPort.map { port in
                TunnelSettings(
                    proxy: Proxy(host: "127.0.0.1", port: port), target: endpoint,
                    authorization: nil)
            }
            return ServiceWay(endpoint: endpoint, tls: tls, proxy: proxy, versions: versions)
        }
    }

    private func server(
        _ answers: TokenServer.Answer..., with authority: SelfSignedAuthority,
        tunnel: String? = nil
    ) throws -> TokenServer {
        try TokenServer(
            answers,
            tls: TLSContext(server: ServerTLSConfiguration(identity: authority.identity)),
            tunnel: tunnel)
    }

    /// Asks a server so many times as a service account.
    private func ask(
        port: UInt16, times: Int = 1, by way: Way = Way(),
        interruption: TokenInterruption = TokenInterruption()
    ) async throws -> [String] {
        let url = "\(way.authority == nil ? "http" : "https")://127.0.0.1:\(port)/token"
        let account = try KeyFiles.account(KeyFiles.serviceAccount(["token_uri": url]))
        return try await onOwnThread {
            let asker = TokenAsker(
                ways: [try way.made(to: account.endpoint)], limit: way.limit,
                unixSeconds: { Self.now }, interruption: interruption)
            return try (0..<times).map { _ in
                let request = try account.tokenRequest(now: Self.now)
                let told = asker.ask(request, as: account.email).told
                #expect(!told.contains("eyJ") && !told.contains("assertion="))
                return told
            }
        }
    }

    private func answer(to answer: TokenServer.Answer) async throws -> String {
        let server = try TokenServer([answer])
        return try #require(try await ask(port: server.port).first)
    }

    @Test func `a token comes over TLS`() async throws {
        let authority = try SelfSignedAuthority()
        let server = try server(.says(200, Self.granted), with: authority)
        let told = try await ask(port: server.port, by: Way(authority: authority))
        #expect(told == ["ya29.a for 3599 s"])
        let heard = try #require(server.heard.first)
        #expect(heard.line == "POST https://127.0.0.1:\(server.port)/token")
        #expect(heard.contentType == "application/x-www-form-urlencoded")
        #expect(heard.authorization.isEmpty)
        #expect(heard.body.hasPrefix("assertion=eyJ"))
        #expect(
            heard.body.hasSuffix(
                "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"))
    }

    @Test func `a service that is down is asked again on another connection`() async throws {
        let server = try TokenServer([
            .says(503, "<html>", fields: [("retry-after", "7")]), .says(200, Self.granted),
        ])
        let told = try await ask(port: server.port, times: 2)
        #expect(
            told == [
                "for now: 127.0.0.1 gives no access token now: it answers 503, again in 7 s",
                "ya29.a for 3599 s",
            ])
        #expect(server.heard.count == 2)
    }

    @Test func `a key that was revoked is refused for good`() async throws {
        let body = #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#
        let told = try await answer(to: .says(400, body))
        #expect(told.hasPrefix("for good: 127.0.0.1 does not accept the key of push@example.iam."))
        #expect(told.contains("it was revoked"))
    }

    @Test func `a clock that is off is told by how much`() async throws {
        let body =
            #"{"error":"invalid_grant","error_description":"Invalid JWT: Token must be a "#
            + #"short-lived token (60 minutes) and in a reasonable timeframe. Check your iat "#
            + #"and exp values in the JWT claim."}"#
        let told = try await answer(
            to: .says(400, body, fields: [("date", "Tue, 14 Nov 2023 23:13:20 GMT")]))
        #expect(told.hasPrefix("for good: "))
        #expect(
            told.hasSuffix("this machine's clock is 1 h 00 min behind; set it, and begin again"))
    }

    @Test func `an identity is no access token`() async throws {
        let told = try await answer(to: .says(200, #"{"id_token":"eyJ0"}"#))
        #expect(told.hasPrefix("for good: 127.0.0.1 answers with an identity"))
    }

    @Test func `a page is no answer`() async throws {
        let told = try await answer(to: .says(200, "<!DOCTYPE html><p>Sign in</p>"))
        #expect(told.hasPrefix("for good: 127.0.0.1 gives push@"))
        #expect(told.hasSuffix("no access token: it answers 200"))
    }

    @Test func `of a megabyte as much is read as any answer has`() async throws {
        let body = #"{"access_token":"\#(String(repeating: "a", count: 1_000_000))"}"#
        #expect(
            try await answer(to: .says(200, body)).hasSuffix("no access token: it answers 200"))
        // The bound is that of the body.
        let most = #"{"access_token":"ya29.b","expires_in":60,"x":""#
        let long =
            most + String(repeating: " ", count: Limits.tokenAnswerBytes - most.utf8.count - 2)
        #expect(try await answer(to: .says(200, long + #""}"#)) == "ya29.b for 60 s")
    }

    @Test func `an answer that breaks off is none`() async throws {
        let told = try await answer(to: .breaksOff(200, Self.granted))
        #expect(told.hasPrefix("for now: no access token from 127.0.0.1: "))
        #expect(told.hasSuffix(" before the end of an answer"))
    }

    /// RFC 9112 §6.3, 8: without a length all is content that comes before the end of the connection.
    @Test(arguments: ["HTTP/1.0 200 OK", "HTTP/1.1 200 OK\r\nconnection: close"])
    func `an answer without a length ends with its connection`(head: String) async throws {
        let server = try TokenServer([.ends("\(head)\r\n\r\n\(Self.granted)")])
        let told = try await ask(port: server.port, by: Way(versions: .either))
        #expect(told == ["ya29.a for 3599 s"])
        #expect(server.heard.count == 1)
    }

    /// RFC 9112 §9.8: without close_notify its last bytes may be missing.
    @Test(arguments: [true, false])
    func `over TLS such an answer is whole behind close_notify alone`(
        isInOrder: Bool
    ) async throws {
        let authority = try SelfSignedAuthority()
        var settings = ServerTLSConfiguration(identity: authority.identity)
        settings.alpn = "http/1.1"
        let server = try TokenServer(
            [.ends("HTTP/1.0 200 OK\r\n\r\n\(Self.granted)", inOrder: isInOrder)],
            tls: TLSContext(server: settings))
        let told = try await ask(
            port: server.port, by: Way(authority: authority, versions: .either))
        #expect((told == ["ya29.a for 3599 s"]) == isInOrder)
        #expect((told.first?.hasSuffix(" before the end of an answer") == true) == !isInOrder)
    }

    @Test func `an answer that is shorter than it says breaks off`() async throws {
        let server = try TokenServer([
            .ends("HTTP/1.0 200 OK\r\ncontent-length: 90\r\n\r\n\(Self.granted)")
        ])
        let told = try await ask(port: server.port, by: Way(versions: .either))
        #expect(told.first?.hasSuffix(" before the end of an answer") == true)
    }

    @Test func `a request that is reset has no answer`() async throws {
        #expect(
            try await answer(to: .resets)
                == "for now: no access token from 127.0.0.1: it has ended the request "
                + "(INTERNAL_ERROR (2))")
    }

    @Test func `a service that says nothing is left when its time is over`() async throws {
        let server = try TokenServer([.nothing])
        let told = try await ask(port: server.port, by: Way(limit: .milliseconds(50)))
        #expect(told == ["for now: no access token from 127.0.0.1: no answer within 50 ms"])
    }

    @Test func `a port on which no process listens is told`() async throws {
        let server = try TokenServer([])
        let told = try await ask(port: server.port)
        #expect(told.first?.hasPrefix("for now: no access token from 127.0.0.1: ") == true)
        #expect(told.first?.contains("connection refused") == true)
        #expect(told.first?.contains("\(server.port)") == true)
    }

    @Test func `a certificate that is not trusted is refused for good`() async throws {
        let server = try server(.nothing, with: SelfSignedAuthority())
        let told = try await ask(port: server.port, by: Way(authority: SelfSignedAuthority()))
        #expect(
            told.first?.hasPrefix(
                "for good: no access token from 127.0.0.1: the server's certificate was not "
                    + "accepted") == true)
        #expect(server.heard.isEmpty)
    }

    @Test func `a server that does not speak HTTP2 is refused for good`() async throws {
        let authority = try SelfSignedAuthority()
        var settings = ServerTLSConfiguration(identity: authority.identity)
        settings.alpn = "http/1.1"
        let server = try TokenServer([.nothing], tls: TLSContext(server: settings))
        let told = try await ask(port: server.port, by: Way(authority: authority))
        #expect(told.first?.hasPrefix("for good: no access token from 127.0.0.1: ") == true)
        // Advice about the provider is not for this server.
        #expect(told.first?.contains("ProviderOptions") == false)
    }

    // MARK: Proxies

    @Test func `a proxy leads to the service`() async throws {
        let authority = try SelfSignedAuthority()
        let server = try server(
            .says(200, Self.granted), with: authority,
            tunnel: "HTTP/1.1 200 Connection established\r\n\r\n")
        let way = Way(authority: authority, proxyPort: server.port)
        #expect(try await ask(port: 9, by: way) == ["ya29.a for 3599 s"])
        #expect(server.tunnels == ["CONNECT 127.0.0.1:9 HTTP/1.1"])
        #expect(server.heard.map(\.line) == ["POST https://127.0.0.1:9/token"])
    }

    @Test func `a proxy that refuses is named`() async throws {
        let authority = try SelfSignedAuthority()
        let server = try server(
            .nothing, with: authority,
            tunnel: "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
        let way = Way(authority: authority, proxyPort: server.port)
        let told = try #require(try await ask(port: 9, by: way).first)
        #expect(told.hasPrefix("for good: no access token from 127.0.0.1: "))
        #expect(told.contains("127.0.0.1:\(server.port)") && told.contains("407"))
    }

    // MARK: Ends

    @Test func `a request that is under way is cut short`() async throws {
        let server = try TokenServer([.nothing])
        let interruption = TokenInterruption()
        async let told = ask(port: server.port, times: 2, interruption: interruption)
        try await Poll.wait { server.heard.count == 1 }
        interruption.end()
        // The second one is not begun.
        #expect(
            try await told == [
                "for now: no access token from 127.0.0.1: the job has ended",
                "for now: the job has ended",
            ])
        #expect(server.heard.count == 1)
    }
}
