import Fanfare
import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSimulator
import FanfareSystem
import FanfareTLS

/// `fanfare simulate`: the provider simulator as a server.
enum SimulateCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        let server: SimulatorServer
        let address: SocketAddress
        let port: UInt16
        do throws(SimulatorError) {
            let settings = try SimulatorServerConfiguration(arguments)
            address = settings.address
            server = try SimulatorServer(settings)
            port = try server.start()
        } catch {
            throw .job(error.jobError)
        }
        do throws(SimulatorError) {
            // Only who has the port replaces a file that clients of another server may trust.
            if let path = arguments.text("write-ca"), let pem = server.caPEM {
                try write(pem, to: path)
            }
        } catch {
            server.stop()
            throw .job(FanfareError(.configuration, error.description))
        }
        let scheme = arguments.flag("cleartext") == true ? "http" : "https"
        Terminal.error("simulating APNs on \(scheme)://\(address.with(port: port))")
        do throws(SystemError) {
            try waitForSignal()
        } catch {
            server.stop()
            throw .job(error.jobError)
        }
        server.stop()
        let counters = server.counters
        Terminal.error(
            "\(counters.requests) requests: \(counters.accepted) accepted, "
                + "\(counters.refused) refused, \(counters.reset) reset, "
                + "\(counters.unanswered) unanswered")
        if let problem = server.logProblem {
            let path = arguments.text("log") ?? ""
            throw .job(FanfareError(.output, "\(path) lacks requests: \(problem)"))
        }
        return 0
    }

    private static func waitForSignal() throws(SystemError) {
        let loop = try EventLoop()
        let watchers = try [ProcessSignal.interrupt, .terminate].map { signal throws(SystemError) in
            try SignalWatcher(loop: loop, signal: signal, keepsLoopAlive: true) {
                [unowned loop] in loop.stop()
            }
        }
        loop.run()
        watchers.forEach { $0.close() }
    }

    private static func write(_ text: String, to path: String) throws(SimulatorError) {
        do throws(FileError) {
            try SmallFile.write(text, to: path == "-" ? "./-" : path, isPublic: true)
        } catch {
            throw SimulatorError("--write-ca", error.description)
        }
    }
}

/// The simulator inside the process: `--provider simulator`.
struct InProcessSimulator {
    private let server: SimulatorServer

    /// Starts it if it is the provider, and points the job at it.
    init?(
        _ arguments: ParsedArguments, _ configuration: inout Configuration
    ) throws(CommandError) {
        guard arguments.text("provider") == "simulator" else { return nil }
        var settings = SimulatorServerConfiguration()
        let latency: LatencyModel
        do throws(UsageError) {
            latency = try arguments.latency("simulator-latency") ?? .none
        } catch {
            throw .usage(error)
        }
        do throws(SimulatorError) {
            settings.provider.latency = latency
            // Trying things out should not begin with making a key; with one, it is checked for.
            settings.provider.acceptsAnonymous = configuration.provider.credentials == .none
            // A client shows its certificate to a server that asks for it.
            if case .certificate = configuration.provider.credentials {
                settings.requestsClientCertificates = true
            }
            if let path = arguments.text("simulator-scenario") {
                settings.provider.scenario = try Scenario(contentsOf: path)
            }
            server = try SimulatorServer(settings)
            let port = try server.start()
            configuration.provider.endpoint = Endpoint(host: "127.0.0.1", port: port)
            configuration.provider.identity = "simulator"
            configuration.provider.caPEM = server.caPEM
        } catch {
            throw .job(error.jobError)
        }
    }

    func stop() {
        server.stop()
    }
}

extension Scenario {
    fileprivate init(contentsOf path: String) throws(SimulatorError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(path, bytesMax: Limits.templateBytesMax)
        } catch {
            throw SimulatorError(path, error.reason)
        }
        self = try unsafe bytes.withUnsafeBufferPointer { bytes throws(SimulatorError) in
            unsafe try Scenario(json: bytes, file: path)
        }
    }
}

extension SimulatorServerConfiguration {
    fileprivate init(_ arguments: ParsedArguments) throws(SimulatorError) {
        self.init()
        provider.acceptsAnonymous = arguments.flag("anonymous") ?? false
        provider.fixedStreamLimit = arguments.flag("fixed-stream-limit") ?? false
        provider.topics = AcceptedTopics(arguments.texts("topic"))
        if let path = arguments.text("scenario") {
            provider.scenario = try Scenario(contentsOf: path)
        }
        isCleartext = arguments.flag("cleartext") ?? false
        // With certificate authentication the client shows one; the question disturbs no other
        // client.
        requestsClientCertificates = !isCleartext
        logFile = arguments.outputFile("log")
        do {
            if let limit = try arguments.count("max-concurrent-streams") {
                provider.maxConcurrentStreams = UInt32(limit)
            }
            provider.latency = try arguments.latency("latency") ?? .none
            provider.knee = try arguments.count("knee")
            threads = try arguments.count("threads") ?? 1
            let way = try arguments.duration("round-trip") ?? .zero
            guard way <= Limits.simulatorRoundTripMax else {
                throw SimulatorError("--round-trip", "more than 10s is not simulated")
            }
            roundTrip = way.wholeNanoseconds
            if let listen = try arguments.listenAddress("listen") {
                let host = listen.host == "localhost" ? "127.0.0.1" : listen.host
                guard let address = SocketAddress(host, port: listen.port) else {
                    throw SimulatorError("--listen", "\(listen.host) is not an address")
                }
                self.address = address
            } else {
                address = .loopback(port: 8443)
            }
        } catch let error as SimulatorError {
            throw error
        } catch {
            throw SimulatorError("", "\(error)")
        }
        do throws(TLSError) {
            if let file = arguments.text("public-key") {
                provider.tokenVerifier = try ProviderTokenVerifier(keyFile: file)
            }
            if let file = arguments.text("certificate") {
                identity = try TLSIdentity.load(
                    path: file, keyFile: arguments.text("key"), passphrase: nil)
            }
        } catch {
            throw SimulatorError("", error.description)
        }
    }
}
