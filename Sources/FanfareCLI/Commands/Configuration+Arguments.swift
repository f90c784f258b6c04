import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// The translation of a command line into the library's settings.
extension Configuration {
    /// Reads the settings of rows, payload and report, which `check` needs.
    init(rowsOf arguments: ParsedArguments) throws(CommandError) {
        self.init()
        inputs = try RowInput.all(arguments)
        if let list = arguments[Options.seedList] {
            guard list != "-" else {
                throw arguments.fault(Options.seedList, "is a file; write its name")
            }
            inputs.insert(.file(list), at: 0)
            seeds = SeedOptions()
        }
        try checkStandardInput(arguments)
        (name, note) = arguments.words
        try readRows(arguments)
        try readRoutes(arguments)
        readHeaders(arguments)
        try readReport(arguments)
        try readWindow(arguments)
        engine.untilMilliseconds = try readUntil(arguments)
        try readPayloads(arguments)
    }

    /// Reads the payload of each row.
    mutating func readPayloads(_ arguments: ParsedArguments) throws(CommandError) {
        if let choice = try PayloadSource(choiceOf: arguments, takesMessages: routes.count > 1) {
            payload = choice
        } else {
            payload = try PayloadSource(arguments)
        }
        try checkOwn(Options.payload, arguments)
        let files = arguments[Options.payload]
        for index in routes.indices {
            guard let path = files[own: routes[index].provider] else { continue }
            routes[index].payload = .template(
                json: try PayloadSource.contents(of: path), name: path)
        }
    }

    /// Standard input can be read once, by any of its names, and so can each descriptor that was handed
    /// over: a second reader finds nothing, and would take a list for an empty one.
    private func checkStandardInput(_ arguments: ParsedArguments) throws(CommandError) {
        var taken = Set<Int32>()
        for number in inputs.compactMap(\.descriptor) where !taken.insert(number).inserted {
            let name = number == 0 ? "standard input" : "/dev/fd/\(number)"
            throw arguments.fault(
                "\(name) can be read only once, and two inputs are to be read from it")
        }
        let written = OutputProtection.outputs
        // The seed list is one of the inputs.
        for option in arguments.command.options
        where option.name != Options.seedList.name && !written.contains(option.name) {
            var paths = arguments.texts(option).flatMap { text in
                option.form == .textOrFile ? [] : option.form?.paths(in: text) ?? []
            }[...]
            // Of an option that is no list the last value counts.
            if option.arity == .required, option.form != .keyedFiles { paths = paths.suffix(1) }
            for path in paths {
                let isStandardInput =
                    path == "-"
                    && [Options.payload.name, Options.message.name].contains(option.name)
                guard let number = isStandardInput ? 0 : FileDescriptor.handedOver(path),
                    !taken.insert(number).inserted
                else { continue }
                let name = number == 0 ? "standard input" : path
                throw arguments.fault(
                    option,
                    "\(name) can be read only once, and something else is read from it; "
                        + "name a file")
            }
        }
    }

    private mutating func readRows(_ arguments: ParsedArguments) throws(CommandError) {
        rows.format = arguments[Options.format]
        rows.encoding = arguments[Options.encoding]
        try rows.readColumns(arguments)
        rows.validates = !arguments[Options.noValidate]
        rows.deduplication = arguments[Options.deduplicate]
        rows.suppressions = arguments[Options.suppress].map { .file($0) }
        rows.choice.conditions = arguments[Options.whereRows]
        rows.choice.limit = arguments[Options.limit]
        engine.lanes = arguments[Options.lanes]
    }

    mutating func readHeaders(_ arguments: ParsedArguments) {
        change(.apns) { provider in
            provider.topic = arguments[Options.topic]
            provider.pushType = arguments[Options.pushType]
            // A word is the message's.
            provider.priority = arguments[Options.priority].flatMap {
                Message.Priority(rawValue: $0) == nil ? $0 : nil
            }
            provider.collapseID = arguments[Options.collapseID]
            switch arguments[Options.expiration] {
            case nil: break
            case .once: provider.expiration = "0"
            case .at(let seconds): provider.expiration = String(seconds)
            case .after(let duration): provider.expiresAfter = duration
            }
        }
    }

    private mutating func readReport(_ arguments: ParsedArguments) throws(CommandError) {
        report.path = arguments[Options.report] ?? report.path
        report.splitBytes = arguments[Options.reportSplit]
        if let bytes = report.splitBytes, bytes < Limits.reportSplitBytesMin {
            throw arguments.fault(
                Options.reportSplit,
                "\(arguments.text(Options.reportSplit) ?? "") is less than a part of a report has: "
                    + "\(Limits.reportSplitBytesMin / 1000)KB is the least")
        }
        report.overwrites = arguments[Options.overwrite]
        report.isOrdered = arguments[Options.ordered]
        report.carriedColumns = arguments[Options.carry]
        report.token = arguments[Options.reportToken]
    }

