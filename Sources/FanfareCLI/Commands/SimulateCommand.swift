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
        let described = try describedFile(arguments)
        let server: SimulatorServer
        let address: SocketAddress
        let port: UInt16
        do throws(SimulatorError) {
            let settings = try SimulatorServerConfiguration(arguments, described)
            address = settings.address
            server = try SimulatorServer(settings)
            port = try server.start()
        } catch {
            throw .job(error.jobError)
        }
        do throws(SimulatorError) {
            // Only who has the port replaces a file that clients of another server may trust.
            if let path = arguments[Options.Simulate.writeCA], let pem = server.caPEM {
                try write(pem, to: path, isPublic: true, Options.Simulate.writeCA.name)
            }
            if let path = arguments[Options.Simulate.writeServiceAccount] {
                let file = try server.project.makeAccount().keyFile(
                    origin: origin(arguments, address.with(port: port)))
                try write(
                    file, to: path, isPublic: false, Options.Simulate.writeServiceAccount.name)
            }
        } catch {
            server.stop()
            throw .job(FanfareError(.configuration, message: error.description))
        }
        let scheme = arguments[Options.Simulate.cleartext] ? "http" : "https"
        let names = described?.provider.name ?? "APNs and FCM"
        do throws(SystemError) {
            try waitForSignal(
                saying: "simulating \(names) on \(scheme)://\(address.with(port: port))")
        } catch {
            server.stop()
            throw .job(error.jobError)
        }
        server.stop()
        let counters = server.counters
        Terminal.error(
            "\(counters.requests) requests: \(counters.accepted) accepted, "
                + "\(counters.refused) refused, \(counters.reset) reset, "
                + "\(counters.unanswered) unanswered"
                + (counters.accessTokens > 0 ? "; \(counters.accessTokens) access tokens" : ""))
        if let problem = server.logProblem {
            let path = arguments.text(Options.Simulate.log) ?? ""
            throw .job(FanfareError(.output, "\(path) lacks requests: \(problem)"))
        }
        return 0
    }

    /// The description of the provider that is simulated; `nil` for APNs and FCM.
    private static func describedFile(
        _ arguments: ParsedArguments
    ) throws(CommandError) -> ProviderFile? {
        let choices = arguments[Options.Simulate.provider]
        guard let name = choices.described.first else {
            guard arguments.has(Options.Simulate.accessTokenLife.spec) else { return nil }
            throw arguments.fault(
                Options.Simulate.accessTokenLife,
                "goes with a provider that a file describes; --provider names it")
        }
        guard choices.described.count == 1, choices.providers.isEmpty, !choices.isSimulated else {
            throw arguments.fault(
                Options.Simulate.provider,
                "a provider that a file describes is simulated alone; name one")
        }
        for option in Options.Simulate.builtIn where arguments.has(option.spec) {
            throw arguments.fault(
                "--\(option.spec.name) is for APNs and FCM, and not for "
                    + "\(name.quotedForMessage)")
        }
        return try ProviderCommand.file(name, arguments)
    }

    /// Says that it is there, and waits for the signal that ends it.
    private static func waitForSignal(saying line: String) throws(SystemError) {
        let loop = try EventLoop()
        let watchers = try [ProcessSignal.interrupt, .terminate].map { signal throws(SystemError) in
            try SignalWatcher(loop: loop, signal: signal, keepsLoopAlive: true) {
                [unowned loop] in loop.stop()
            }
        }
        // Only now: a script may send the signal as soon as it has read this.
        Terminal.error(line)
        loop.run()
        watchers.forEach { $0.close() }
    }

    /// Scheme, host and port by which clients on this machine reach the server.
    private static func origin(_ arguments: ParsedArguments, _ address: SocketAddress) -> String {
        let scheme = arguments[Options.Simulate.cleartext] ? "http" : "https"
        // All addresses of the machine are no address to send to.
        let isAny = ["0.0.0.0", "::"].contains(arguments[Options.Simulate.listen].host)
        return isAny ? "\(scheme)://localhost:\(address.port)" : "\(scheme)://\(address)"
    }

    private static func write(
        _ text: String, to path: String, isPublic: Bool, _ option: String
    ) throws(SimulatorError) {
        do throws(FileError) {
            try SmallFile.write(text, to: path == "-" ? "./-" : path, isPublic: isPublic)
        } catch {
            throw SimulatorError("--\(option)", error.description)
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
        guard arguments[Options.provider].isSimulated else { return nil }
        var settings = SimulatorServerConfiguration()
        do throws(SimulatorError) {
            settings.provider.latency = arguments[Options.simulatorLatency]
            // Trying things out should not begin with making a key; with one, it is checked for.
            let apns = configuration.routes.first { $0.provider == .apns }?.credentials ?? .none
            settings.provider.acceptsAnonymous = apns == .none
            settings.provider.fcm.acceptsAnonymous = true
            // A client shows its certificate to a server that asks for it.
            if case .certificate = apns { settings.requestsClientCertificates = true }
            if let path = arguments[Options.simulatorScenario] {
                settings.provider.scenario = try Scenario(contentsOf: path)
            }
            server = try SimulatorServer(settings)
            let port = try server.start()
            configuration.changeAll { provider in
                provider.endpoint = Endpoint(host: "127.0.0.1", port: port)
                provider.identity = "simulator"
                provider.caPEM = server.caPEM
            }
            let project = settings.provider.fcm.projectID
            configuration.change(.fcm) { $0.project = $0.project ?? project }
        } catch {
            throw .job(error.jobError)
        }
    }

    func stop() {
        server.stop()
    }
}

