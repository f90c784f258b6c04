public import Fanfare
import FanfareCore
import FanfareLoop
import Synchronization

/// A push provider that answers as APNs does, and as FCM does, on a loopback port of this process: for
/// tests, and to try things out.
///
/// ```swift
/// let simulator = try Simulator()
/// configuration.provider.endpoint = simulator.endpoint
/// configuration.provider.caPEM = simulator.caPEM
/// ```
///
/// It asks for no credentials, and serves on a thread of its own until it is stopped or dropped. Access
/// tokens that it has given out itself, to the account of ``serviceAccount()``, are good for its project
/// and until they expire.
public final class Simulator: Sendable {
    /// The counts of requests and answers.
    public struct Requests: Sendable, Hashable {
        /// All requests.
        public let total: UInt64
        /// The requests that it has answered with 200.
        public let accepted: UInt64
        /// The access tokens that it has given out; requests for them are not among all requests.
        public let accessTokens: UInt64
    }

    /// The differences from the usual answers of Firebase Cloud Messaging.
    public struct FCMBehavior: Sendable, Hashable {
        /// The project of ``Simulator/serviceAccount()``.
        public var projectID = FCMConfiguration().projectID
        /// The lifetime of an access token; 3,599 seconds by default.
        public var accessTokenLife = FCMConfiguration().tokenLife
        /// The lifetime that clients are told; `nil` for the true one.
        public var promisedAccessTokenLife: Duration?
        /// The messages that it takes in a minute, beyond which it answers 429; `nil` for any number.
        public var quotaPerMinute: UInt64?
        /// The streams of a connection, from its first request to FCM on.
        public var streamsPerConnection = FCMConfiguration().maxConcurrentStreams

        /// Creates the behavior of the real service, as far as it is known.
        public init() {}

        fileprivate var configuration: FCMConfiguration {
            var configuration = FCMConfiguration()
            configuration.projectID = projectID
            configuration.tokenLife = accessTokenLife
            configuration.promisedTokenLife = promisedAccessTokenLife
            configuration.quotaPerMinute = quotaPerMinute
            configuration.maxConcurrentStreams = streamsPerConnection
            return configuration
        }
    }

    /// The address, for ``ProviderOptions/endpoint``: a loopback address with a free port.
    public let endpoint: Endpoint
    /// The certificate to trust, in PEM, for ``ProviderOptions/caPEM``; `nil` without TLS.
    public let caPEM: String?
    private let server: Mutex<SimulatorServer>
    private let project: SimulatedProject

    /// Starts a provider.
    /// - Parameters:
    ///   - scenario: The rules for answers, as JSON (see `docs/scenarios.md`); by default it
    ///     accepts every token.
    ///   - port: The port to listen at; 0 for any free port. An unfinished job can be carried on
    ///     only at the address with which it began.
    ///   - usesTLS: True to encrypt connections.
    ///   - fcm: The behavior of FCM.
    /// - Throws: ``FanfareError`` with code ``FanfareError/Code/configuration`` when the scenario
    ///   or a value is not valid, or no port is available; with code ``FanfareError/Code/output``
    ///   when the system's limits leave no room for it.
    public init(
        scenario: String = #"{"rules":[]}"#, port: UInt16 = 0, usesTLS: Bool = true,
        fcm: FCMBehavior = FCMBehavior()
    ) throws(FanfareError) {
        var configuration = SimulatorServerConfiguration()
        configuration.address = .loopback(port: port)
        configuration.isCleartext = !usesTLS
        configuration.provider.acceptsAnonymous = true
        configuration.provider.fcm = fcm.configuration
        do throws(SimulatorError) {
            configuration.provider.scenario = try Scenario(
                json: Array(scenario.utf8), file: "the scenario")
            let server = try SimulatorServer(configuration)
            caPEM = server.caPEM
            project = server.project
            endpoint = Endpoint(host: "127.0.0.1", port: try server.start(), usesTLS: usesTLS)
            self.server = Mutex(server)
        } catch {
            throw error.jobError
        }
    }

    deinit {
        server.withLock { $0.stop() }
    }

    /// A service account that may send for the simulated project, whose key is made on the first call: some
    /// tenths of a second.
    /// - Returns: The content of its key file, the same each time; its tokens come from this simulator.
    /// - Throws: ``FanfareError`` when there is no memory for a key.
    public func serviceAccount() throws(FanfareError) -> String {
        let scheme = endpoint.usesTLS ? "https" : "http"
        do throws(SimulatorError) {
            return try project.makeAccount().keyFile(
                origin: "\(scheme)://\(endpoint.host):\(endpoint.port)")
        } catch {
            throw error.jobError
        }
    }

    /// Closes all connections and the port; you may call this more than once.
    /// - Returns: The counts of its requests.
    @discardableResult
    public func stop() -> Requests {
        server.withLock { server in
            server.stop()
            let counters = server.counters
            return Requests(
                total: UInt64(counters.requests), accepted: UInt64(counters.accepted),
                accessTokens: UInt64(counters.accessTokens))
        }
    }
}