    /// Reads the settings of the network and its answers, which `send` needs besides.
    mutating func readEngine(_ arguments: ParsedArguments) throws(CommandError) {
        report.unregisteredPath = arguments[Options.unregistered]
        report.retryRowsPath = arguments[Options.retryRows]
        report.resumes = arguments[Options.resume]
        report.durability = arguments[Options.durability] ?? report.durability
        try readGuards(arguments)
        if let path = arguments[Options.log] {
            var options = LogOptions(path: path)
            options.level = arguments[Options.logLevel] ?? options.level
            options.framesOfConnection = arguments[Options.logFrames]
            log = options
        }
        try readPace(arguments)
        readCluster(arguments)
        engine.streams = arguments[Options.streams]
        engine.isAdaptive = arguments[Options.adaptive]
        let asksForSocket = arguments[ifOffered: Options.control].map { $0 != ControlSocket.none }
        engine.rateMayChange =
            asksForSocket == true || arguments[ifOffered: Options.pageControl]
        engine.burst = arguments[Options.burst]
        engine.attemptsMax = arguments[Options.maxAttempts] ?? engine.attemptsMax
        engine.delivery = arguments[Options.delivery] ?? engine.delivery
        engine.timeout = arguments[Options.timeout] ?? engine.timeout
        engine.connectTimeout = arguments[Options.connectTimeout] ?? engine.connectTimeout
        engine.giveUpAfter = arguments[Options.giveUpAfter] ?? engine.giveUpAfter
    }

    /// Reads how fast and over how many connections: all that a rehearsal tells the duration of.
    mutating func readPace(_ arguments: ParsedArguments) throws(CommandError) {
        try checkOwn(Options.rate, arguments)
        engine.connections = arguments[Options.connections] ?? engine.connections
        let rates = arguments[Options.rate]
        engine.rate = rates.general.map { SendingRate($0) } ?? engine.rate
        changeAll { $0.rate = rates[own: $0.provider].map { SendingRate($0) } }
        engine.ramp = arguments[Options.ramp] ?? engine.ramp
    }

    private mutating func readGuards(_ arguments: ParsedArguments) throws(CommandError) {
        let stopIf = try arguments.bounds(Options.stopIf)
        if let least = stopIf?.first(where: \.isLeast) {
            throw arguments.fault(
                Options.stopIf,
                "\(least) is for --fail-if: at the beginning of a job there are too few of all")
        }
        if let stopIf { guards.stopIf = stopIf.map(OutcomeThreshold.init) }
        let failIf = try arguments.bounds(Options.failIf)
        guards.failIf = failIf?.map(OutcomeThreshold.init) ?? guards.failIf
    }

    private mutating func readWindow(_ arguments: ParsedArguments) throws(CommandError) {
        guard var window = arguments[Options.window] else { return }
        window.timezone = arguments[Options.timezone]
        window.timezoneColumn = arguments[Options.timezoneColumn]
        window.skipsOutside = arguments[Options.outsideWindow] == .skip
        guard window.timezone != nil || window.timezoneColumn != nil else {
            throw arguments.fault(Options.window, "needs --timezone or --timezone-column as well")
        }
        self.window = window
    }

    /// `--until` in milliseconds of UNIX time.
    private func readUntil(_ arguments: ParsedArguments) throws(CommandError) -> Int64? {
        let now = WallClock.milliseconds
        switch arguments[Options.until] {
        case nil:
            return nil
        case .at(let seconds):
            guard seconds * 1000 > now else {
                throw arguments.fault(
                    Options.until, "this moment has passed; nothing would be sent")
            }
            return seconds * 1000
        case .after(let duration):
            return now + duration.wholeNanoseconds / 1_000_000
        }
    }

    /// Reads the provider and the credentials.
    mutating func readProvider(_ arguments: ParsedArguments) throws(CommandError) {
        readFCM(arguments)
        let port = arguments[Options.port].flatMap { UInt16($0) }
        change(.apns) { provider in
            provider.endpoint = .apns(
                arguments[Options.environment], port: port ?? APNsEnvironment.defaultPort)
        }
        readEndpoint(arguments)
        try readProxy(arguments)
        try readCredentials(arguments)
        readTrust(arguments)
        for route in routes { try requireCredentials(of: route, arguments) }
    }

    /// Reads the settings that only FCM has.
    mutating func readFCM(_ arguments: ParsedArguments) {
        change(.fcm) { provider in
            provider.project = arguments[Options.project]
            if let file = arguments[Options.serviceAccount] {
                provider.credentials = .serviceAccount(file: file)
            } else if let file = arguments[Options.accessTokenFile] {
                provider.credentials = .accessToken(file: file)
            } else if arguments[Options.metadataServer] {
                provider.credentials = .metadataServer(
                    host: Terminal.environment("GCE_METADATA_HOST"))
            }
        }
    }

