import FanfareBase
import FanfareTLS
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Access tokens of a service made of python-h2 and PyJWT.
@Suite(.enabled(if: PythonEnvironment.isAvailable, PythonEnvironment.absence))
final class TokenServiceTests {
    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let port: UInt16

    init() throws {
        folder = try TemporaryFolder()
        try TestAuthority.server.writePEM(to: folder.path("server.pem"))
        try folder.write(RFC7515.rsaPublicKey, to: "public.pem")
        try folder.write("eyJ.a-b_c~d+e/f==.g", to: "subject")
        (process, port) = try PythonEnvironment.serve("token-service", in: folder)
    }

    deinit { process.send(SIGKILL) }

    private func credential(_ text: String) throws -> GoogleCredential {
        try GoogleCredential.read(
            Secret(text), file: "key.json", hints: GoogleHints(project: "", accessTokenFile: ""))
    }

    private func serviceAccount(_ path: String) throws -> GoogleCredential {
        let key = RFC7515.rsaKey.replacing("\n", with: #"\n"#)
        return try credential(
            """
            {"type":"service_account","project_id":"example-1","private_key":"\(key)",
             "client_email":"push@example-1.iam.gserviceaccount.com",
             "token_uri":"https://127.0.0.1:\(port)/\(path)"}
            """)
    }

    private static func way(to endpoint: Endpoint) throws(FanfareError) -> ServiceWay {
        var settings = ClientTLSConfiguration()
        settings.caPEM = TestAuthority.shared.caPEM
        do throws(TLSError) {
            return ServiceWay(
                endpoint: endpoint,
                tls: TLSClientSettings(
                    context: try TLSContext(client: settings), serverName: endpoint.host),
                proxy: nil)
        } catch {
            throw FanfareError(.configuration, error.statement)
        }
    }

    private func source(_ credential: GoogleCredential) throws -> AccessTokenSource {
        let source = try AccessTokenSource(
            asking: .credential(credential), patience: .seconds(900), seed: 1, way: Self.way)
        try source.begin {}
        try #require(Poll.until(seconds: 60) { source.supply != .wait })
        source.end()
        return source
    }

    @Test func `PyJWT takes our assertion, and h2 our request and our goodbye`() throws {
        let source = try source(serviceAccount("token"))
        let token = try source.grant()
        #expect(token.text == "ya29.python")
        #expect(token.life == .seconds(3599))
        #expect(Poll.until(seconds: 60) { folder.text(of: "python.log").contains("goodbye") })
    }

    @Test func `the token of another cloud becomes that of an account`() throws {
        let base = "https://127.0.0.1:\(port)"
        let account = "push@example-1.iam.gserviceaccount.com"
        let source = try source(
            credential(
                """
                {"type":"external_account","audience":"//iam.googleapis.com/projects/1",
                 "subject_token_type":"urn:ietf:params:oauth:token-type:jwt",
                 "token_url":"\(base)/exchange",
                 "service_account_impersonation_url":"\(base)/\(account):generateAccessToken",
                 "credential_source":{"file":"\(folder.path("subject"))"}}
                """))
        #expect(source.supply == .ready, "\(folder.text(of: "python.log"))")
        let token = try source.grant()
        #expect(token.text == "ya29.impersonated")
        let life = try #require(token.life)
        // From the server's date to its date of the end, in whole seconds.
        #expect(life >= .seconds(3599) && life <= .seconds(3600))
    }

    @Test func `a clock that is off is told by the date of the answer`() throws {
        guard case .refused(let text) = try source(serviceAccount("clock")).supply else {
            Issue.record("it is not refused")
            return
        }
        #expect(text.description.hasSuffix("behind; set it, and begin again"))
    }

    @Test func `a service that is busy says when it can be asked again`() async throws {
        guard case .serviceAccount(let account) = try serviceAccount("busy") else { return }
        let wish = try await onOwnThread { () -> Duration? in
            let asker = TokenAsker(
                ways: [try Self.way(to: account.endpoint)],
                unixSeconds: { Int64(Date().timeIntervalSince1970) },
                interruption: TokenInterruption())
            let request = try account.tokenRequest(now: Int64(Date().timeIntervalSince1970))
            guard case .temporary(_, let wish) = asker.ask(request, as: account.email) else {
                return nil
            }
            return wish
        }
        #expect(wish == .seconds(5))
    }
}
