import FanfareSimulator

@testable import Fanfare

/// A simulator for one test, stopped with its last user.
final class SimulatedProvider {
    private let server: SimulatorServer
    let endpoint: Endpoint
    let caPEM: String?

    init(_ rules: String = "", usesTLS: Bool = false, logFile: String? = nil) throws {
        var configuration = SimulatorServerConfiguration()
        configuration.isCleartext = !usesTLS
        configuration.provider.acceptsAnonymous = true
        configuration.logFile = logFile
        var json = #"{"rules":[\#(rules)]}"#
        configuration.provider.scenario = try json.withUTF8 { try Scenario(json: $0) }
        server = try SimulatorServer(configuration)
        caPEM = server.caPEM
        endpoint = Endpoint(host: "127.0.0.1", port: try server.start(), usesTLS: usesTLS)
    }

    deinit { server.stop() }

    /// The simulator's counters; the call ends it.
    func stop() -> SimulatorCore.Counters {
        server.stop()
        return server.counters
    }
}