    /// Reads the address of a server of one's own, if there is one.
    mutating func readEndpoint(_ arguments: ParsedArguments) {
        let endpoints = arguments[Options.endpoint]
        changeAll { $0.endpoint = endpoints[$0.provider] ?? $0.endpoint }
    }

    /// Reads the way there, which the environment may name, too.
    mutating func readProxy(_ arguments: ParsedArguments) throws(CommandError) {
        do throws(UsageError) {
            for index in routes.indices {
                routes[index].proxy = try Proxy(
                    arguments, to: routes[index].endpoint,
                    isSimulator: arguments[Options.provider].isSimulated,
                    variable: Terminal.environment)
            }
        } catch {
            throw .usage(error)
        }
    }

    /// Reads the credentials and the trusted certificates.
    mutating func readCredentials(_ arguments: ParsedArguments) throws(CommandError) {
        var credentials: Credentials?
        if let keyFile = arguments[Options.key] {
            credentials = .token(
                keyFile: keyFile, keyID: try AppleIdentifier.ofKey(arguments, file: keyFile),
                teamID: try AppleIdentifier.given(Options.teamID, arguments) ?? "")
        } else if let file = arguments[Options.certificate] {
            credentials = .certificate(
                file: file, keyFile: arguments[Options.certificateKey],
                passphraseFile: arguments[Options.passphraseFile])
        }
        change(.apns) { $0.credentials = credentials ?? $0.credentials }
    }

    /// Reads whose certificates are trusted.
    mutating func readTrust(_ arguments: ParsedArguments) {
        changeAll { provider in
            provider.caFile = arguments[Options.caFile]
            provider.verifiesServer = !arguments[Options.insecure]
        }
    }

    /// The providers' own hosts answer no client without credentials; better said before the first row.
    func requireCredentials(
        of route: ProviderOptions, _ arguments: ParsedArguments
    ) throws(CommandError) {
        // Making the job finds settings that a description lacks.
        guard route.declared == nil, arguments[Options.endpoint][route.provider] == nil,
            !arguments[Options.provider].isSimulated, route.credentials == .none
        else { return }
        guard route.provider == .apns else {
            throw arguments.fault(
                "no credentials for FCM; give --service-account FILE, --access-token-file FILE or, "
                    + "in Google's cloud, --metadata-server")
        }
        throw arguments.fault(
            "no credentials for APNs; give --key FILE.p8 --key-id ID --team-id ID or "
                + "--certificate FILE"
                + (arguments.has(Options.provider) ? "" : " (for FCM --service-account FILE)")
                + ", or try things out with --provider simulator")
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
    fileprivate static func all(_ arguments: ParsedArguments) throws(CommandError) -> [RowInput] {
        // Files on the command line send away a database of a file of options, as anything there does.
        let isGiven = arguments.origin(of: Options.fromSQLite) == .commandLine
        guard let database = arguments[Options.fromSQLite], isGiven || arguments.positionals.isEmpty
        else {
            if arguments.positionals.isEmpty { return [.standardInput] }
            return arguments.positionals.map { $0 == "-" ? .standardInput : .file($0) }
        }
        if let first = arguments.positionals.first {
            throw arguments.fault(
                Options.fromSQLite,
                "the rows come from the database or from \(first.quotedForMessage); name one of them"
            )
        }
        if let query = arguments[Options.query] { return [.sqlite(database, .query(query))] }
        if let table = arguments[Options.table] { return [.sqlite(database, .table(table))] }
        throw arguments.fault(Options.fromSQLite, "needs --query or --table as well")
    }
}

extension PayloadSource {
    /// Creates the payload from a file, a text, or the options of a message.
    init(_ arguments: ParsedArguments) throws(CommandError) {
        if let path = arguments[Options.payload].general {
            self = .template(json: try Self.contents(of: path), name: path)
        } else if let text = arguments[Options.payloadJSON] {
            self = .template(json: Array(text.utf8), name: "--payload-json")
        } else if let message = try Message(arguments) {
            self = .message(message)
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

extension SendingRate {
    fileprivate init(_ rate: RateText) {
        self.init(Int(rate.count), per: .nanoseconds(rate.nanoseconds))
    }
}

extension RowOptions {
    /// Reads the options that say how files are taken apart into columns: `send`, and `report` for its `--rows`.
    mutating func readColumns(_ arguments: ParsedArguments) throws(CommandError) {
        delimiter = arguments[Options.delimiter]
        quotes = arguments[Options.quotes]
        hasHeader = !arguments[Options.noHeader]
        columns = arguments[Options.columns]
        for (ours, theirs) in arguments[Options.map] {
            if let other = mapping[ours], other != theirs {
                throw arguments.fault(
                    Options.map,
                    "reads \(ours.quotedForMessage) from \(other.quotedForMessage) and from "
                        + "\(theirs.quotedForMessage); a column can be read from one")
            }
            mapping[ours] = theirs
        }
    }
}
