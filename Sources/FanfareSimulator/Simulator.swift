public import Fanfare
import FanfareCore
import FanfareLoop
import Synchronization

/// A push provider that answers as APNs does, on a loopback port of this process: for tests, and to try
/// things out.
///
/// ```swift
/// let simulator = try Simulator()
/// configuration.provider.endpoint = simulator.endpoint
/// configuration.provider.caPEM = simulator.caPEM
/// ```
///
/// It asks for no credentials, and serves on a thread of its own until it is stopped or dropped.
public final class Simulator: Sendable {
    /// What it was asked, and how it has answered.
    public struct Requests: Sendable, Hashable {
        /// All requests.
        public let total: UInt64
        /// Those that it has answered with 200.
        public let accepted: UInt64
    }

    /// Where it is, for ``ProviderOptions/endpoint``: an address of the loopback with a free port.
    public let endpoint: Endpoint
    /// The certificate to trust, in PEM, for ``ProviderOptions/caPEM``; `nil` without TLS.
    public let caPEM: String?
    private let server: Mutex<SimulatorServer>

    /// Starts a provider.
    /// - Parameters:
    ///   - scenario: What it does with which requests, as JSON (see `docs/scenarios.md`); by default
    ///     it accepts every token.
    ///   - port: Where it listens; 0 for any free port. An unfinished job is carried on at the address
    ///     that it has begun with.
    ///   - usesTLS: Whether connections are encrypted.
    /// - Throws: ``FanfareError`` with code ``FanfareError/Code/configuration`` when the scenario is
    ///   none, or no port can be had; with code ``FanfareError/Code/output`` when the system's limits
    ///   leave no room for it.
    public init(
        scenario: String = #"{"rules":[]}"#, port: UInt16 = 0, usesTLS: Bool = true
    ) throws(FanfareError) {
        var configuration = SimulatorServerConfiguration()
        configuration.address = .loopback(port: port)
        configuration.isCleartext = !usesTLS
        configuration.provider.acceptsAnonymous = true
        do throws(SimulatorError) {
            let json = Array(scenario.utf8)
            configuration.provider.scenario = try unsafe json.withUnsafeBufferPointer {
                json throws(SimulatorError) in
                unsafe try Scenario(json: json, file: "the scenario")
            }
            let server = try SimulatorServer(configuration)
            caPEM = server.caPEM
            endpoint = Endpoint(host: "127.0.0.1", port: try server.start(), usesTLS: usesTLS)
            self.server = Mutex(server)
        } catch {
            throw error.jobError
        }
    }

    deinit {
        server.withLock { $0.stop() }
    }

    /// Closes all connections and the port; more than once is fine.
    /// - Returns: What it was asked.
    @discardableResult
    public func stop() -> Requests {
        server.withLock { server in
            server.stop()
            let counters = server.counters
            return Requests(total: UInt64(counters.requests), accepted: UInt64(counters.accepted))
        }
    }
}
