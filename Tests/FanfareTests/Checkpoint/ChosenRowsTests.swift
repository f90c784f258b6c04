import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs that are told which rows to send to, and the ones that send to the rest.
@Suite struct ChosenRowsTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
        try folder.write(people(), to: "people.csv")
    }

    private var hasCheckpoint: Bool { FileDescriptor.exists(folder.path("r.csv.checkpoint")) }

    /// A hundred rows; each third is for Android, and a row's age is its number.
    private func chosen(_ change: (inout RowChoice) throws -> Void) throws -> Configuration {
        var configuration = try configuration()
        configuration.inputs = [.file(folder.path("people.csv"))]
        try change(&configuration.rows.choice)
        return configuration
    }

    private func people() -> String {
        "token,platform,age\n"
            + (1...100).map { "\(token("aa", $0)),\($0 % 3 == 0 ? "android" : "ios"),\($0)\n" }
            .joined()
    }

    private func run(_ configuration: Configuration) throws -> JobResult {
        let result = try Job(configuration, resumeCommand: "again", restCommand: "the rest").run()
        #expect(result.exitCode == 0, "\(result.stopMessage ?? "")")
        return result
    }

    private func rows() throws -> [Int] { try folder.reportLines("r.csv").keys.sorted() }

    /// Sends to the rest, after which every row was sent to once.
    private func finish() throws {
        let result = try run(resuming(try chosen { _ in }))
        #expect(result.rowsRead == 100 && result.isComplete && !result.isResumable)
        #expect(try rows() == Array(1...100))
        #expect(!hasCheckpoint)
        #expect(provider.stop().requests == 100)
    }

    @Test func `a limit sends to the first rows, a larger one to some more, and none to the rest`()
        throws
    {
        let canary = try run(try chosen { $0.limit = 7 })
        #expect(canary.rowsRead == 7 && canary.isResumable && !canary.isComplete)
        #expect(canary.summaryJSON.contains("\"resume_command\": \"the rest\""))
        #expect(try rows() == Array(1...7))
        #expect(hasCheckpoint)
        // Rows that the first run has sent count.
        #expect(try run(resuming(try chosen { $0.limit = 20 })).rowsRead == 20)
        #expect(try run(resuming(try chosen { $0.limit = 5 })).rowsRead == 20)
        #expect(try rows() == Array(1...20))
        try finish()
    }

    @Test func `a limit that is the number of rows leaves none`() throws {
        let result = try run(try chosen { $0.limit = 100 })
        #expect(result.isComplete && !result.isResumable && !hasCheckpoint)
        #expect(result.summaryJSON.contains("\"resume_command\": null"))
    }

    @Test func `conditions choose by what stands in columns`() throws {
        let result = try run(
            try chosen { $0.conditions = [try RowCondition("platform=ios")] })
        #expect(result.rowsRead == 67)
        #expect(try rows() == (1...100).filter { $0 % 3 != 0 })
        try finish()
    }

    @Test func `a row has to fit all conditions, and the limit is of those that do`() throws {
        let result = try run(
            try chosen {
                $0.conditions = [try RowCondition("platform!=android"), try RowCondition("age>10")]
                $0.limit = 5
            })
        #expect(try rows() == [11, 13, 14, 16, 17])
        #expect(result.summaryJSON.contains("\"rest_unread\": false"))
        // Rows 18 to 100, and those before that are for Android or too young.
        #expect(result.summaryJSON.contains("\"left_out\": {\n    \"rows\": 95,"))
        try finish()
    }

    @Test func `where reading stops at a limit, only the rows before it are counted`() throws {
        try folder.write(
            "token,platform,age\n"
                + (1...3000).map { "\(token("aa", $0)),ios,\($0)\n" }.joined(), to: "people.csv")
        let result = try run(
            try chosen {
                $0.conditions = [try RowCondition("age>3")]
                $0.limit = 5
            })
        #expect(try rows() == [4, 5, 6, 7, 8])
        #expect(result.summaryJSON.contains("\"rest_unread\": true"))
        #expect(result.summaryJSON.contains("\"left_out\": {\n    \"rows\": 3,"))
    }

    @Test func `samples grow, and what is left goes at the end`() throws {
        let first = try run(try chosen { $0.sample = try RowSample(percent: 10) })
        let few = Set(try rows())
        #expect(few.count == Int(first.rowsRead) && few.count < 40)
        _ = try run(resuming(try chosen { $0.sample = try RowSample(percent: 50) }))
        let more = Set(try rows())
        #expect(few.isSubset(of: more) && (20..<80).contains(more.count))
        _ = try run(resuming(try chosen { $0.conditions = [try RowCondition("platform=ios")] }))
        try finish()
    }

    @Test func `a canary that was stopped goes on as one`() throws {
        let configuration = try stoppedJob { $0.rows.choice.limit = 60 }
        #expect(try run(resuming(configuration)).rowsRead == 60)
        #expect(try rows() == Array(1...60))
        var rest = resuming(configuration)
        rest.rows.choice = RowChoice()
        #expect(try run(rest).rowsRead == 100)
        #expect(try rows() == Array(1...100))
        // The row that stopped the first run went twice.
        #expect(provider.stop().requests == 101)
    }

    @Test func `which row of a token counts does not depend on the rows that are left out`() throws
    {
        let text = "token,platform\n\(token("aa", 1)),ios\n\(token("aa", 1)),android\n"
        var configuration = try configuration()
        configuration.inputs = [.file(try folder.write(text, to: "rows.csv"))]
        configuration.rows.deduplication = .first
        configuration.rows.choice.conditions = [try RowCondition("platform=android")]
        #expect(try run(configuration).count(of: .skipped) == 1)
        configuration.rows.choice = RowChoice()
        #expect(try run(resuming(configuration)).count(of: .accepted) == 1)
        #expect(try rows() == [1, 2])
        #expect(provider.stop().requests == 1)
    }

    @Test func `the rows of a seed list are sent in any case`() throws {
        var configuration = try chosen { $0.limit = 3 }
        let seeds = "token,platform,age\n\(token("bb", 1)),android,1\n\(token("bb", 2)),ios,2\n"
        configuration.inputs.insert(.file(try folder.write(seeds, to: "seeds.csv")), at: 0)
        configuration.seeds = SeedOptions()
        configuration.seeds?.wait = .zero
        configuration.rows.choice.conditions = [try RowCondition("platform=ios")]
        #expect(try run(configuration).rowsRead == 5)
        // Rows 3 to 102 are those of the list behind the seeds: 1, 2 and 4 of them are for iOS.
        #expect(try rows() == [1, 2, 3, 4, 6])
    }

    @Test func `a database has the rows so far, and all of them at the end`() throws {
        func count() throws -> UInt64 {
            try ReportDigest.reading([.file(folder.path("r.sqlite"))]).rows.count
        }
        var configuration = try chosen { $0.limit = 30 }
        configuration.report.path = folder.path("r.sqlite")
        _ = try run(configuration)
        #expect(try count() == 30)
        configuration.rows.choice = RowChoice()
        _ = try run(resuming(configuration))
        #expect(try count() == 100)
        #expect(!FileDescriptor.exists(folder.path("r.sqlite.csv")))
        #expect(provider.stop().requests == 100)
    }

    @Test func `a rehearsal looks at the rows that are chosen`() throws {
        var configuration = try chosen {
            $0.conditions = [try RowCondition("platform=ios")]
            $0.limit = 50
        }
        configuration.report.path = Rehearsal.noReport
        let result = try Rehearsal(configuration).run()
        #expect(result.exitCode == 0 && result.rowsRead == 50)
        #expect(result.summaryJSON.contains("\"rows_ready\": 50"))
    }

    @Test func `what cannot be chosen is told before anything is sent`() throws {
        let unknown = message(try chosen { $0.conditions = [try RowCondition("os=ios")] })
        #expect(unknown?.0 == .input)
        #expect(unknown?.1.contains("has no column 'os', which RowChoice.conditions names") == true)
        var ordered = try chosen { $0.limit = 3 }
        ordered.report.isOrdered = true
        #expect(message(ordered)?.1.contains("leaves some to a later run") == true)
        #expect(message(try chosen { $0.limit = 0 })?.0 == .configuration)
        #expect(throws: FanfareError.self) { try RowCondition("platform") }
        for percent in [0, 100, 0.000_01, -1, .nan] {
            #expect(throws: FanfareError.self) { try RowSample(percent: percent) }
        }
        #expect(try RowSample(percent: 0.5).description == "0.5%")
        #expect(provider.stop().requests == 0)
    }
}
