import FanfareBase
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Access tokens of a metadata server made of Python's http.server.
@Suite(.enabled(if: PythonEnvironment.isAvailable, PythonEnvironment.absence))
final class MetadataServiceTests {
    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let server: MetadataServer

    init() throws {
        folder = try TemporaryFolder()
        let port: UInt16
        (process, port) = try PythonEnvironment.serve("metadata-server", in: folder)
        server = try MetadataServer(host: "127.0.0.1:\(port)")
    }

    deinit { process.send(SIGKILL) }

    @Test func `the machine has a token and a project, asked for again after a 503`() async throws {
        let project = try await onOwnThread { [server] in try MachineProject.ask(server) }
        #expect(project == "example-1")
        let source = try AccessTokenSource(
            asking: .credential(.machine(server)), patience: .seconds(900), seed: 1
        ) { ServiceWay(toMetadataServer: $0) }
        try source.begin {}
        try #require(Poll.until(seconds: 60) { source.supply != .wait })
        source.end()
        #expect(source.supply == .ready, "\(folder.text(of: "python.log"))")
        let token = try source.grant()
        #expect(token.text == "ya29.machine")
        #expect(token.life == .seconds(3021))
    }
}

@Suite struct MissingMetadataServerTests {
    /// A port on which no process listens: below those that the system gives out.
    private let server: MetadataServer

    init() throws { server = try MetadataServer(host: "127.0.0.1:1") }

    @Test func `without a metadata server the project is asked for in vain`() async throws {
        let error = try await onOwnThread { [server] () -> FanfareError? in
            do throws(FanfareError) {
                _ = try MachineProject.ask(server)
                return nil
            } catch {
                return error
            }
        }
        #expect(error?.code == .configuration)
        #expect(
            error?.message.hasPrefix(
                "the metadata server 127.0.0.1 does not say which project this machine belongs to: "
            )
                == true)
        #expect(error?.message.contains("It exists in Google's cloud only") == true)
    }
}
