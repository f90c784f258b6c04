import FanfareCore
package import FanfareLoop
import FanfareSystem
package import FanfareTLS
import Synchronization

/// The address and the behavior of the simulator.
package struct SimulatorServerConfiguration: Sendable {
    package var provider = SimulatorConfiguration()
    /// Port 0 takes any free one.
    package var address = SocketAddress.loopback(port: 0)
    /// Without TLS; clients have to know that HTTP/2 is spoken.
    package var isCleartext = false
    /// The server's certificate and key; without one an authority is made on the spot.
    package var identity: TLSIdentity?
    /// Asks clients for a certificate.
    ///
    /// A client that shows any needs no provider token.
    package var requestsClientCertificates = false
    /// Threads that share the port; each has its own connections.
    package var threads = 1
    /// The time of the way from a client to the server and back.
    ///
    /// The server takes all bytes in that much later.
    /// - Unit: nanoseconds.
    package var roundTrip: Int64 = 0
    /// The file for one line of NDJSON a request; replaced if it exists.
    package var logFile: String?

    package init() {}
}

/// The simulator as a server: sockets, TLS, threads.
///
/// Start and stop from one thread.
package final class SimulatorServer {
    private let configuration: SimulatorServerConfiguration
    private let tls: TLSContext?
    private var log: LogFile?
    private var lanes: [SimulatorLane] = []
    private var threads: [WorkerThread] = []
    /// The project at FCM to send for; its account is available at any time, from any thread.
    package let project: SimulatedProject

    /// The authority that clients have to trust, in PEM; nil if the certificate was given, or
    /// without TLS.
    package let caPEM: String?

    /// Prepares a server; nothing listens yet.
    /// - Throws: `SimulatorError` about the certificate or about settings that exclude each other.
    package init(_ configuration: SimulatorServerConfiguration) throws(SimulatorError) {
        var configuration = configuration
        guard configuration.threads >= 1 else {
            throw SimulatorError("threads", "must be at least 1")
        }
        if configuration.threads > 1 && configuration.provider.scenario.countsAcrossConnections {
            throw SimulatorError(
                "threads", "must be 1 with a scenario that uses everyNth, attempt or rateLimit")
        }
        try configuration.provider.fcm.check()
        try configuration.provider.described?.check(configuration.provider.scenario)
        if configuration.logFile != nil { configuration.provider.logsRequests = true }
        self.configuration = configuration
        project = SimulatedProject(configuration.provider.fcm)
        guard !configuration.isCleartext else {
            tls = nil
            caPEM = nil
            return
        }
        do {
            var authority: SelfSignedAuthority?
            if configuration.identity == nil { authority = try SelfSignedAuthority() }
            guard let identity = configuration.identity ?? authority?.identity else {
                preconditionFailure("BUG: neither a certificate nor an authority")
            }
            var settings = ServerTLSConfiguration(identity: identity)
            if configuration.requestsClientCertificates {
                settings.clientCertificates = .requested
            }
            if let desk = configuration.provider.described {
                settings.alpn = desk.applicationProtocol
            }
            tls = try TLSContext(server: settings)
            caPEM = authority?.caPEM
        } catch {
            throw SimulatorError("certificate", "\(error)")
        }
    }

    deinit {
        precondition(threads.isEmpty, "BUG: a simulator was dropped and not stopped")
    }

    /// Listens and serves on threads of its own.
    /// - Returns: The port.
    /// - Throws: `SimulatorError` about the address or the log file.
    package func start() throws(SimulatorError) -> UInt16 {
        precondition(lanes.isEmpty, "BUG: a simulator was started twice")
        log = try configuration.logFile.map { path throws(SimulatorError) in
            try LogFile(path: path)
        }
        let connectionNumbers = ConnectionNumbers()
        let places = configuration.provider.knee.map { AnsweringPlaces($0) }
        var address = configuration.address
        do throws(SystemError) {
            for number in 0..<configuration.threads {
                let lane = try SimulatorLane(
                    number: number, configuration: configuration, address: address, tls: tls,
                    connectionNumbers: connectionNumbers, places: places, project: project,
                    log: log)
                // The others share the port that the first one got.
                address = address.with(port: lane.port)
                lanes.append(lane)
            }
        } catch {
            throw SimulatorError(listening: error)
        }
        try log?.empty()
        do throws(SystemError) {
            for lane in lanes {
                threads.append(try WorkerThread(name: "simulator") { lane.run() })
            }
        } catch {
            stop()
            throw SimulatorError(listening: error)
        }
        return address.port
    }

    /// Closes all connections and waits until the threads have ended; the log is complete then.
    ///
    /// More than once is fine.
    package func stop() {
        for lane in lanes.prefix(threads.count) { lane.stop() }
        for thread in threads { thread.join() }
        threads.removeAll()
    }

    /// The reason why lines are missing in the log, in the system's words; `nil` if none is.
    package var logProblem: String? { log?.problem }

    /// The counts of requests so far, over all threads.
    ///
    /// Read it only when the server has stopped.
    package var counters: SimulatorCore.Counters {
        precondition(threads.isEmpty, "BUG: counters were read while the simulator runs")
        var sum = SimulatorCore.Counters()
        for lane in lanes { sum.add(lane.core.counters) }
        return sum
    }
}

extension SimulatorError {
    /// Creates the error about a server that cannot listen.
    fileprivate init(listening error: SystemError) {
        let remedy = error.isShortage ? "; raise the system's limits (ulimit -n, ulimit -u)" : ""
        self.init("listen", error.description + remedy)
        isShortage = error.isShortage
    }
}

/// Numbers connections over all threads, from 1.
final class ConnectionNumbers: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> UInt64 {
        last.add(1, ordering: .relaxed).newValue
    }
}
