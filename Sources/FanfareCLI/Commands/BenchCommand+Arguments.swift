import Fanfare
import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareSystem

extension Configuration {
    /// The default content of a request, as long as an ordinary notification.
    private static let greeting =
        #"{"aps":{"alert":{"title":"Hello {{name}}","body":"The doors open at eight."}}}"#

    /// The same for FCM.
    private static let greetingOfFCM = """
        {"message":{"notification":{"title":"Hello {{name}}","body":"The doors open at eight."}}}
        """

    /// Reads the provider and the notification of a load test.
    init(benchOf arguments: ParsedArguments) throws(CommandError) {
        self.init()
        (name, note) = arguments.words
        try readRoutes(arguments)
        guard routes.count == 1 else {
            throw arguments.fault(Options.Bench.provider, "a load test is of one provider")
        }
        let isNamed = arguments[Options.endpoint][provider.provider] != nil
        guard isNamed || arguments[Options.Bench.provider].isSimulated else {
            throw arguments.fault("nothing to test; give the server's URL, or --provider simulator")
        }
        readHeaders(arguments)
        readEndpoint(arguments)
        try readProxy(arguments)
        readFCM(arguments)
        rows.validates = !arguments[Options.noValidate]
        engine.connections = arguments[Options.Bench.connections] ?? engine.connections
        engine.streams = arguments[Options.streams]
        engine.lanes = arguments[Options.lanes]
        engine.timeout = arguments[Options.Bench.timeout]
        engine.connectTimeout = arguments[Options.connectTimeout] ?? engine.connectTimeout
        try readCredentials(arguments)
        readTrust(arguments)
        if let path = arguments[Options.Bench.payload] {
            payload = .template(json: try PayloadSource.contents(of: path), name: path)
        } else if let path = arguments[Options.Bench.message] {
            payload = .message(try Message(file: path))
        } else {
            let greeting = provider.provider == .fcm ? Self.greetingOfFCM : Self.greeting
            let text = arguments[Options.Bench.payloadJSON] ?? greeting
            payload = .template(json: Array(text.utf8), name: "--payload-json")
        }
        // A user who does not care for topics need not think of one; a certificate has its own.
        change(.apns) { provider in
            guard provider.topic == nil, !arguments.has(Options.certificate) else { return }
            provider.topic = "com.example.app"
        }
    }
}

extension LoadOptions {
    /// Reads the options of a load test.
    init(_ arguments: ParsedArguments) throws(CommandError) {
        self.init()
        try readLoad(arguments)
        request = try LoadRequest(arguments)
        versions = arguments[Options.Bench.http]
        version = FanfareCommand.version
        command = ShellCommand.withoutSecrets(CommandLine.arguments)
        for option in [Options.simulatorLatency.spec, Options.simulatorScenario.spec] {
            guard let text = arguments.text(option) else { continue }
            serviceSettings[option.name.replacing("-", with: "_")] = text
        }
    }

    private mutating func readLoad(_ arguments: ParsedArguments) throws(CommandError) {
        if let rate = arguments[Options.Bench.rate] {
            pattern = .rate(from: rate.from, to: rate.to)
            let isRange = rate.from != rate.to
            if arguments.has(Options.Bench.steps) && !isRange {
                throw arguments.fault(
                    Options.Bench.steps, "needs a --rate from one to another: 1k..20k/s")
            }
            if arguments.has(Options.Bench.count) && isRange {
                throw arguments.fault(
                    Options.Bench.count,
                    "does not go with a --rate from one to another; give --duration")
            }
        } else if let count = arguments[Options.Bench.inFlight] {
            pattern = .inFlight(count)
        }
        if arguments[Options.Bench.findKnee] {
            pattern = .knee(first: try firstRate(arguments), try KneeBounds(arguments))
        }
        steps = arguments[Options.Bench.steps] ?? steps
        duration = arguments[Options.Bench.duration] ?? duration
        warmUp = arguments[Options.Bench.warmUp] ?? warmUp
        count = arguments[Options.Bench.count]
        failIf = try arguments.bounds(Options.Bench.failIf) ?? failIf
        requestsPath = arguments[Options.Bench.out]
    }
}

