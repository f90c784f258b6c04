import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// From the words of a command line to what the library understands.
extension Configuration {
    /// Reads everything that concerns rows, payload and report: what `check` needs.
    init(rowsOf arguments: ParsedArguments) throws(CommandError) {
        self.init()
        do throws(UsageError) {
            inputs = try RowInput.all(arguments)
            if let list = arguments.text("seed-list") {
                guard list != "-" else {
                    throw arguments.error("seed-list", "is a file; write its name")
                }
                inputs.insert(.file(list), at: 0)
                seeds = SeedOptions()
            }
            try checkStandardInput(arguments)
            try readRows(arguments)
            try readHeaders(arguments)
            try readReport(arguments)
            try readWindow(arguments)
        } catch {
            throw .usage(error)
        }
        payload = try PayloadSource(arguments)
    }

    /// Standard input can be read once, by any of its names, and so can each descriptor that was handed
    /// over: a second reader finds nothing, and would take a list for an empty one.
    private func checkStandardInput(_ arguments: ParsedArguments) throws(UsageError) {
        var taken = Set<Int32>()
        for number in inputs.compactMap(\.descriptor) where !taken.insert(number).inserted {
            let name = number == 0 ? "standard input" : "/dev/fd/\(number)"
            throw UsageError(
                command: arguments.command.name,
                "\(name) can be read only once, and two inputs are to be read from it")
        }
        let written = OutputProtection.outputs
        // The seed list is one of the inputs.
        for option in arguments.command.options
        where option.type == .file && option.name != "seed-list" && !written.contains(option.name) {
            var paths = arguments.texts(option.name)[...]
            // Of an option that is no list the last value counts.
            if case .required = option.value { paths = paths.suffix(1) }
            for path in paths {
                let isStandardInput = path == "-" && option.name == "payload"
                guard let number = isStandardInput ? 0 : FileDescriptor.handedOver(path),
                    !taken.insert(number).inserted
                else { continue }
                let name = number == 0 ? "standard input" : path
                throw arguments.error(
                    option.name,
                    "\(name) can be read only once, and something else is read from it; "
                        + "name a file")
            }
        }
    }

    private mutating func readRows(_ arguments: ParsedArguments) throws(UsageError) {
        rows.format = try arguments.choice("format", as: RowFormat.self)
        rows.encoding = try arguments.choice("encoding", as: RowEncoding.self)
        rows.delimiter = try arguments.delimiter("delimiter")
        rows.quotes = try arguments.choice("quotes", as: RowQuotes.self) ?? .checked
        rows.hasHeader = !(arguments.flag("no-header") ?? false)
        rows.columns = try arguments.list("columns") ?? []
        for (ours, theirs) in try arguments.pairs("map") {
            if let other = rows.mapping[ours], other != theirs {
                throw arguments.error(
                    "map",
                    "reads \(ours.quotedForMessage) from \(other.quotedForMessage) and from "
                        + "\(theirs.quotedForMessage); a column can be read from one")
            }
            rows.mapping[ours] = theirs
        }
        rows.validates = !(arguments.flag("no-validate") ?? false)
        rows.deduplication = try arguments.choice("deduplicate", as: Deduplication.self)
        rows.suppressions = arguments.texts("suppress").map { .file($0) }
        engine.lanes = try arguments.count("lanes")
    }

    mutating func readHeaders(_ arguments: ParsedArguments) throws(UsageError) {
        provider.topic = arguments.text("topic")
        provider.pushType = arguments.text("push-type")
        provider.priority = arguments.text("priority")
        provider.collapseID = arguments.text("collapse-id")
        switch try arguments.expiration("expiration") {
        case nil: break
        case .once: provider.expiration = "0"
        case .at(let seconds): provider.expiration = String(seconds)
        case .after(let duration):
            provider.expiresAfter = duration
        }
    }

    private mutating func readReport(_ arguments: ParsedArguments) throws(UsageError) {
        report.path = arguments.outputFile("report") ?? report.path
        report.splitBytes = try arguments.size("report-split")
        if let bytes = report.splitBytes, bytes < Limits.reportSplitBytesMin {
            throw arguments.error(
                "report-split",
                "\(arguments.text("report-split") ?? "") is less than a part of a report has: "
                    + "\(Limits.reportSplitBytesMin / 1000)KB is the least")
        }
        report.overwrites = arguments.flag("overwrite") ?? false
        report.isOrdered = arguments.flag("ordered") ?? false
        report.carriedColumns = try arguments.list("carry") ?? []
        report.token = try arguments.choice("report-token", as: ReportToken.self) ?? .full
    }

