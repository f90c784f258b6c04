import FanfareCore
import FanfareSimulator
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs that deliver nothing: FCM is asked about tokens, and APNs is not.
@Suite struct ValidationJobTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let rules = #"""
        {"rules": [
          {"when": {"provider": "fcm", "tokenPrefix": "dead"}, "then": {"status": 404}},
          {"when": {"provider": "fcm", "tokenPrefix": "other"},
           "then": {"status": 403, "reason": "SENDER_ID_MISMATCH"}}
        ]}
        """#

    private static func fcm(_ number: Int, _ prefix: String = "") -> String {
        let digits = String(String(number + 0x10_0000, radix: 16).dropFirst())
        return prefix + "fan" + digits + ":APA91b" + String(repeating: "x", count: 130)
    }

    private static func apns(_ number: Int) -> String {
        let digits = String(number + 0x1000_0000, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    private func configuration(
        _ simulator: Simulator, _ rows: String, _ routes: ProviderOptions...
    ) -> Configuration {
        var configuration = Configuration()
        configuration.inputs = [.text(rows)]
        configuration.routes = routes
        for index in configuration.routes.indices {
            configuration.routes[index].endpoint = simulator.endpoint
            configuration.routes[index].caPEM = simulator.caPEM
            configuration.routes[index].project = "p"
            configuration.routes[index].validatesOnly = true
        }
        configuration.engine.lanes = 2
        configuration.report.path = folder.path("r.csv")
        return configuration
    }

    private static func tokens(_ count: Int) -> String {
        "token\n"
            + (0..<count).map { fcm($0, $0 == 7 ? "dead" : $0 == 8 ? "other" : "") + "\n" }.joined()
    }

    @Test func `a list is cleaned without a message`() throws {
        let simulator = try Simulator(scenario: Self.rules)
        var configuration = configuration(simulator, Self.tokens(300), .fcm)
        configuration.report.path = ReportOptions.noFile
        configuration.report.unregisteredPath = folder.path("dead.csv")
        let result = try Job(configuration).run()
        #expect(result.exitCode == 0 && result.failure == nil)
        #expect(result.outcomes["skipped"] == 298)
        #expect(result.outcomes["unregistered"] == 1 && result.outcomes["suspect"] == 1)
        #expect(result.summary.tally.valid == 298)
        let lines = try folder.read("dead.csv").split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix(Self.fcm(7, "dead")) == true)
        #expect(simulator.stop().total == 300)
    }

    @Test func `a row says what was answered, and has no message`() throws {
        let simulator = try Simulator(scenario: Self.rules)
        let result = try Job(
            configuration(simulator, Self.tokens(20), .fcm), strict: true
        ).run()
        // One is dead, one is another project's.
        #expect(result.exitCode == 1)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.count == 20)
        #expect(lines[1]?[3...8] == ["fcm", "skipped", "200", "valid", "", "1"])
        #expect(lines[8]?[4...6] == ["unregistered", "404", "UNREGISTERED"])
        #expect(lines[9]?[4...6] == ["suspect", "403", "SENDER_ID_MISMATCH"])
        simulator.stop()
    }

    @Test func `a list without a fault passes a strict check, duplicates included`() throws {
        let simulator = try Simulator()
        var configuration = configuration(
            simulator, "token\n\(Self.fcm(1))\n\(Self.fcm(2))\n\(Self.fcm(1))\n", .fcm)
        configuration.rows.deduplication = .first
        let result = try Job(configuration, strict: true).run()
        #expect(result.exitCode == 0 && result.outcomes["skipped"] == 3)
        #expect(simulator.stop().total == 2)
    }

    @Test func `where every token is dead, the end says so`() throws {
        let simulator = try Simulator(scenario: Self.rules)
        let rows = "token\n" + (0..<3).map { Self.fcm($0, "dead") + "\n" }.joined()
        let result = try Job(configuration(simulator, rows, .fcm)).run()
        #expect(result.exitCode == 1 && result.outcomes["unregistered"] == 3)
        #expect(result.table(usesColor: false).contains("but no row could be sent"))
        simulator.stop()
    }

    @Test func `rows for a provider that cannot be asked are held against its rules`() throws {
        let simulator = try Simulator(scenario: Self.rules)
        // More than a lane looks at in a turn.
        var rows = "token,provider\n"
        for number in 0..<3000 { rows += "\(Self.apns(number)),ios\n" }
        for number in 0..<100 { rows += "\(Self.fcm(number, number == 3 ? "dead" : "")),\n" }
        rows += "xyz,ios\n"
        let result = try Job(configuration(simulator, rows, ProviderOptions(), .fcm)).run()
        #expect(result.exitCode == 0 && result.rowsRead == 3101)
        #expect(result.outcomes["skipped"] == 3099 && result.outcomes["unregistered"] == 1)
        #expect(result.outcomes["invalid"] == 1)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.count == 3101)
        #expect(lines[1]?[3...6] == ["apns", "skipped", "", "valid"])
        #expect(lines[3001]?[3...6] == ["fcm", "skipped", "200", "valid"])
        #expect(lines[3101]?[3...4] == ["apns", "invalid"])
        #expect(result.summary.routes.map(\.tally.attempts) == [0, 100])
        #expect(result.summary.routes[0].tally.connectionsOpened == 0)
        let table = result.table(usesColor: false)
        #expect(table.contains("Rows for apns were checked here only: APNs cannot be asked.\n"))
        #expect(table.contains("100 rows, 99.0 % valid"), "\(table)")
        #expect(simulator.stop().total == 100)
    }

    @Test func `what is only looked at may be looked at twice`() throws {
        let simulator = try Simulator()
        var configuration = configuration(simulator, "token\n\(Self.fcm(1))\n", .fcm)
        func resends() throws -> [Bool] {
            try PreparedJob(configuration, identity: JobIdentity(bits: 1)).laneSettings()
                .map(\.dispatch.resendsInDoubt)
        }
        #expect(try resends() == [true, true] && configuration.mayRepeat)
        configuration.provider.validatesOnly = false
        configuration.payload = .template(#"{"message":{}}"#)
        #expect(try resends() == [false, false] && !configuration.mayRepeat)
        simulator.stop()
    }
}
