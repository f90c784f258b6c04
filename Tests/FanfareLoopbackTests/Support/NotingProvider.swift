import FanfareSimulator
import FanfareTLS
import FanfareTestSupport
import Testing

/// A provider in the test's process that accepts each request after 5 to 20 ms, and notes it in a file; it ends with its
/// test.
final class NotingProvider {
    let endpoint: String
    private let server: SimulatorServer
    private let folder: TemporaryFolder
    private let log: String

    /// - Parameters:
    ///   - folder: The folder of the file.
    ///   - log: The file's name.
    ///   - rule: The rule of a scenario for some of the requests; `nil` for none.
    ///   - verifier: Checks the tokens of clients; `nil` for a provider that takes anyone.
    /// - Throws: The error of a server that cannot be started.
    init(
        in folder: TemporaryFolder, log: String = "server.ndjson", rule: String? = nil,
        verifier: ProviderTokenVerifier? = nil
    ) throws {
        self.folder = folder
        self.log = log
        var configuration = SimulatorServerConfiguration()
        configuration.isCleartext = true
        configuration.provider.acceptsAnonymous = verifier == nil
        configuration.provider.tokenVerifier = verifier
        configuration.provider.latency = try LatencyModel("5ms..20ms")
        configuration.logFile = folder.path(log)
        if let rule {
            var json = #"{"rules":[\#(rule)]}"#
            configuration.provider.scenario = try json.withUTF8 { try Scenario(json: $0) }
        }
        server = try SimulatorServer(configuration)
        endpoint = "http://127.0.0.1:\(try server.start())"
    }

    deinit { server.stop() }

    /// Ends it; the file is complete then.
    func stop() { server.stop() }

    /// The number of requests for each row that it has seen, by the row's number; it ends.
    func requests() throws -> [Int: Int] {
        stop()
        return try folder.text(of: log).split(separator: "\n").reduce(into: [:]) { requests, line in
            let token = try #require(line.firstMatch(of: /"token":"([0-9a-f]+)"/))
            requests[try #require(Int(token.1, radix: 16)), default: 0] += 1
        }
    }
}
