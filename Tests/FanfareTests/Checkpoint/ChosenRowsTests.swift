import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs that are told which rows to send to, and the runs that send to the rest of those.
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
        // The others are no rows of the job: it is finished, and nothing sends to them.
        #expect(result.isComplete && !result.isResumable && !hasCheckpoint)
        let json = result.summaryJSON
        #expect(json.contains("\"resume_command\": null"))
        #expect(json.contains("\"left_out\": {\n    \"rows\": 0,"))
        #expect(json.contains("\"excluded\": 33,"))
        #expect(provider.stop().requests == 67)
    }

    @Test func `the rest of a canary is the rest of those that fit`() throws {
        func ios(_ limit: Int?) throws -> Configuration {
            try chosen {
                $0.conditions = [try RowCondition("platform=ios"), try RowCondition("age>10")]
                $0.limit = limit
            }
        }
        let canary = try run(try ios(5))
        #expect(
            canary.isResumable && canary.summaryJSON.contains("\"resume_command\": \"the rest\""))
        let rest = try run(resuming(try ios(nil)))
        #expect(rest.isComplete && !rest.isResumable && !hasCheckpoint)
        #expect(try rows() == (11...100).filter { $0 % 3 != 0 })
        #expect(provider.stop().requests == 60)
    }

    @Test func `a limit that takes all rows that fit leaves none`() throws {
        let result = try run(
            try chosen {
                $0.conditions = [try RowCondition("age<8")]
                $0.limit = 7
            })
        #expect(result.isComplete && !result.isResumable && !hasCheckpoint)
        #expect(try rows() == Array(1...7))
    }

    @Test func `a job goes on for the rows that it began for, and for no others`() throws {
        _ = try run(
            try chosen {
                $0.conditions = [try RowCondition("platform=ios"), try RowCondition("age>10")]
                $0.limit = 5
            })
        for texts in [[], ["platform=ios"], ["platform=ios", "age>9"], ["platform=ios,age>10"]] {
            let other = try chosen { $0.conditions = try texts.map { try RowCondition($0) } }
            let refusal = message(resuming(other))
            #expect(refusal?.0 == .configuration)
            let begun = #"RowChoice.conditions was "age>10" and "platform=ios" then, and a job for"#
            #expect(refusal?.1.contains(begun) == true, "\(refusal?.1 ?? "")")
        }
        // All of them count, so their order does not.
        let same = try chosen {
            $0.conditions = [try RowCondition("age>10"), try RowCondition("platform=ios")]
        }
        _ = try run(resuming(same))
        #expect(provider.stop().requests == 60)
    }

    @Test func `a report of rows that fit is put in order, and one of a canary is not`() throws {
        var ordered = try chosen {
            $0.conditions = [try RowCondition("platform=ios")]
            $0.limit = 3
        }
        ordered.report.isOrdered = true
        #expect(message(ordered)?.1.contains("leave some to a later run") == true)
        ordered.rows.choice.limit = nil
        _ = try run(ordered)
        let lines = folder.text(of: "r.csv").split(separator: "\n").dropFirst()
        let numbers = lines.compactMap { $0.split(separator: ",").first.flatMap { Int($0) } }
        #expect(numbers == (1...100).filter { $0 % 3 != 0 })
    }

    @Test func `a row has to fit all conditions, and the limit is of those that do`() throws {
        let result = try run(
            try chosen {
                $0.conditions = [try RowCondition("platform!=android"), try RowCondition("age>10")]
                $0.limit = 5
            })
        #expect(try rows() == [11, 13, 14, 16, 17])
        #expect(result.summaryJSON.contains("\"rest_unread\": false"))
        // A third of the rows are for Android, and 7 of the others are too young; 60 fit.
        #expect(result.summaryJSON.contains("\"left_out\": {\n    \"rows\": 55,"))
        #expect(result.summaryJSON.contains("\"excluded\": 40,"))
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
        #expect(result.summaryJSON.contains("\"left_out\": {\n    \"rows\": 0,"))
        #expect(result.summaryJSON.contains("\"excluded\": 3,"))
    }

    @Test func `samples grow, and what is left goes at the end`() throws {
        let first = try run(try chosen { $0.sample = try RowSample(percent: 10) })
        let few = Set(try rows())
        #expect(few.count == Int(first.rowsRead) && few.count < 40)
        _ = try run(resuming(try chosen { $0.sample = try RowSample(percent: 50) }))
        let more = Set(try rows())
        #expect(few.isSubset(of: more) && (20..<80).contains(more.count))
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

    /// A person with two rows gets the notification if one of them fits, whether it is the first or the last one.
    @Test(arguments: [(Deduplication.first, [3, 4]), (.last, [3, 5])])
    func `rows that do not fit make none a duplicate`(
        deduplication: Deduplication, accepted: [Int]
    ) throws {
        let rows = [
            ("ios", 1), ("web", 2), ("android", 1), ("android", 2), ("android", 2), ("ios", 1),
        ]
        let text = rows.map { "\(token("aa", $0.1)),\($0.0)\n" }.joined()
        var configuration = try configuration()
        configuration.inputs = [.file(try folder.write("token,platform\n" + text, to: "rows.csv"))]
        configuration.rows.deduplication = deduplication
        configuration.rows.choice.conditions = [try RowCondition("platform=android")]
        let result = try run(configuration)
        #expect(result.count(of: .accepted) == 2 && result.count(of: .skipped) == 1)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.filter { $0.value.contains("accepted") }.keys.sorted() == accepted)
        #expect(provider.stop().requests == 2)
    }

    @Test func `which row of a token counts does not depend on the rows that are left out`() throws
    {
        let text = "token\n" + [1, 2, 1].map { "\(token("aa", $0))\n" }.joined()
        var configuration = try configuration()
        configuration.inputs = [.file(try folder.write(text, to: "rows.csv"))]
        configuration.rows.deduplication = .last
        configuration.rows.choice.limit = 2
        #expect(try run(configuration).count(of: .skipped) == 1)
        configuration.rows.choice = RowChoice()
        #expect(try run(resuming(configuration)).count(of: .accepted) == 2)
        #expect(try rows() == [1, 2, 3])
        #expect(provider.stop().requests == 2)
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
        #expect(message(ordered)?.1.contains("leave some to a later run") == true)
        #expect(message(try chosen { $0.limit = 0 })?.0 == .configuration)
        #expect(throws: FanfareError.self) { try RowCondition("platform") }
        for percent in [0, 100, 0.000_01, -1, .nan] {
            #expect(throws: FanfareError.self) { try RowSample(percent: percent) }
        }
        #expect(try RowSample(percent: 0.5).description == "0.5%")
        #expect(provider.stop().requests == 0)
    }
}
