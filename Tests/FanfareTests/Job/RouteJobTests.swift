import FanfareCore
import FanfareSimulator
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Whole jobs to two providers, as the simulator has them.
@Suite struct RouteJobTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func apns(_ number: Int) -> String {
        let digits = String(number + 0x1000_0000, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    private static func fcm(_ number: Int, _ prefix: String = "") -> String {
        let digits = String(String(number + 0x10_0000, radix: 16).dropFirst())
        return prefix + "fan" + digits + ":APA91b" + String(repeating: "x", count: 130)
    }

    private func configuration(_ simulator: Simulator, _ rows: String) throws -> Configuration {
        try folder.write(try simulator.serviceAccount(), to: "account.json")
        var configuration = Configuration()
        configuration.inputs = [.text(rows)]
        configuration.payload = .template(#"{"aps":{"alert":"Hi"}}"#)
        configuration.routes.append(.fcm)
        configuration.routes[1].payload = .template(
            #"{"message":{"notification":{"title":"Hi"}}}"#)
        configuration.routes[1].credentials = .serviceAccount(file: folder.path("account.json"))
        configuration.routes[0].topic = "com.example.app"
        for index in configuration.routes.indices {
            configuration.routes[index].endpoint = simulator.endpoint
            configuration.routes[index].caPEM = simulator.caPEM
        }
        configuration.engine.lanes = 2
        configuration.report.path = folder.path("r.csv")
        return configuration
    }

    @Test func `each provider gets its rows, by column and by token`() throws {
        let simulator = try Simulator(
            scenario: #"""
                {"rules": [
                  {"when": {"provider": "fcm", "tokenPrefix": "dead"}, "then": {"status": 404}}
                ]}
                """#)
        var rows = "platform,token\n"
        for number in 0..<500 {
            rows += number % 3 == 0 ? "ios,\(Self.apns(number))\n" : ",\(Self.fcm(number))\n"
        }
        rows += "Android,\(Self.fcm(1, "dead"))\n"
        rows += "symbian,x\(Self.fcm(2).filter { $0 != ":" })\n"
        rows += "webpush,\(Self.fcm(2))\n"
        rows += "ios,\(Self.fcm(3))\n"
        let result = try Job(try configuration(simulator, rows)).run()
        #expect(result.failure == nil && result.rowsRead == 504)
        #expect(result.outcomes["accepted"] == 500)
        #expect(result.outcomes["unregistered"] == 1 && result.outcomes["invalid"] == 3)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.count == 504)
        // Rows 1 and 502 to 504: of the first provider, of none that is known, of none in the job.
        #expect(
            [1, 2, 501, 502, 503, 504].map { lines[$0]?[3] } == [
                "apns", "fcm", "fcm", "", "", "apns",
            ])
        #expect(lines[501]?.contains("UNREGISTERED") == true)
        #expect(lines[502]?.contains { $0.contains("symbian") } == true)
        #expect(lines[503]?.contains { $0.contains("webpush") } == true)
        #expect(lines[504]?.contains { $0.contains("one of FCM") } == true)
        let requests = simulator.stop()
        #expect(requests.accessTokens == 1)
    }

    @Test func `a word of one's own names a provider`() throws {
        let simulator = try Simulator()
        let rows = "os,token\niphone,\(Self.apns(1))\ndroid,\(Self.fcm(1))\n"
        var configuration = try configuration(simulator, rows)
        configuration.rows.providerWords = ["iPhone": .apns, "droid": .fcm]
        let result = try Job(configuration).run()
        #expect(result.failure == nil && result.outcomes["accepted"] == 2)
        _ = simulator.stop()
    }

    @Test
    func `a provider that takes nothing stops the job by its name, and the rest is carried on`()
        throws
    {
        // APNs takes its rows first: the wrong project is asked about a row only behind the token.
        let simulator = try Simulator()
        var rows = "token\n"
        for number in 0..<200 { rows += Self.apns(number) + "\n" }
        rows += Self.fcm(1) + "\n"
        var configuration = try configuration(simulator, rows)
        configuration.routes[1].project = "another"
        let result = try Job(configuration).run()
        #expect(result.exitCode == 3 && result.isResumable)
        #expect(result.stopMessage?.hasPrefix("fcm: ") == true, "\(result.stopMessage ?? "")")
        #expect(result.outcomes["unregistered"] ?? 0 == 0)

        configuration.routes[1].project = nil
        configuration.report.resumes = true
        let rest = try Job(configuration).run()
        #expect(rest.failure == nil && rest.outcomes["accepted"] == 201)
        let requests = simulator.stop()
        #expect(requests.accepted == 201)
    }

    @Test func `a bound on outcomes is watched for each provider`() throws {
        // Of all rows few are in doubt, and of FCM's six in ten, too few for a run of them that makes a pause.
        let simulator = try Simulator(
            scenario: #"""
                {"rules": [{"when": {"provider": "fcm", "fraction": 0.6}, "then": {"status": 503}}]}
                """#)
        var rows = "token\n"
        for number in 0..<20_000 {
            rows += (number % 10 == 0 ? Self.fcm(number) : Self.apns(number)) + "\n"
        }
        var configuration = try configuration(simulator, rows)
        configuration.routes[1].rate = SendingRate(2000)
        let result = try Job(configuration).run()
        #expect(result.exitCode == 3)
        let message = try #require(result.stopMessage)
        #expect(message.contains("rows for fcm so far are unknown"), "\(message)")
        _ = simulator.stop()
    }

    @Test func `two ways to one provider are refused`() throws {
        var configuration = Configuration()
        configuration.inputs = [.text("token\naa\n")]
        configuration.payload = .template("{}")
        configuration.routes.append(ProviderOptions())
        let error = #expect(throws: FanfareError.self) { try Job(configuration) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("apns is named twice") == true)
        configuration.routes = []
        #expect(throws: FanfareError.self) { try Job(configuration) }
    }

    @Test func `a job is not carried on with other providers`() throws {
        let simulator = try Simulator()
        var configuration = try configuration(
            simulator, "token\n\(Self.apns(1))\n\(Self.fcm(1))\n")
        configuration.routes[1].project = "another"
        #expect(try Job(configuration).run().exitCode == 3)
        configuration.routes[1].project = nil
        configuration.report.resumes = true
        var other = configuration
        other.routes.removeLast()
        let error = #expect(throws: FanfareError.self) { try Job(other) }
        #expect(error?.message.contains("ProviderOptions.provider was apns,fcm then") == true)
        other = configuration
        other.rows.providerWords = ["x": .apns]
        let words = #expect(throws: FanfareError.self) { try Job(other) }
        #expect(words?.message.contains("RowOptions.providerWords") == true)
        _ = simulator.stop()
    }

    @Test func `tokens of both providers come once`() throws {
        let simulator = try Simulator()
        let rows = [Self.apns(1), Self.fcm(1), Self.fcm(2), Self.apns(1), Self.fcm(1)]
        var configuration = try configuration(
            simulator, "token\n" + rows.map { $0 + "\n" }.joined())
        configuration.rows.deduplication = .first
        configuration.rows.suppressions = [.text("token\n\(Self.fcm(2))\n")]
        let result = try Job(configuration).run()
        #expect(result.failure == nil)
        #expect(result.outcomes["accepted"] == 2 && result.outcomes["skipped"] == 3)
        _ = simulator.stop()
    }

    @Test func `events of a log say which provider they are of`() throws {
        let simulator = try Simulator()
        var configuration = try configuration(
            simulator, "token\n\(Self.apns(1))\n\(Self.fcm(1))\n")
        configuration.log = LogOptions(path: folder.path("log"))
        _ = try Job(configuration).run()
        let text = try String(contentsOfFile: folder.path("log"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.contains(#""connection_opened""#) }
        for provider in ["apns", "fcm"] {
            #expect(lines.contains { $0.contains(#""provider": "\#(provider)""#) }, "\(text)")
        }
        _ = simulator.stop()
    }
}
