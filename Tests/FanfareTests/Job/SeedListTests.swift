import FanfareCore
import FanfareTestSupport
import Synchronization
import Testing

@testable import Fanfare

/// Rows that are sent before all others, for a person to look at.
@Suite struct SeedListTests {
    private let folder: TemporaryFolder
    private let provider: SimulatedProvider

    /// Tokens that begin with `d` are dead; one that begins with `e` stops the job the first time.
    init() throws {
        folder = try TemporaryFolder()
        provider = try SimulatedProvider(
            """
            {"when":{"tokenPrefix":"d"},"then":{"status":410,"reason":"Unregistered"}},
            {"when":{"tokenPrefix":"e","attempt":1},
             "then":{"status":403,"reason":"InvalidProviderToken"}}
            """)
    }

    /// The rows shown and the questions asked.
    private final class Looks: Sendable {
        private let results = Mutex<[SeedResult]>([])
        func add(_ result: SeedResult) { results.withLock { $0.append(result) } }
        var all: [SeedResult] { results.withLock { $0 } }
    }

    private func token(_ prefix: String, _ number: Int) -> String {
        prefix + String(repeating: "0", count: 63 - String(number).utf8.count) + String(number)
    }

    /// Two rows of a list, and fifty more.
    private func configuration(
        seeds: [String] = ["a", "a"], rows: [String] = [], _ looks: Looks = Looks()
    ) throws -> Configuration {
        var configuration = Preparation.configuration("")
        let list = seeds.enumerated().map { token($1, $0) + "\n" }
        let prefixes = rows + Array(repeating: "b", count: 50 - rows.count)
        let text = prefixes.enumerated().map { token($1, 100 + $0) + "\n" }
        configuration.inputs = [
            .file(try folder.write("token\n" + list.joined(), to: "seeds.csv")),
            .file(try folder.write("token\n" + text.joined(), to: "rows.csv")),
        ]
        configuration.provider.endpoint = provider.endpoint
        configuration.engine.connections = 1
        configuration.engine.lanes = 1
        configuration.report.path = folder.path("r.csv")
        configuration.seeds = SeedOptions()
        configuration.seeds?.show = { looks.add($0) }
        return configuration
    }

    private func resuming(_ configuration: Configuration) -> Configuration {
        var configuration = configuration
        configuration.report.resumes = true
        return configuration
    }

    private var reported: [Int] {
        get throws { try folder.reportLines("r.csv").keys.sorted() }
    }

