import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs whose rows come from what cannot be recognized as a whole, and which are carried on with
/// other rows.
@Suite struct OtherRowsTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    /// Carries the job on with other rows, and then with those of then.
    private func resume(with other: String) throws -> (first: JobResult, second: JobResult) {
        let configuration = try stoppedJob { $0.inputs = [.text(rows)] }
        var changed = resuming(configuration)
        changed.inputs = [.text(other)]
        let first = try Job(changed).run()
        return (first, try Job(resuming(configuration)).run())
    }

    @Test(arguments: [1, 51, 70, 90, 100])
    func `a row that is another one ends the run with code 2, and none is sent again`(
        row: Int
    ) throws {
        let (first, second) = try resume(with: rows.replacing("n\(row)\n", with: "x\(row)\n"))
        #expect(first.exitCode == 2)
        #expect(first.stopMessage?.hasPrefix("row \(row) (line \(row + 1)) is not the one") == true)
        #expect(first.isResumable)
        #expect(second.exitCode == 0)
        #expect(try folder.reportLines("r.csv").count == 100)
        // The first run ended at row 51; nothing of the second one went out.
        #expect(provider.stop().requests == 51 + 50)
    }

    @Test func `rows in another order are noticed at the first one`() throws {
        var lines = rows.split(separator: "\n").map(String.init)
        lines[70...] = ArraySlice(lines[70...].reversed())
        let (first, second) = try resume(with: lines.joined(separator: "\n") + "\n")
        #expect(first.exitCode == 2)
        #expect(first.stopMessage?.hasPrefix("row 70 (line 71)") == true)
        #expect(second.exitCode == 0)
        #expect(provider.stop().requests == 101)
    }

    @Test func `fewer rows than were read end the run with code 2`() throws {
        let lines = rows.split(separator: "\n").prefix(1 + 80)
        let (first, second) = try resume(with: lines.joined(separator: "\n") + "\n")
        #expect(first.exitCode == 2)
        #expect(
            first.stopMessage?.hasPrefix("the input has 80 rows, and there were more when") == true)
        #expect(second.exitCode == 0)
        #expect(try folder.reportLines("r.csv").count == 100)
        #expect(provider.stop().requests == 101)
    }

    @Test func `rows behind those that were read may be more`() throws {
        let configuration = try stoppedJob { $0.inputs = [.text(rows)] }
        var longer = resuming(configuration)
        longer.inputs = [.text(rows + token("aa", 101) + ",late\n")]
        let result = try Job(longer).run()
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == 101)
    }

    /// The last bytes of a pipe before it was cut off may be half a row.
    @Test(arguments: ["", "\r", "0\r"])
    func `a row without its line end is not known again`(end: String) throws {
        let configuration = try stoppedJob { $0.inputs = [.text(String(rows.dropLast(2)) + end)] }
        var whole = resuming(configuration)
        whole.inputs = [.text(rows)]
        let result = try Job(whole).run()
        #expect(result.exitCode == 0, "\(result.stopMessage ?? "")")
        #expect(try folder.reportLines("r.csv").count == 100)
        // The 51st row was refused, and sent again.
        #expect(provider.stop().requests == 101)
    }

    @Test func `rows of a file are known by its size and time, and need no checks`() throws {
        _ = try stoppedJob()
        let opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
        let layout = opened.layout
        #expect(layout == .marks)
    }
}
