import FanfareCore
import Testing

@testable import Fanfare

/// Each setting of a job either is the same when the job is carried on, or may be another one.
///
/// A new setting belongs in one of the two lists here, and, if it changes what is sent or reported, into
/// `JobFingerprint`: otherwise the rest of a job is silently sent with another value.
@Suite struct JobSettingsTests {
    private typealias Change = @Sendable (inout Configuration) -> Void

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
        "seeds": { $0.seeds = nil },
        "payload": { $0.payload = .template(json: Array("{}".utf8), name: "payload") },
        "routes": { $0.routes.append(.fcm) },
        "routes.provider": { $0.provider.provider = .fcm },
        "routes.endpoint": { $0.provider.endpoint = .apns(.sandbox, port: 443) },
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
        "rows.choice": { $0.rows.choice.limit = 1000 },
        // A wrong key is what many a job is stopped by.
        "routes.credentials": {
            $0.provider.credentials = .token(keyFile: "k", keyID: "A", teamID: "B")
        },
        "routes.project": { $0.provider.project = "my-app" },
        "routes.rate": { $0.provider.rate = SendingRate(1) },
        // A host that was forgotten is what many rows fail for.
        "routes.allowedHosts": { $0.provider.allowedHosts = ["*"] },
        "routes.allowsPrivateHosts": { $0.provider.allowsPrivateHosts = true },
        "routes.caFile": { $0.provider.caFile = "ca.pem" },
        "routes.caPEM": { $0.provider.caPEM = "" },
        "routes.verifiesServer": { $0.provider.verifiesServer = false },
        "routes.proxy": { $0.provider.proxy = Proxy(host: "proxy", port: 3128) },
        "engine.connections": { $0.engine.connections = 2 },
        "engine.streams": { $0.engine.streams = 2 },
        "engine.isAdaptive": { $0.engine.isAdaptive = false },
        "engine.lanes": { $0.engine.lanes = 2 },
        "engine.rate": { $0.engine.rate = SendingRate(1) },
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
        "guards.stopIf": { $0.guards.stopIf = [] },
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
    ]

    /// Compared in other ways: what is read by size and time or by its bytes, and where the lines are.
    ///
    /// A description is compared by the name of its provider; the rest of it may be mended. What messages call
    /// settings is nothing that a job does.
    private static let elsewhere: Set = [
        "cluster", "inputs", "naming", "report.path", "routes.declared",
    ]

    /// All groups of settings there are, each with what it begins with.
    private static let everything: Configuration = {
        var configuration = Configuration()
        configuration.inputs = [.file("seeds.csv")]
        configuration.seeds = SeedOptions()
        configuration.window = HoursOptions(opensMinute: 0, closesMinute: 60)
        configuration.log = LogOptions(path: "job.log")
        return configuration
    }()

    /// The settings as texts, by their paths: a group that may be `nil` itself, and what is in a group.
    private static func settings(of value: Any, below prefix: String = "") -> [String: String] {
        var settings: [String: String] = [:]
        for (name, value) in Mirror(reflecting: value).children {
            let path = prefix + (name ?? "")
            let mirror = Mirror(reflecting: value)
            let group: Any? =
                mirror.displayStyle == .optional ? mirror.children.first?.value : .some(value)
            // The settings of the first route stand for those of each.
            if let route = (value as? [ProviderOptions])?.first {
                settings[path] = "\(value)"
                settings.merge(Self.settings(of: route, below: path + ".")) { $1 }
                continue
            }
            let isGroup = group.map { "\(type(of: $0))".hasSuffix("Options") } ?? false
            if !isGroup || mirror.displayStyle == .optional { settings[path] = "\(value)" }
            guard isGroup, let group else { continue }
            settings.merge(Self.settings(of: group, below: path + ".")) { $1 }
        }
        return settings
    }

    private static func changed(_ path: String) throws -> Configuration {
        var changed = everything
        let change = try #require(kept[path] ?? free[path])
        change(&changed)
        return changed
    }

    @Test func `each setting is kept, free, or compared elsewhere`() {
        let known = Array(Self.kept.keys) + Array(Self.free.keys) + Array(Self.elsewhere)
        #expect(Self.settings(of: Self.everything).keys.sorted() == known.sorted())
    }

    @Test(arguments: kept.keys.sorted() + free.keys.sorted())
    func `what is said of a setting is tried with it`(path: String) throws {
        let before = Self.settings(of: Self.everything)
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
        let changed = JobFingerprint.settings(of: try Self.changed(path))
        #expect(changed != JobFingerprint.settings(of: Self.everything))
    }

    @Test(arguments: free.keys.sorted())
    func `a free setting makes none`(path: String) throws {
        let changed = JobFingerprint.settings(of: try Self.changed(path))
        #expect(changed == JobFingerprint.settings(of: Self.everything))
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
    ])
    func `settings are compared by their names`(
        now: String, then: String, difference: String?
    ) throws {
        let (now, then) = (try Self.fingerprint(now), try Self.fingerprint(then))
        #expect(now.difference(from: then)?.description == difference)
    }
}