    @Test(arguments: [false, true], ["r.csv", "r.ndjson.gz"])
    func `the others follow when all of the list were accepted`(
        hasWindow: Bool, report: String
    ) throws {
        let looks = Looks()
        var configuration = try configuration(looks)
        configuration.report.path = folder.path(report)
        if hasWindow {
            configuration.window = HoursOptions(opensMinute: 0, closesMinute: 24 * 60)
            configuration.window?.timezone = "UTC"
        }
        let result = try Job(configuration).run()
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == 52)
        #expect(result.outcomes["accepted"] == 52)
        let seen = try #require(looks.all.first)
        #expect(looks.all.count == 1)
        #expect(seen.rowCount == 2)
        #expect(seen.isAccepted)
        #expect(seen.rows.map(\.number) == [1, 2])
        #expect(seen.rows.map(\.outcome) == ["accepted", "accepted"])
        // No message shows a whole token.
        #expect(seen.rows.allSatisfy { $0.token == "a0000000…" })
        #expect(seen.table.contains("seeds.csv: 2 of 2 accepted"))
        _ = provider.stop()
    }

    @Test func `what a row of the list is called may look like a line of the report`() throws {
        let looks = Looks()
        let configuration = try configuration(looks)
        let list = "token,id\n\(token("a", 0)),\"\(DeceptiveTexts.line)\"\n\(token("a", 1)),u\n"
        try folder.write(list, to: "seeds.csv")
        let result = try Job(configuration).run()
        #expect(result.exitCode == 0, "\(result.stopMessage ?? "")")
        #expect(result.outcomes["accepted"] == 52)
        #expect(looks.all.first?.rows.map(\.outcome) == ["accepted", "accepted"])
    }

    @Test func `a row that was not accepted stops the job, and can be overruled`() throws {
        let looks = Looks()
        var configuration = try configuration(seeds: ["a", "d", "a"], looks)
        let stopped = try Job(configuration, resumeCommand: "again").run()
        #expect(stopped.exitCode == 3)
        // The same command would stop again, and no printed one decides for a person.
        #expect(stopped.isResumable)
        #expect(stopped.summaryJSON.contains("\"resume_command\": null"))
        #expect(stopped.stopMessage?.contains("2 of 3 rows of the seed list") == true)
        #expect(try reported == [1, 2, 3])
        // The same again, as long as the configuration does not say otherwise.
        #expect(try Job(resuming(configuration)).run().exitCode == 3)
        configuration.seeds?.continuesAfterFailures = true
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == 53)
        #expect(try reported == Array(1...53))
        #expect(looks.all.count == 3)
        #expect(looks.all.allSatisfy { $0 == looks.all[0] })
        #expect(
            looks.all[0].rows[1]
                == .init(
                    number: 2, token: "d0000000…", outcome: "unregistered",
                    reason: "410 Unregistered"))
        // No device was sent to twice.
        #expect(provider.stop().requests == 53)
    }

    @Test func `who says no is asked again by the next run, and who said yes is not`() throws {
        let looks = Looks()
        var configuration = try configuration(rows: ["b", "e"], looks)
        configuration.engine.streams = 1
        configuration.seeds?.confirm = { result, _ in
            #expect(result.isAccepted)
            return false
        }
        let refused = try Job(configuration).run()
        #expect(refused.exitCode == 130)
        #expect(try reported == [1, 2])
        configuration.seeds?.confirm = { _, _ in true }
        // The second row behind the list stops it for another reason.
        #expect(try Job(resuming(configuration)).run().exitCode == 3)
        #expect(looks.all.count == 2)
        configuration.seeds?.confirm = { _, _ in
            Issue.record("asked once more")
            return false
        }
        #expect(try Job(resuming(configuration)).run().exitCode == 0)
        #expect(looks.all.count == 2)
        #expect(try reported == Array(1...52))
        // The row that stopped it was sent twice.
        #expect(provider.stop().requests == 53)
    }

    @Test func `a list whose lines are in several parts is known again`() throws {
        // A thousand lines of some 165 bytes.
        var configuration = try configuration(seeds: Array(repeating: "a", count: 1000))
        configuration.report.splitBytes = 100_000
        configuration.seeds?.confirm = { _, _ in false }
        #expect(try Job(configuration).run().exitCode == 130)
        #expect(folder.exists("r-2.csv"))
        configuration.seeds?.confirm = { _, _ in true }
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == 1050)
        #expect(provider.stop().requests == 1050)
    }

    /// Two of the list and three rows, two of them for the people of the list: without `seeds`
    /// these would be sent to again.
    @Test func `what was the seed list is the seed list when the job is carried on`() throws {
        var configuration = try configuration()
        let text = [token("a", 0), token("a", 1), token("b", 1)].joined(separator: "\n")
        configuration.inputs[1] = .file(try folder.write("token\n\(text)\n", to: "again.csv"))
        configuration.seeds?.confirm = { _, _ in false }
        #expect(try Job(configuration).run().exitCode == 130)
        #expect(try reported == [1, 2])

        var other = resuming(configuration)
        other.seeds = nil
        let error = fanfareError { _ = try Job(other) }
        #expect(error?.code == .configuration)
        #expect(
            error?.message.contains(
                "Configuration.seeds was \(folder.path("seeds.csv")) "
                    + "then") == true)

        configuration.seeds?.confirm = nil
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        #expect(result.outcomes["accepted"] == 3 && result.outcomes["skipped"] == 2)
        #expect(provider.stop().requests == 3)
    }

    @Test func `what was no seed list is none when the job is carried on`() throws {
        var configuration = try configuration(rows: ["b", "e"])
        configuration.engine.streams = 1
        let options = configuration.seeds
        configuration.seeds = nil
        // The second row behind the list stops it.
        #expect(try Job(configuration).run().exitCode == 3)
        var other = resuming(configuration)
        other.seeds = options
        let error = fanfareError { _ = try Job(other) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("Configuration.seeds was not given then") == true)
        #expect(try Job(resuming(configuration)).run().exitCode == 0)
        #expect(try reported == Array(1...52))
    }

    @Test func `a database behind a list is looked at before the list is sent`() throws {
        var configuration = try configuration()
        configuration.inputs[1] = .sqlite(folder.path("none.db"), .table("devices"))
        #expect(throws: FanfareError.self) { try Job(configuration) }
        #expect(provider.stop().requests == 0)
    }

    @Test func `a list too long to look through is refused, and so is one that says nothing`()
        throws
    {
        func message(_ change: (inout Configuration) -> Void) throws -> String? {
            var configuration = try configuration()
            change(&configuration)
            do throws(FanfareError) {
                _ = try Job(configuration)
                return nil
            } catch {
                #expect(error.code == .configuration)
                return error.message
            }
        }
        let long = "token\n" + String(repeating: token("a", 1) + "\n", count: 1001)
        try folder.write(long, to: "long.csv")
        try folder.write("token\n", to: "empty.csv")
        #expect(
            try message { $0.inputs[0] = .file(folder.path("long.csv")) }?
                .contains("more than 1000 rows") == true)
        #expect(
            try message { $0.inputs[0] = .file(folder.path("empty.csv")) }?
                .contains("has no rows") == true)
        #expect(
            try message { $0.rows.deduplication = .last }?.contains(
                "RowOptions.deduplication = "
                    + ".first") == true)
        // A file that can be read only once, such as <(head -3 rows.csv).
        #expect(
            try message { $0.inputs[0] = .standardInput }?.contains("no regular file") == true)
        #expect(
            try message { $0.inputs[0] = .file("/dev/null") }?.contains("no regular file") == true)
        #expect(!folder.exists("r.csv"))
    }

    @Test func `of a long list those are shown that were not accepted`() {
        var result = SeedResult(name: "list", rowCount: 30)
        for row in (1...30).reversed() {
            result.add(
                SeedResult.Row(
                    number: UInt64(row), token: "t", outcome: row > 28 ? "suspect" : "accepted",
                    reason: ""),
                isAccepted: row <= 28)
        }
        #expect(result.acceptedCount == 28)
        #expect(result.rows.map(\.number) == Array(1...18) + [29, 30])
        #expect(result.table.hasSuffix("and 10 more\n"))
    }

    @Test func `people of the list who are in the rows, too, get it once`() throws {
        var configuration = try configuration(seeds: ["a", "c"])
        // The rows have both of them again, in other letters, and one other person twice.
        let again = ["a", "c"].enumerated().map { token($1, $0).uppercased() + "\n" }
        let other = token("b", 7) + "\n"
        configuration.inputs[1] = .file(
            try folder.write("token\n" + again.joined() + other + other, to: "again.csv"))
        configuration.seeds?.confirm = { _, _ in true }
        let result = try Job(configuration).run()
        #expect(result.outcomes["accepted"] == 4 && result.outcomes["skipped"] == 2)
        #expect(folder.text(of: "r.csv").contains(",skipped,,token is a duplicate,"))
    }
}
