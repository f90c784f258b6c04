import Fanfare
import FanfareTestSupport
import Testing

/// A client of the library against another implementation's server.
@Suite(
    .enabled(if: ServerProcess.Program.nghttpd.isAvailable, ServerProcess.Program.nghttpd.absence))
struct PushClientServerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ options: String...) throws -> (server: ServerProcess, client: PushClient) {
        let server = try ServerProcess(.nghttpd, folder: folder) { [folder] port in
            ["-a", "127.0.0.1", "-d", folder.url.path] + options
                + ["\(port)", folder.path("server.pem"), folder.path("server.pem")]
        }
        var configuration = Configuration()
        configuration.provider = server.provider
        configuration.provider.topic = "com.example.app"
        configuration.payload = .template(#"{"aps":{"alert":"hi"}}"#)
        configuration.engine.attemptsMax = 1
        configuration.engine.lanes = 1
        return (server, try PushClient(configuration))
    }

    @Test func `tasks share the few streams of a connection`() async throws {
        let (server, client) = try start("--echo-upload", "-m", "10")
        let kinds = try await withThrowingTaskGroup(of: PushOutcome.Kind.self) {
            group -> [PushOutcome.Kind] in
            for row in 1...200 {
                group.addTask { try await client.send(PushRow(token: Rows.token(row))).kind }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(kinds.count == 200 && kinds.allSatisfy { $0 == .accepted })
        await client.shutdown()
        withExtendedLifetime(server) {}
    }

    @Test func `an answer without meaning is an outcome, and the client goes on`() async throws {
        // Without --echo-upload it answers 404 with a page of HTML.
        let (server, client) = try start()
        for row in 1...3 {
            let outcome = try await client.send(PushRow(token: Rows.token(row)))
            #expect(outcome.kind == .failed && outcome.status == 404)
        }
        await client.shutdown()
        withExtendedLifetime(server) {}
    }
}
