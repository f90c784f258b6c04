import FanfareBase
import FanfareCore
import FanfareTLS
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Notices over real sockets.
@Suite struct NoticePosterTests {
    /// Posts a notice, to a path that is a secret.
    /// - Returns: The obstacle, as it is told.
    private func post(
        to server: TokenServer, trusting authority: SelfSignedAuthority? = nil
    ) async throws -> String? {
        let scheme = authority == nil ? "http" : "https"
        let url = "\(scheme)://127.0.0.1:\(server.port)/services/T0/SECRETPART?key=SECRETVALUE"
        return try await onOwnThread {
            var options = ProviderOptions()
            options.caPEM = authority?.caPEM
            let poster = try NoticePoster(
                NoticeAddress(url), key: nil, by: options, agent: "fanfare/0")
            return poster.post(Array("{}".utf8), id: "msg_1").map { "\($0)" }
        }
    }

    /// Answers as servers of Python's standard library and of HTTP/1.0 give them.
    @Test(arguments: [
        "HTTP/1.0 200 OK\r\n\r\nok", "HTTP/1.0 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nok",
        // The head says that it was taken, and the rest may be missing.
        "HTTP/1.1 202 Accepted\r\ncontent-length: 9\r\n\r\nok",
    ])
    func `a receiver that takes it is told once`(answer: String) async throws {
        let server = try TokenServer([.ends(answer)])
        #expect(try await post(to: server) == nil)
        #expect(
            server.heard.map(\.line) == ["POST /services/T0/SECRETPART?key=SECRETVALUE HTTP/1.1"])
    }

    @Test func `TLS that is cut behind the head of a success does not matter`() async throws {
        let authority = try SelfSignedAuthority()
        var settings = ServerTLSConfiguration(identity: authority.identity)
        settings.alpn = "http/1.1"
        let server = try TokenServer(
            [.ends("HTTP/1.0 200 OK\r\n\r\nok", inOrder: false)],
            tls: TLSContext(server: settings))
        #expect(try await post(to: server, trusting: authority) == nil)
        #expect(server.heard.count == 1)
    }

    @Test func `words are shown unless they repeat the address`() async throws {
        for (words, end) in [
            ("no_service", " (no_service)"), ("no hook SECRETPART", ""),
            (#"{"path":"\/services\/T0\/SECRETPART"}"#, ""), ("bad key secretvalue", ""),
        ] {
            let server = try TokenServer([.ends("HTTP/1.0 404 Not Found\r\n\r\n\(words)")])
            #expect(
                try await post(to: server)
                    == "http://127.0.0.1:\(server.port) was not told: it answers 404\(end)")
        }
    }
}