    /// Reads what concerns the network and its answers: what `send` needs on top.
    mutating func readEngine(_ arguments: ParsedArguments) throws(CommandError) {
        report.unregisteredPath = arguments.text("unregistered")
        report.retryRowsPath = arguments.text("retry-rows")
        do throws(UsageError) {
            report.resumes = arguments.flag("resume") ?? false
            report.durability =
                try arguments.choice("durability", as: Durability.self) ?? report.durability
            let bounds = try arguments.thresholds("stop-if")
            if let least = bounds?.first(where: \.isLeast) {
                throw arguments.error(
                    "stop-if",
                    "\(least) is for --fail-if: at the beginning of a job there are too few of all")
            }
            guards.stopIf = bounds?.map(OutcomeThreshold.init) ?? guards.stopIf
            guards.failIf =
                try arguments.thresholds("fail-if")?.map(OutcomeThreshold.init) ?? guards.failIf
            if let path = arguments.outputFile("log") {
                var options = LogOptions(path: path)
                options.level =
                    try arguments.choice("log-level", as: LogOptions.Level.self) ?? options.level
                options.framesOfConnection = try arguments.count("log-frames")
                log = options
            }
            engine.connections = try arguments.count("connections") ?? engine.connections
            engine.streams = try arguments.count("streams")
            engine.isAdaptive = arguments.flag("adaptive") ?? engine.isAdaptive
            if let rate = try arguments.rate("rate") {
                engine.rate = SendingRate(Int(rate.count), per: .nanoseconds(rate.nanoseconds))
            }
            engine.rateMayChange = arguments.has("control")
            engine.burst = try arguments.count("burst")
            engine.ramp = try arguments.duration("ramp") ?? engine.ramp
            engine.attemptsMax = try arguments.count("max-attempts") ?? engine.attemptsMax
            engine.delivery =
                try arguments.choice("delivery", as: Delivery.self) ?? engine.delivery
            engine.untilMilliseconds = try readUntil(arguments)
            engine.timeout = try arguments.duration("timeout") ?? engine.timeout
            engine.connectTimeout =
                try arguments.duration("connect-timeout") ?? engine.connectTimeout
            engine.giveUpAfter = try arguments.duration("give-up-after") ?? engine.giveUpAfter
        } catch {
            throw .usage(error)
        }
    }

    private mutating func readWindow(_ arguments: ParsedArguments) throws(UsageError) {
        guard let hours = try arguments.window("window") else { return }
        var window = WindowOptions(opensMinute: hours.opens, closesMinute: hours.closes)
        window.timezone = arguments.text("timezone")
        window.timezoneColumn = arguments.text("timezone-column")
        // `check` has no need of it: what would be skipped is the same as what would wait.
        if arguments.command.option(named: "outside-window") != nil {
            window.skipsOutside = arguments.text("outside-window") == "skip"
        }
        guard window.timezone != nil || window.timezoneColumn != nil else {
            throw arguments.error("window", "needs --timezone or --timezone-column as well")
        }
        self.window = window
    }

    /// Reads what a rehearsal tells the duration of.
    mutating func readPlan(_ arguments: ParsedArguments) throws(CommandError) {
        do throws(UsageError) {
            engine.connections = try arguments.count("connections")
            if let rate = try arguments.rate("rate") {
                engine.rate = SendingRate(Int(rate.count), per: .nanoseconds(rate.nanoseconds))
            }
            engine.ramp = try arguments.duration("ramp") ?? engine.ramp
        } catch {
            throw .usage(error)
        }
    }

    /// `--until` in milliseconds of UNIX time.
    private func readUntil(_ arguments: ParsedArguments) throws(UsageError) -> Int64? {
        let now = WallClock.milliseconds
        switch try arguments.moment("until") {
        case nil:
            return nil
        case .at(let seconds):
            guard seconds * 1000 > now else {
                throw arguments.error("until", "this moment has passed; nothing would be sent")
            }
            return seconds * 1000
        case .after(let duration):
            return now + duration.wholeNanoseconds / 1_000_000
        }
    }

    /// Reads whom to send to, and as whom.
    mutating func readProvider(_ arguments: ParsedArguments) throws(CommandError) {
        do throws(UsageError) {
            let environment =
                try arguments.choice("environment", as: ProviderEnvironment.self) ?? .production
            let port = arguments.text("port").flatMap { UInt16($0) } ?? APNsEnvironment.defaultPort
            provider.endpoint = .apns(environment, port: port)
            try readEndpoint(arguments)
            try readProxy(arguments)
        } catch {
            throw .usage(error)
        }
        try readCredentials(arguments)
        try requireCredentials(arguments)
    }

    /// Reads the address of a server of one's own, if there is one.
    mutating func readEndpoint(_ arguments: ParsedArguments) throws(UsageError) {
        guard let endpoint = try arguments.endpoint("endpoint") else { return }
        provider.endpoint = Endpoint(
            host: endpoint.address.host, port: endpoint.address.port, usesTLS: endpoint.isSecure)
    }

