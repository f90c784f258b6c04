import FanfareCore
import Testing

@testable import Fanfare

/// Each setting of a job either is the same when the job is carried on, or may be another one.
///
/// A new setting belongs in one of the two lists here, and, if it changes what is sent or reported, into
/// `JobFingerprint`: otherwise the rest of a job is silently sent with another value.
@Suite struct JobSettingsTests {
    private typealias Change = @Sendable (inout Configuration) throws -> Void

    /// Compared by `JobFingerprint.settings`, by their paths in `Configuration`.
    private static let kept: [String: Change] = [
        "rows.format": { $0.rows.format = .ndjson },
        "rows.encoding": { $0.rows.encoding = .utf16 },
        "rows.delimiter": { $0.rows.delimiter = 59 },
        "rows.quotes": { $0.rows.quotes = .ignored },
        "rows.hasHeader": { $0.rows.hasHeader = false },
        "rows.columns": { $0.rows.columns = ["token"] },
        "rows.mapping": { $0.rows.mapping = ["token": "device"] },
        "rows.providerWords": { $0.rows.providerWords = ["iphone": .apns] },
        "rows.deduplication": { $0.rows.deduplication = .first },
        "rows.validates": { $0.rows.validates = false },
        // Whom a job is for is not for a later run to say.
        "rows.choice.conditions": { $0.rows.choice.conditions = [try RowCondition("a=b")] },
        "seeds": { $0.seeds = nil },
        "payload": { $0.payload = .template(json: Array("{}".utf8), name: "payload") },
        "payload.title": message { $0.title = "Last call" },
        "payload.subtitle": message { $0.subtitle = "at eight" },
        "payload.body": message { $0.body = "Come in" },
        "payload.image": message { $0.image = "https://example.com/doors.png" },
        "payload.link": message { $0.link = "https://example.com" },
        "payload.badge": message { $0.badge = "1" },
        "payload.sound": message { $0.sound = "default" },
        "payload.ttl": message { $0.ttl = .seconds(60) },
        "payload.collapse": message { $0.collapse = "news" },
        "payload.priority": message { $0.priority = .high },
        "payload.orderedData": message { $0.data = ["hall": "4"] },
        "payload.ownMembers": message { $0.ownMembers = [.init("/aps/category", #""DOORS""#)] },
        "routes": { $0.routes.append(.fcm) },
        "routes.provider": { $0.provider.provider = .fcm },
        "routes.endpoint.host": { $0.provider.endpoint.host = "push.example.com" },
        "routes.endpoint.port": { $0.provider.endpoint.port = 2197 },
        "routes.endpoint.usesTLS": { $0.provider.endpoint.usesTLS = false },
        "routes.topic": { $0.provider.topic = "com.example.other" },
        "routes.pushType": { $0.provider.pushType = "voip" },
        "routes.priority": { $0.provider.priority = "5" },
        "routes.expiration": { $0.provider.expiration = "0" },
        "routes.expiresAfter": { $0.provider.expiresAfter = .seconds(60) },
        "routes.payload": { $0.provider.payload = .template("{}") },
        "routes.collapseID": { $0.provider.collapseID = "news" },
        "routes.collapseTemplate": { $0.provider.collapseTemplate = "{{id}}" },
        "routes.validatesOnly": { $0.provider.validatesOnly = true },
        "routes.identity": { $0.provider.identity = "simulator" },
        "report.splitBytes": { $0.report.splitBytes = 1_000_000 },
        "report.unregisteredPath": { $0.report.unregisteredPath = "dead.csv" },
        "report.retryRowsPath": { $0.report.retryRowsPath = "again.csv" },
        "report.carriedColumns": { $0.report.carriedColumns = ["name"] },
        "report.token": { $0.report.token = .prefix },
    ]

    /// Another value is another way to send the same, to fewer devices, or to tell of it.
    private static let free: [String: Change] = [
        "name": { $0.name = "Black Friday" },
        "note": { $0.note = "once more" },
        // Whom not to send to is known best at the end.
        "rows.suppressions": { $0.rows.suppressions = [.file("suppress.csv")] },
        // Rows that a canary has left out are for the rest of the job.
        "rows.choice.sample": { $0.rows.choice.sample = nil },
        "rows.choice.sample.millionths": { $0.rows.choice.sample = try RowSample(percent: 20) },
        "rows.choice.sample.seed": { $0.rows.choice.sample?.seed = 1 },
        "rows.choice.limit": { $0.rows.choice.limit = 1000 },
        // It is for messages about the payload.
        "payload.name": message { $0.name = "doors.json" },
        // A wrong key is what many a job is stopped by.
        "routes.credentials": {
            $0.provider.credentials = .token(keyFile: "k", keyID: "A", teamID: "B")
        },
        "routes.project": { $0.provider.project = "my-app" },
        "routes.rate": { $0.provider.rate = nil },
        "routes.rate.count": { $0.provider.rate?.count = 2 },
        "routes.rate.period": { $0.provider.rate?.period = .seconds(60) },
        // A description is compared by the name of its provider. The rest of it may be mended, and its settings are keys and
        // ids of apps; one that makes another address is seen there.
        "routes.declared": { $0.routes[1].declared = nil },
        "routes.declared.file": declared {
            DeclaredOptions(file: try ProviderFile(named: "expo"), settings: $0.settings)
        },
        "routes.declared.settings": declared {
            DeclaredOptions(
                file: $0.file,
                settings: try ProviderSettings(
                    $0.file.provider, given: [("url", "https://ntfy.example.com")], secrets: []))
        },
        // A host that was forgotten is what many rows fail for.
        "routes.allowedHosts": { $0.provider.allowedHosts = ["*"] },
        "routes.allowsPrivateHosts": { $0.provider.allowsPrivateHosts = true },
        "routes.caFile": { $0.provider.caFile = "ca.pem" },
        "routes.caPEM": { $0.provider.caPEM = "" },
        "routes.verifiesServer": { $0.provider.verifiesServer = false },
        "routes.proxy": { $0.provider.proxy = nil },
        "routes.proxy.host": { $0.provider.proxy?.host = "gate" },
        "routes.proxy.port": { $0.provider.proxy?.port = 8080 },
        "routes.proxy.credentials": { $0.provider.proxy?.credentials = .file("secret.txt") },
        "engine.connections": { $0.engine.connections = 2 },
        "engine.streams": { $0.engine.streams = 2 },
        "engine.isAdaptive": { $0.engine.isAdaptive = false },
        "engine.lanes": { $0.engine.lanes = 2 },
        "engine.rate": { $0.engine.rate = nil },
        "engine.rate.count": { $0.engine.rate?.count = 2 },
        "engine.rate.period": { $0.engine.rate?.period = .seconds(60) },
        "engine.burst": { $0.engine.burst = 2 },
        "engine.ramp": { $0.engine.ramp = .seconds(1) },
        "engine.rateMayChange": { $0.engine.rateMayChange = true },
        "engine.attemptsMax": { $0.engine.attemptsMax = 1 },
        "engine.delivery": { $0.engine.delivery = .atLeastOnce },
        "engine.untilMilliseconds": { $0.engine.untilMilliseconds = 1 },
        "engine.retryBudget": { $0.engine.retryBudget = 1 },
        "engine.timeout": { $0.engine.timeout = .seconds(1) },
        "engine.connectTimeout": { $0.engine.connectTimeout = .seconds(1) },
        "engine.giveUpAfter": { $0.engine.giveUpAfter = .seconds(1) },
        // Rows of a seed list and those behind it are the same, with or without a question in between.
        "seeds.wait": { $0.seeds?.wait = .seconds(1) },
        "seeds.continuesAfterFailures": { $0.seeds?.continuesAfterFailures = true },
        "seeds.show": { $0.seeds?.show = { _ in } },
        "seeds.confirm": { $0.seeds?.confirm = { _, _ in true } },
        // A row that has waited for another window has no outcome yet.
        "window": { $0.window = nil },
        "window.opensMinute": { $0.window?.opensMinute = 1 },
        "window.closesMinute": { $0.window?.closesMinute = 61 },
        "window.timezone": { $0.window?.timezone = "Europe/Berlin" },
        "window.timezoneColumn": { $0.window?.timezoneColumn = "tz" },
        "window.skipsOutside": { $0.window?.skipsOutside = true },
        "guards.chosenStopIf": { $0.guards.stopIf = [] },
        "mayGoOn": { $0.mayGoOn = { _ in true } },
        "guards.failIf": { $0.guards.failIf = [.inDoubt] },
        "report.resumes": { $0.report.resumes = true },
        "report.durability": { $0.report.durability = .full },
        "report.overwrites": { $0.report.overwrites = true },
        "report.isOrdered": { $0.report.isOrdered = true },
        "report.areOutcomesWanted": { $0.report.areOutcomesWanted = true },
        "report.isPrompt": { $0.report.isPrompt = true },
        "report.keepsSeries": { $0.report.keepsSeries = true },
        "log": { $0.log = nil },
        "log.path": { $0.log?.path = "another.log" },
        "log.level": { $0.log?.level = .debug },
        "log.framesOfConnection": { $0.log?.framesOfConnection = 1 },
        // The job is the same on a server that has moved, and a worker is known by the file beside its report.
        "cluster.address": { $0.cluster?.address = "postgresql://other.example/push" },
        "cluster.worker": { $0.cluster?.worker = "web4" },
        // Each worker may have its own: no value of them has a row sent twice.
        "cluster.patience.beat": { $0.cluster?.patience.beat = .seconds(2) },
        "cluster.patience.own": { $0.cluster?.patience.own = .seconds(2) },
        "cluster.patience.others": { $0.cluster?.patience.others = .seconds(2) },
        "cluster.patience.polls": { $0.cluster?.patience.polls = 2 },
        "cluster.patience.answer": { $0.cluster?.patience.answer = .seconds(2) },
        "cluster.patience.writeOff": { $0.cluster?.patience.writeOff = .seconds(2) },
        "cluster.patience.leaving": { $0.cluster?.patience.leaving = .seconds(2) },
        "cluster.patience.firstBackOff": { $0.cluster?.patience.firstBackOff = .seconds(2) },
        "cluster.patience.backOffMax": { $0.cluster?.patience.backOffMax = .seconds(2) },
        "cluster.patience.survey": { $0.cluster?.patience.survey = .seconds(2) },
        "cluster.patience.block": { $0.cluster?.patience.block = .seconds(2) },
        "cluster.patience.pacedBlock": { $0.cluster?.patience.pacedBlock = .seconds(2) },
        "cluster.patience.ahead": { $0.cluster?.patience.ahead = .seconds(2) },
        "cluster.patience.nearStep": { $0.cluster?.patience.nearStep = .seconds(2) },
        "cluster.patience.blockRows": { $0.cluster?.patience.blockRows = 2...2 },
        "cluster.patience.splitRows": { $0.cluster?.patience.splitRows = 2 },
        "cluster.patience.cutAhead": { $0.cluster?.patience.cutAhead = 2 },
        "cluster.patience.rangeCuts": { $0.cluster?.patience.rangeCuts = 2 },
        "cluster.patience.provingRows": { $0.cluster?.patience.provingRows = 2 },
    ]

    /// Compared among the workers of a job, by `JobFingerprint.digest`, and not from run to run.
    private static let shared: [String: Change] = [
        "cluster.cutRows": { $0.cluster?.cutRows = 2 }
    ]

    /// Free from run to run, and compared among workers: they decide who gets what, or stop all of them.
    private static let agreed: Set = [
        "routes.declared", "routes.declared.file", "routes.declared.settings",
        "routes.allowedHosts", "routes.allowsPrivateHosts", "engine.untilMilliseconds",
        "guards.chosenStopIf",
    ]

    /// Kept from run to run, and not compared among workers: each writes files of its own.
    private static let ownFiles: Set = ["report.unregisteredPath", "report.retryRowsPath"]

    /// Compared in other ways: inputs by size and time or by their bytes, the report by its lines, and the job of a worker by
    /// its identity, which the server and the file beside the report know.
    ///
    /// `naming` is for messages alone.
    private static let elsewhere: Set = [
        "cluster", "cluster.began", "cluster.beginning", "cluster.identity", "cluster.job",
        "inputs", "naming",
        "report.path",
    ]

    /// Structures that count as one setting: a description comes from a file, and its settings belong to that.
    private static let wholes: Set = ["ProviderFile", "ProviderSettings"]

    /// All groups of settings there are, each with what it begins with.
    private static let everything: Result<Configuration, any Error> = Result {
        var configuration = Configuration()
        configuration.inputs = [.file("seeds.csv")]
        configuration.seeds = SeedOptions()
        configuration.rows.choice.sample = try RowSample(percent: 10)
        configuration.payload = .message(Message(title: "Doors open"))
        configuration.provider.rate = SendingRate(1)
        configuration.provider.proxy = Proxy(host: "proxy", port: 3128)
        configuration.routes.append(try .declared("ntfy"))
        configuration.engine.rate = SendingRate(1)
        configuration.window = HoursOptions(opensMinute: 0, closesMinute: 60)
        configuration.log = LogOptions(path: "job.log")
        configuration.cluster = ClusterOptions(
            address: "postgresql://db.example/push", job: "july", worker: "web3")
        return configuration
    }

    private static func message(
        _ change: @escaping @Sendable (inout Message) throws -> Void
    ) -> Change {
        { configuration in
            guard case .message(var message) = configuration.payload else { return }
            try change(&message)
            configuration.payload = .message(message)
        }
    }

    private static func declared(
        _ other: @escaping @Sendable (DeclaredOptions) throws -> DeclaredOptions
    ) -> Change {
        { $0.routes[1].declared = try $0.routes[1].declared.map(other) }
    }

    /// The settings as texts, by their paths.
    ///
    /// Members of a group have its path before their names. A group that is optional, or a case of an enumeration, is a
    /// setting itself, too.
    private static func settings(of value: Any, below prefix: String = "") -> [String: String] {
        var settings: [String: String] = [:]
        for (name, value) in Mirror(reflecting: value).children {
            let path = prefix + (name ?? "")
            // A setting of a route is one of all routes.
            let groups: [Any] =
                if let routes = value as? [ProviderOptions] {
                    routes
                } else if let group = group(in: value) {
                    [group]
                } else {
                    []
                }
            let isOnlyGroup = Mirror(reflecting: value).displayStyle == .struct && !groups.isEmpty
            if !isOnlyGroup { settings[path] = "\(value)" }
            for group in groups {
                settings.merge(Self.settings(of: group, below: path + ".")) { $0 + $1 }
            }
        }
        return settings
    }

    /// The structure of ours that a value is, or has as an optional one or as a case; `nil` for any other value.
    private static func group(in value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .enum: return mirror.children.first.flatMap { group(in: $0.value) }
        case .struct where String(reflecting: type(of: value)).hasPrefix("Fanfare"):
            return wholes.contains("\(type(of: value))") ? nil : value
        default: return nil
        }
    }

    private static func fingerprint(of configuration: Configuration) throws -> JobFingerprint {
        var fingerprint = try fingerprint("")
        fingerprint.settings = JobFingerprint.settings(of: try configuration.withMessage())
        return fingerprint
    }

    private static func digest(of configuration: Configuration) throws -> UInt64 {
        let cutRows = try #require(configuration.cluster).cutRows
        return try fingerprint(of: configuration).digest(cutRows: cutRows)
    }

    private static func changed(_ path: String) throws -> Configuration {
        var changed = try everything.get()
        let change = try #require(kept[path] ?? free[path] ?? shared[path])
        try change(&changed)
        return changed
    }

    @Test func `each setting is kept, free, or compared elsewhere`() throws {
        let known =
            Array(Self.kept.keys) + Array(Self.free.keys) + Array(Self.shared.keys)
            + Array(Self.elsewhere)
        #expect(try Self.settings(of: Self.everything.get()).keys.sorted() == known.sorted())
    }

    @Test(arguments: kept.keys.sorted() + free.keys.sorted() + shared.keys.sorted())
    func `what is said of a setting is tried with it`(path: String) throws {
        let before = Self.settings(of: try Self.everything.get())
        let after = Self.settings(of: try Self.changed(path))
        let paths = before.keys.filter { before[$0] != after[$0] }
        #expect(paths.contains(path))
        // A value in a group changes the group, and a group that goes takes its values along.
        #expect(
            paths.allSatisfy {
                $0 == path || $0.hasPrefix(path + ".") || path.hasPrefix($0 + ".")
            })
    }

    @Test(arguments: kept.keys.sorted())
    func `a kept setting makes another job`(path: String) throws {
        let changed = try Self.fingerprint(of: Self.changed(path))
        #expect(try changed != Self.fingerprint(of: Self.everything.get()))
    }

    @Test(arguments: free.keys.sorted() + shared.keys.sorted())
    func `a free setting makes none`(path: String) throws {
        let changed = try Self.fingerprint(of: Self.changed(path))
        #expect(try changed == Self.fingerprint(of: Self.everything.get()))
    }

    @Test(arguments: kept.keys.sorted() + free.keys.sorted() + shared.keys.sorted())
    func `workers share what is kept, but for files of their own`(path: String) throws {
        let isShared = Self.free[path] == nil && !Self.ownFiles.contains(path)
        let (changed, before) = (
            try Self.digest(of: Self.changed(path)), try Self.digest(of: Self.everything.get())
        )
        #expect((changed != before) == isShared)
    }

    private static func policy(of configuration: Configuration) throws -> UInt64 {
        let configuration = try configuration.withMessage()
        return SharedSettings(
            try fingerprint(of: configuration), cutRows: 1,
            policy: SharedSettings.policy(of: configuration, suppressed: nil, projects: [])
        ).policy
    }

    @Test(arguments: kept.keys.sorted() + free.keys.sorted() + shared.keys.sorted())
    func `workers agree on what decides who gets what`(path: String) throws {
        let (changed, before) = (
            try Self.policy(of: Self.changed(path)), try Self.policy(of: Self.everything.get())
        )
        // Another route brings its own description and hosts.
        guard Self.kept[path] == nil else { return }
        #expect((changed != before) == Self.agreed.contains(path))
    }

    @Test func `each part of a choice of payloads makes another job`() throws {
        let doors: [(name: String, percent: Double, payload: PayloadSource)] = [
            ("a", 50, .template("{}")), ("b", 50, .template(#"{"b":1}"#)),
        ]
        func changed(
            _ change: (inout (name: String, percent: Double, payload: PayloadSource)) -> Void
        ) throws -> PayloadChoice {
            var variants = doors
            change(&variants[0])
            variants[1].percent = 100 - variants[0].percent
            return try PayloadChoice(variants: variants)
        }
        func byColumn(_ column: String) throws -> PayloadChoice {
            try PayloadChoice(byColumn: column, doors.map { ($0.name, $0.payload) })
        }
        let choice = try PayloadChoice(variants: doors)
        let others = [
            "column": try byColumn("locale"), "seed": try PayloadChoice(variants: doors, seed: 1),
            "texts": try PayloadChoice(variants: doors.reversed()),
        ]
        let otherTexts = [
            "name": try changed { $0.name = "c" }, "millionths": try changed { $0.percent = 40 },
            "payload": try changed { $0.payload = .template(#"{"a":1}"#) },
        ]
        #expect(
            Mirror(reflecting: choice).children.compactMap(\.label).sorted() == others.keys.sorted()
        )
        let text = try #require(choice.texts.first)
        #expect(
            Mirror(reflecting: text).children.compactMap(\.label).sorted()
                == otherTexts.keys.sorted())
        var settings: [[JobFingerprint.Setting]] = []
        for choice in [choice, try byColumn("country")] + others.values + otherTexts.values {
            var configuration = Configuration()
            configuration.payload = .chosen(choice)
            settings.append(JobFingerprint.settings(of: configuration))
        }
        for (index, some) in settings.enumerated() {
            #expect(settings[..<index].allSatisfy { $0 != some })
        }
    }

    // MARK: Comparing

    private static func fingerprint(_ settings: String) throws -> JobFingerprint {
        let json = """
            {"version":"fanfare.checkpoint/1","job":"1","started":1,"head_bytes":0,
             "head_checksum":"0","inputs":[{"name":"rows.csv","bytes":1,"modified":1}],
             "settings":{\(settings)}}
            """
        return try #require(JobFingerprint(json: Array(json.utf8)))
    }

    @Test(arguments: [
        // In another order, as another version writes them; without one that was not given.
        (#""topic":"a","carry":"b","columns":"""#, #""carry":"b","topic":"a""#, nil),
        (
            #""topic":"a","carry":"b""#, #""carry":"a","topic":"b""#,
            "ProviderOptions.topic was b then"
        ),
        (#""topic":"a""#, #""carry":"a""#, "ProviderOptions.topic was not given then"),
        (#""topic":"""#, #""topic":"b""#, "ProviderOptions.topic was b then"),
        (
            #""report-columns":"row,id","topic":"a""#, #""topic":"b""#,
            "another version of Fanfare began it, whose reports have other columns"
        ),
        (#""report-columns":"row,id""#, #""report-columns":"row,id""#, nil),
        (
            #""where":"""#, #""where":"\"a=b\"""#,
            "RowChoice.conditions was \"a=b\" then, and a job for other rows has another "
                + "ReportOptions.path"
        ),
        (
            #""where":"\"a=b\"""#, #""where":"""#,
            "RowChoice.conditions was not given then, and a job for other rows has another "
                + "ReportOptions.path"
        ),
        // A version that let each run choose does not say what the first one chose.
        (#""where":"\"a=b\"""#, #""topic":"""#, nil),
        (#""topic":"a","encoding":"latin-1""#, "", "RowOptions.encoding was not given then"),
    ])
    func `settings are compared by their names`(
        now: String, then: String, difference: String?
    ) throws {
        let (now, then) = (try Self.fingerprint(now), try Self.fingerprint(then))
        #expect(now.difference(from: then)?.description == difference)
    }

    /// The text that an input begins with is another one then, though its bytes are not.
    @Test func `another encoding is named before another beginning`() throws {
        var now = try Self.fingerprint(#""encoding":"windows-1252""#)
        now.head = JobFingerprint.Head(bytes: 7, checksum: 1)
        #expect(
            now.difference(from: try Self.fingerprint(""))?.description
                == "RowOptions.encoding was not given then")
    }
}
