import Fanfare
import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareSystem

extension Configuration {
    /// What is sent if nothing else is said: of the length of an ordinary notification.
    private static let greeting =
        #"{"aps":{"alert":{"title":"Hello {{name}}","body":"The doors open at eight."}}}"#

    /// Reads whom a load test sends to and what, as far as it is a notification.
    init(benchOf arguments: ParsedArguments) throws(CommandError) {
        self.init()
        do throws(UsageError) {
            guard arguments.has("endpoint") || arguments.has("provider") else {
                throw UsageError(
                    command: arguments.command.name,
                    "nothing to test; give --endpoint URL, or --provider simulator")
            }
            try readHeaders(arguments)
            try readEndpoint(arguments)
            try readProxy(arguments)
            rows.validates = !(arguments.flag("no-validate") ?? false)
            engine.connections = try arguments.count("connections") ?? engine.connections
            engine.streams = try arguments.count("streams")
            engine.lanes = try arguments.count("lanes")
            engine.timeout = try arguments.duration("timeout") ?? .seconds(10)
            engine.connectTimeout =
                try arguments.duration("connect-timeout") ?? engine.connectTimeout
        } catch {
            throw .usage(error)
        }
        try readCredentials(arguments)
        if let path = arguments.text("payload") {
            payload = .template(json: try PayloadSource.contents(of: path), name: path)
        } else {
            let text = arguments.text("payload-json") ?? Self.greeting
            payload = .template(json: Array(text.utf8), name: "--payload-json")
        }
        // A user who does not care for topics need not think of one; a certificate has its own.
        if provider.topic == nil, !arguments.has("certificate") {
            provider.topic = "com.example.app"
        }
    }
}

extension LoadOptions {
    /// Reads what a load test does.
    init(_ arguments: ParsedArguments) throws(CommandError) {
        self.init()
        do throws(UsageError) {
            try readLoad(arguments)
        } catch {
            throw .usage(error)
        }
        request = try LoadRequest(arguments)
        version = FanfareCommand.version
        command = ShellCommand.withoutSecrets(CommandLine.arguments)
        for name in ["simulator-latency", "simulator-scenario"] {
            guard let text = arguments.text(name) else { continue }
            serviceSettings[name.replacing("-", with: "_")] = text
        }
    }

    private mutating func readLoad(_ arguments: ParsedArguments) throws(UsageError) {
        if let rate = try arguments.rateRange("rate") {
            pattern = .rate(from: rate.from, to: rate.to)
            let isRange = rate.from != rate.to
            if arguments.has("steps") && !isRange {
                throw arguments.error("steps", "needs a --rate from one to another: 1k..20k/s")
            }
            if arguments.has("count") && isRange {
                throw arguments.error(
                    "count", "does not go with a --rate from one to another; give --duration")
            }
        } else if let count = try arguments.count("in-flight") {
            pattern = .inFlight(count)
        }
        if arguments.flag("find-knee") == true {
            pattern = .knee(first: try firstRate(arguments), try KneeBounds(arguments))
        }
        steps = try arguments.count("steps") ?? steps
        duration = try arguments.duration("duration") ?? duration
        warmUp = try arguments.duration("warm-up") ?? warmUp
        count = try arguments.count("count")
    }
}

extension LoadOptions {
    /// Where a search for the knee begins.
    private func firstRate(_ arguments: ParsedArguments) throws(UsageError) -> Double {
        guard let rate = try arguments.rateRange("rate") else { return 1000 }
        guard rate.from == rate.to else {
            throw arguments.error("rate", "with --find-knee it is one rate, to begin with: 1k/s")
        }
        return rate.from
    }
}

extension LoadOptions.KneeBounds {
    fileprivate init(_ arguments: ParsedArguments) throws(UsageError) {
        self.init()
        p99 = try arguments.duration("p99") ?? p99
        errorShare = try arguments.percent("errors") ?? errorShare
        precision = try arguments.percent("precision") ?? precision
        guard precision >= Limits.kneePrecisionMin else {
            throw arguments.error("precision", "0.1% is as close as it gets")
        }
    }
}

extension LoadRequest {
    /// The request of a service that is no push provider; `nil` if no option speaks of one.
    init?(_ arguments: ParsedArguments) throws(CommandError) {
        let options = ["method", "path", "header", "body", "body-file"]
        guard options.contains(where: { arguments.has($0) }) else { return nil }
        self.init()
        method = arguments.text("method")
        path = arguments.text("path") ?? path
        if let text = arguments.text("body") {
            body = Array(text.utf8)
        } else if let file = arguments.text("body-file") {
            body = try Self.read(file, bytesMax: Limits.loadBodyBytesMax)
        }
        do throws(UsageError) {
            for field in try arguments.headerFields("header") {
                if field.name == "@" {
                    fields += try Self.fields(ofFile: field.value, arguments)
                } else {
                    fields.append(Field(field.name, field.value))
                }
            }
        } catch {
            throw .usage(error)
        }
    }

    /// The fields of a file: one on each line, blank lines left out.
    private static func fields(
        ofFile path: String, _ arguments: ParsedArguments
    ) throws(UsageError) -> [Field] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(path, bytesMax: Limits.headerListBytes)
        } catch {
            throw arguments.error("header", "\(path) cannot be read: \(error.reason)")
        }
        var fields: [Field] = []
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where !line.trimmed.isEmpty {
            guard let (name, value) = try? ValueReader.headerField(String(line)), name != "@" else {
                // What is there may be a secret, so it is not shown.
                throw arguments.error(
                    "header", "line \(index + 1) of \(path) has no name with a colon behind it")
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
    /// A command line as it may be shown to others: what may be a secret is left out.
    static func withoutSecrets(_ words: [String]) -> String {
        var shown: [String] = []
        var hides: String?
        for word in words {
            if let option = hides {
                shown.append(hidden(word, of: option))
                hides = nil
            } else if ["--header", "--body", "--path"].contains(word) {
                shown.append(word)
                hides = word
            } else if let equals = word.firstIndex(of: "="),
                ["--header", "--body", "--path"].contains(String(word[..<equals]))
            {
                let option = String(word[..<equals])
                shown.append(
                    option + "=" + hidden(String(word[word.index(after: equals)...]), of: option))
            } else {
                shown.append(word)
            }
        }
        return shown.map(quoted).joined(separator: " ")
    }

    private static func hidden(_ value: String, of option: String) -> String {
        switch option {
        case "--path":
            value.firstIndex(of: "?").map { value[...$0] + "..." } ?? value
        case "--header" where !value.hasPrefix("@"):
            value.firstIndex(of: ":").map { value[...$0] + " ..." } ?? "..."
        case "--header": value
        default: "..."
        }
    }
}