    /// Reads the way there, which the environment may name, too.
    mutating func readProxy(_ arguments: ParsedArguments) throws(UsageError) {
        provider.proxy = try Proxy(
            arguments, to: provider.endpoint,
            isSimulator: arguments.text("provider") == "simulator", variable: Terminal.environment)
    }

    /// Reads in whose name, and whom to trust.
    mutating func readCredentials(_ arguments: ParsedArguments) throws(CommandError) {
        if let keyFile = arguments.text("key") {
            do throws(UsageError) {
                provider.credentials = .token(
                    keyFile: keyFile,
                    keyID: try AppleIdentifier.ofKey(arguments, file: keyFile),
                    teamID: try AppleIdentifier.given("team-id", arguments) ?? "")
            } catch {
                throw .usage(error)
            }
        } else if let file = arguments.text("certificate") {
            provider.credentials = .certificate(
                file: file, keyFile: arguments.text("certificate-key"),
                passphraseFile: arguments.text("passphrase-file"))
        }
        provider.caFile = arguments.text("ca-file")
        provider.verifiesServer = !(arguments.flag("insecure") ?? false)
    }

    /// Apple's own hosts answer no client without credentials; better said before the first row.
    private func requireCredentials(_ arguments: ParsedArguments) throws(CommandError) {
        guard !arguments.has("endpoint"), arguments.text("provider") != "simulator",
            provider.credentials == .none
        else { return }
        throw .usage(
            UsageError(
                command: arguments.command.name,
                "no credentials for APNs; give --key FILE.p8 --key-id ID --team-id ID or "
                    + "--certificate FILE, or try things out with --provider simulator"))
    }
}

extension RowInput {
    /// The number of the descriptor that it is read from, if it was handed over.
    fileprivate var descriptor: Int32? {
        switch self {
        case .standardInput: 0
        case .file(let path): FileDescriptor.handedOver(path)
        case .memory, .sqlite, .sequence, .generated: nil
        }
    }

    /// The inputs that a command line names, in their order.
    fileprivate static func all(_ arguments: ParsedArguments) throws(UsageError) -> [RowInput] {
        // Files on the command line send away a database of a file of options, as anything there does.
        let isGiven = arguments.origin(of: "from-sqlite") == .commandLine
        guard let database = arguments.text("from-sqlite"), isGiven || arguments.positionals.isEmpty
        else {
            if arguments.positionals.isEmpty { return [.standardInput] }
            return arguments.positionals.map { $0 == "-" ? .standardInput : .file($0) }
        }
        if let first = arguments.positionals.first {
            throw arguments.error(
                "from-sqlite",
                "the rows come from the database or from \(first.quotedForMessage); name one of them"
            )
        }
        if let query = arguments.text("query") { return [.sqlite(database, .query(query))] }
        if let table = arguments.text("table") { return [.sqlite(database, .table(table))] }
        throw arguments.error("from-sqlite", "needs --query or --table as well")
    }
}

extension PayloadSource {
    /// The payload from a file, from a text, or put together from single options.
    init(_ arguments: ParsedArguments) throws(CommandError) {
        if let path = arguments.text("payload") {
            self = .template(json: try Self.contents(of: path), name: path)
        } else if let text = arguments.text("payload-json") {
            self = .template(json: Array(text.utf8), name: "--payload-json")
        } else if let json = try AlertFlags(arguments).json() {
            self = .template(json: json, name: "the payload options")
        } else {
            self = .column
        }
    }

    static func contents(of path: String) throws(CommandError) -> [UInt8] {
        do throws(FileError) {
            return try SmallFile.read(path, bytesMax: Limits.templateBytesMax)
        } catch {
            throw .job(FanfareError(.input, "\(path) cannot be read: \(error.reason)"))
        }
    }
}

extension AlertFlags {
    fileprivate init(_ arguments: ParsedArguments) throws(CommandError) {
        self.init()
        alert = arguments.text("alert")
        title = arguments.text("title")
        subtitle = arguments.text("subtitle")
        body = arguments.text("body")
        badge = arguments.text("badge").flatMap { Number($0) }
        sound = arguments.text("sound")
        category = arguments.text("category")
        threadID = arguments.text("thread-id")
        isContentAvailable = arguments.flag("content-available") ?? false
        isContentMutable = arguments.flag("mutable-content") ?? false
        interruptionLevel = arguments.text("interruption-level")
        relevanceScore = arguments.text("relevance-score").flatMap { Number($0) }
        targetContentID = arguments.text("target-content-id")
        do throws(UsageError) {
            data = try arguments.pairs("data")
            if data.contains(where: { $0.key == "aps" }) {
                throw arguments.error("data", "'aps' is Apple's own; use --payload-json for it")
            }
            for (index, pair) in data.enumerated()
            where data[..<index].contains(where: { $0.key == pair.key }) {
                throw arguments.error("data", "'\(pair.key)' comes twice; a key has one value")
            }
        } catch {
            throw .usage(error)
        }
    }
}