extension LoadOptions {
    /// Returns the rate where a search for the knee begins.
    private func firstRate(_ arguments: ParsedArguments) throws(CommandError) -> Double {
        guard let rate = arguments[Options.Bench.rate] else { return 1000 }
        guard rate.from == rate.to else {
            throw arguments.fault(
                Options.Bench.rate, "with --find-knee it is one rate, to begin with: 1k/s")
        }
        return rate.from
    }
}

extension LoadOptions.KneeBounds {
    fileprivate init(_ arguments: ParsedArguments) throws(CommandError) {
        self.init()
        p99 = arguments[Options.Bench.p99] ?? p99
        errorShare = arguments[Options.Bench.errors] ?? errorShare
        precision = arguments[Options.Bench.precision] ?? precision
        guard precision >= Limits.kneePrecisionMin else {
            throw arguments.fault(Options.Bench.precision, "0.1% is as close as it gets")
        }
    }
}

extension LoadRequest {
    /// The request of a service that is no push provider; `nil` if no option speaks of one.
    init?(_ arguments: ParsedArguments) throws(CommandError) {
        let options: [any AnyOption] = [
            Options.Bench.method, Options.Bench.path, Options.Bench.header, Options.Bench.body,
            Options.Bench.bodyFile,
        ]
        guard options.contains(where: { arguments.has($0) }) else { return nil }
        self.init()
        method = arguments[Options.Bench.method]
        path = arguments[Options.Bench.path] ?? path
        if let text = arguments[Options.Bench.body] {
            body = Array(text.utf8)
        } else if let file = arguments[Options.Bench.bodyFile] {
            body = try Self.read(file, bytesMax: Limits.loadBodyBytesMax)
        }
        for field in arguments[Options.Bench.header] {
            if field.name == "@" {
                fields += try Self.fields(ofFile: field.value, arguments)
            } else {
                fields.append(Field(field.name, field.value))
            }
        }
    }

    /// The fields of a file: one on each line, blank lines left out.
    private static func fields(
        ofFile path: String, _ arguments: ParsedArguments
    ) throws(CommandError) -> [Field] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(path, bytesMax: Limits.headerListBytes)
        } catch {
            throw arguments.fault(Options.Bench.header, "\(path) cannot be read: \(error.reason)")
        }
        var fields: [Field] = []
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where !line.trimmed.isEmpty {
            guard let (name, value) = try? ValueReader.headerField(String(line)), name != "@" else {
                // The text may be a secret, so it is not shown.
                throw arguments.fault(
                    Options.Bench.header,
                    "line \(index + 1) of \(path) has no name with a colon behind it")
            }
            fields.append(Field(name, value))
        }
        return fields
    }

    private static func read(_ path: String, bytesMax: Int) throws(CommandError) -> [UInt8] {
        do throws(FileError) {
            return try SmallFile.read(path, bytesMax: bytesMax)
        } catch {
            throw .job(FanfareError(.configuration, "\(path) cannot be read: \(error.reason)"))
        }
    }
}

extension ShellCommand {
    /// Returns a command line that others may see: values that may be secrets are left out.
    static func withoutSecrets(_ words: [String]) -> String {
        var shown: [String] = []
        var hides: String?
        for word in withoutAddresses(words) {
            if let option = hides {
                shown.append(hidden(word, of: option))
                hides = nil
            } else if let option = revealing[word] {
                shown.append(word)
                hides = option
            } else if let (option, value) = word.parts(at: "="), revealing[option] != nil {
                shown.append(option + "=" + hidden(value, of: option))
            } else if word.contains("://") {
                shown.append(hidden(word, of: "--path"))
            } else {
                shown.append(word)
            }
        }
        return shown.map(\.quotedForShell).joined(separator: " ")
    }

    /// The options that may have secrets, by all their names.
    private static let revealing = [
        "--header": "--header", "-H": "--header", "--body": "--body", "-d": "--body",
        "--path": "--path",
    ]

    private static func hidden(_ value: String, of option: String) -> String {
        switch option {
        case "--path":
            value.parts(at: "?").map { $0.0 + "?..." } ?? value
        case "--header" where !value.hasPrefix("@"):
            value.parts(at: ":").map { $0.0 + ": ..." } ?? "..."
        case "--header": value
        default: "..."
        }
    }
}