extension Scenario {
    fileprivate init(
        contentsOf path: String, isDescribed: Bool = false
    ) throws(SimulatorError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(path, bytesMax: Limits.templateBytesMax)
        } catch {
            throw SimulatorError(path, error.reason)
        }
        self = try Scenario(json: bytes, file: path, isDescribed: isDescribed)
    }
}

extension SimulatorServerConfiguration {
    /// Reads what `simulate` serves, and where.
    /// - Parameters:
    ///   - arguments: Of `simulate`.
    ///   - described: The description of the provider that is simulated, if it is not APNs and FCM.
    /// - Throws: `SimulatorError` when a value or a file cannot be used.
    init(
        _ arguments: ParsedArguments, _ described: ProviderFile? = nil
    ) throws(SimulatorError) {
        self.init()
        provider.latency = arguments[Options.Simulate.latency]
        provider.acceptsAnonymous = arguments[Options.Simulate.anonymous]
        provider.fixedStreamLimit = arguments[Options.Simulate.fixedStreamLimit]
        provider.topics = AcceptedTopics(arguments[Options.Simulate.topic])
        provider.knee = arguments[Options.Simulate.knee]
        if let limit = arguments[Options.Simulate.maxConcurrentStreams] {
            provider.maxConcurrentStreams = UInt32(limit)
        }
        if let path = arguments[Options.Simulate.scenario] {
            provider.scenario = try Scenario(contentsOf: path, isDescribed: described != nil)
        }
        provider.fcm = FCMConfiguration(arguments)
        isCleartext = arguments[Options.Simulate.cleartext]
        // With certificate authentication the client shows one; the question disturbs no other
        // client.
        requestsClientCertificates = !isCleartext
        if let described {
            provider.described = try DescribedDesk(
                described, tokenLife: arguments[Options.Simulate.accessTokenLife])
            // No other service begins with one stream, or allows fewer after a refusal.
            provider.acceptsAnonymous = true
            provider.fixedStreamLimit = true
            requestsClientCertificates = false
        }
        logFile = arguments[Options.Simulate.log]
        threads = arguments[Options.Simulate.lanes]
        let way = arguments[Options.Simulate.roundTrip]
        guard way <= Limits.simulatorRoundTripMax else {
            throw SimulatorError("--round-trip", "more than 10s is not simulated")
        }
        roundTrip = way.wholeNanoseconds
        let listen = arguments[Options.Simulate.listen]
        let host = listen.host == "localhost" ? "127.0.0.1" : listen.host
        guard let address = SocketAddress(host, port: listen.port) else {
            throw SimulatorError("--listen", "\(listen.host) is not an address")
        }
        self.address = address
        do throws(TLSError) {
            if let file = arguments[Options.Simulate.publicKey] {
                provider.tokenVerifier = try ProviderTokenVerifier(keyFile: file)
            }
            if let file = arguments[Options.Simulate.tlsCertificate] {
                identity = try TLSIdentity.load(
                    path: file, keyFile: arguments[Options.Simulate.tlsKey], passphrase: nil)
            }
        } catch {
            throw SimulatorError("", error.statement.text(.commandLine))
        }
    }
}

extension FCMConfiguration {
    /// Reads the settings of the simulated FCM.
    /// - Parameter arguments: The arguments of `simulate`.
    fileprivate init(_ arguments: ParsedArguments) {
        self.init()
        if let project = arguments[Options.Simulate.fcmProject] { projectID = project }
        if let life = arguments[Options.Simulate.fcmTokenLife] { tokenLife = life }
        promisedTokenLife = arguments[Options.Simulate.fcmExpiresIn]
        quotaPerMinute = arguments[Options.Simulate.fcmQuota].map { UInt64($0) }
        if let streams = arguments[Options.Simulate.fcmStreams] {
            maxConcurrentStreams = UInt32(streams)
        }
    }
}
