import FanfareCore
import Testing

@testable import Fanfare

/// Each setting of a job either is the same when the job is carried on, or may be another one.
///
/// A new setting belongs into one of the two lists here, and, if it changes what is sent or reported, into
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
        "rows.deduplication": { $0.rows.deduplication = .first },
        "rows.validates": { $0.rows.validates = false },
        "seeds": {
            $0.inputs = [.file("seeds.csv")]
            $0.seeds = SeedOptions()
        },
        "payload": { $0.payload = .template(json: Array("{}".utf8), name: "payload") },
        "provider.endpoint": { $0.provider.endpoint = .apns(.sandbox, port: 443) },
        "provider.topic": { $0.provider.topic = "com.example.other" },
        "provider.pushType": { $0.provider.pushType = "voip" },
        "provider.priority": { $0.provider.priority = "5" },
        "provider.expiration": { $0.provider.expiration = "0" },
        "provider.expiresAfter": { $0.provider.expiresAfter = .seconds(60) },
        "provider.collapseID": { $0.provider.collapseID = "news" },
        "provider.identity": { $0.provider.identity = "simulator" },
        "report.splitBytes": { $0.report.splitBytes = 1_000_000 },
        "report.unregisteredPath": { $0.report.unregisteredPath = "dead.csv" },
        "report.retryRowsPath": { $0.report.retryRowsPath = "again.csv" },
        "report.carriedColumns": { $0.report.carriedColumns = ["name"] },
        "report.token": { $0.report.token = .prefix },
    ]

    /// Another value is another way to send the same, to fewer devices, or to tell of it.
    private static let free: [String: Change] = [
        // Whom not to send to is known best at the end.
        "rows.suppressions": { $0.rows.suppressions = [.file("suppress.csv")] },
        // A wrong key is what many a job is stopped by.
        "provider.credentials": {
            $0.provider.credentials = .token(keyFile: "k", keyID: "A", teamID: "B")
        },
        "provider.caFile": { $0.provider.caFile = "ca.pem" },
        "provider.caPEM": { $0.provider.caPEM = "" },
        "provider.verifiesServer": { $0.provider.verifiesServer = false },
        "provider.proxy": { $0.provider.proxy = Proxy(host: "proxy", port: 3128) },
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
        "window": { $0.window = WindowOptions(opensMinute: 0, closesMinute: 60) },
        "guards.stopIf": { $0.guards.stopIf = [] },
        "guards.failIf": { $0.guards.failIf = [.inDoubt] },
        "report.resumes": { $0.report.resumes = true },
        "report.durability": { $0.report.durability = .full },
        "report.overwrites": { $0.report.overwrites = true },
        "report.isOrdered": { $0.report.isOrdered = true },
        "report.areLinesWanted": { $0.report.areLinesWanted = true },
        "report.keepsSeries": { $0.report.keepsSeries = true },
        "log": { $0.log = LogOptions(path: "job.log") },
    ]

    /// Compared in other ways: what is read by size and time or by its bytes, and where the lines are.
    private static let elsewhere: Set = ["inputs", "report.path"]

    /// The settings, by their paths.
    private static func paths(of value: Any, below prefix: String = "") -> [String] {
        Mirror(reflecting: value).children.flatMap { name, value in
            let path = prefix + (name ?? "")
            let isGroup = "\(type(of: value))".hasSuffix("Options")
            return isGroup ? paths(of: value, below: path + ".") : [path]
        }
    }

    @Test func `each setting is kept, free, or compared elsewhere`() {
        let known = Array(Self.kept.keys) + Array(Self.free.keys) + Array(Self.elsewhere)
        #expect(Self.paths(of: Configuration()).sorted() == known.sorted())
    }

    @Test(arguments: kept.keys.sorted())
    func `a kept setting makes another job`(path: String) throws {
        var changed = Configuration()
        let change = try #require(Self.kept[path])
        change(&changed)
        #expect(
            JobFingerprint.settings(of: changed) != JobFingerprint.settings(of: Configuration()))
    }

    @Test(arguments: free.keys.sorted())
    func `a free setting makes none`(path: String) throws {
        var changed = Configuration()
        let change = try #require(Self.free[path])
        change(&changed)
        #expect(
            JobFingerprint.settings(of: changed) == JobFingerprint.settings(of: Configuration()))
    }
}
