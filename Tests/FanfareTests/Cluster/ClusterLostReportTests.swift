import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Lines for the rows of a worker whose report is lost.
@Suite struct ClusterLostReportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// web1 has rows 1 to 10, web2 rows 11 to 20, of which it has told lines of 11 to 15 and 18.
    private static func holdings(
        state: ClusterWorker.State = .lost, silent: Double = 20
    ) -> ClusterHoldings {
        var found = ClusterHoldings(isFinished: false, jobRows: 20, identity: 7)
        var first = ClusterHolder(id: WorkerID(bits: 1), label: "web1", report: "a.csv")
        first.rows = RowIntervals(0..<10)
        first.toldRows = first.rows
        var second = ClusterHolder(id: WorkerID(bits: 2), label: "web2", report: "b.csv")
        second.machine = "m2"
        (second.state, second.silentSeconds) = (state, silent)
        second.rows = RowIntervals(10..<20)
        second.toldRows = RowIntervals(10..<15)
        second.toldRows.insert(17..<18)
        found.holders = [first, second]
        return found
    }

    private static func report(_ name: String, _ lines: [String]) -> RowInput {
        let text = ([ReportFormat.columns.joined(separator: ",")] + lines).joined(separator: "\n")
        return .memory(Array((text + "\n").utf8), name: name)
    }

    private static func accepted(_ row: Int) -> String { "\(row),,t,,accepted,200,,,1,1.5,," }

    private static let first = report("a.csv", (1...10).map(accepted))

    private func lost(
        _ inputs: [RowInput], _ found: ClusterHoldings = holdings()
    ) throws -> ClusterLostReport {
        let digest = try ReportDigest.reading(inputs, wantsJobs: true)
        return try ClusterControl.lostReport(of: 1, found, digest, in: "july")
    }

    @discardableResult
    private func write(
        _ lost: ClusterLostReport, to path: String, _ files: [RowInput] = [],
        _ options: RowOptions = RowOptions()
    ) throws -> UInt64 {
        let rows = files.isEmpty ? nil : try lost.rows(in: files, options)
        return try LostLines.write(
            lost.rows, without: lost.reported, to: path, overwrites: false,
            reading: rows.map { $0.read })
    }

    /// Writes files of rows.
    private func files(_ texts: [String], _ name: String = "rows") throws -> [RowInput] {
        try texts.enumerated().map { index, text in
            .file(try folder.write(text, to: "\(name)\(index).csv"))
        }
    }

    /// The cuts that a worker makes of some files, of four rows each.
    private func cuts(
        of files: [RowInput], _ options: RowOptions = RowOptions()
    ) throws -> [ClusterCut] {
        let source = RowSource(files, InputSpec(options: options))
        try source.openFirst()
        var cutter = ClusterCutter(try ClusterInputs(source), cutRows: 4)
        var cuts: [ClusterCut] = []
        repeat {
            cuts.append(try cutter.cut(at: cuts.last?.endRow ?? 0))
        } while cuts.last?.isLast == false
        return cuts
    }

    private static func rows(
        _ numbers: some Sequence<Int>, _ header: String = "token,id"
    ) -> String {
        header + "\n" + numbers.map { "t\($0),i\($0)\n" }.joined()
    }

    @Test(arguments: ["lost.csv", "lost.ndjson", "lost.csv.gz"])
    func `each row that was told to have a line gets one, and no other row`(name: String) throws {
        let lost = try lost([Self.first])
        #expect(lost.count == 6 && lost.worker == "web2" && lost.report == "b.csv on m2")
        let path = folder.path(name)
        #expect(try write(lost, to: path) == 6)
        let digest = try ReportDigest.reading([Self.first, .file(path)], wantsJobs: true)
        #expect(digest.parts[1].lost.count == 6 && digest.parts[1].own.count == 0)
        #expect(digest.rows.count == 16 && digest.doubledLines == 0)
        for row in [11, 15, 18] as [UInt64] { #expect(digest.rows.contains(row)) }
        #expect(digest.tally.outcomes[.unknown] == 6)
        // Once there is a line for each, nothing is left.
        let error = #expect(throws: FanfareError.self) { try self.lost([Self.first, .file(path)]) }
        #expect(error?.message.hasSuffix("there is nothing to write") == true)
        let again = #expect(throws: FanfareError.self) {
            try write(lost, to: path)
        }
        #expect(again?.message.contains("exists already") == true)
    }

    @Test func `lines take tokens and ids from the job's rows`() throws {
        var lost = try lost([Self.first])
        // As two inputs, whose rows are counted through.
        let inputs = try files([Self.rows(1...12), Self.rows(13...20)])
        lost.cuts = try cuts(of: inputs)
        #expect(try write(lost, to: folder.path("lost.csv"), inputs) == 6)
        let lines = folder.text(of: "lost.csv").split(separator: "\n").dropFirst().map(String.init)
        #expect(
            lines
                == [11, 12, 13, 14, 15, 18].map {
                    "\($0),i\($0),t\($0),,unknown,,report lost,,0,,,"
                })
    }

    /// Tokens of other rows would be sent to in place of the lost ones.
    @Test func `files that are not those of the job are refused, and nothing is written`() throws {
        var lost = try lost([Self.first])
        let (one, two) = (Self.rows(1...12), Self.rows(13...20))
        lost.cuts = try cuts(of: files([one, two]))
        let swapped = Self.rows(Array(13...17) + [19, 18, 20])
        for (texts, fault) in [
            (
                [two, one],
                "wrong0.csv: these are not the rows of the job: its rows 9 to 12 are not"
            ),
            ([one, swapped], "wrong1.csv: these are not the rows of the job: its rows 17 to 20"),
            ([one, two, two], "files of rows: the job has 2, and here 3 are named"),
            ([one], "files of rows: the job has 2, and here 1 is named"),
            (
                [one, Self.rows(13...20, "token,id,name")],
                "wrong1.csv: these are not the rows of the job"
            ),
            ([one, Self.rows(13...15)], "wrong1.csv: these are not the rows of the job"),
        ] {
            let wrong = try files(texts, "wrong")
            let error = #expect(throws: FanfareError.self) {
                try write(lost, to: folder.path("lost.csv"), wrong)
            }
            let message = error?.message ?? ""
            #expect(
                message.contains(fault) && message.contains(". Name all files of the job's rows"),
                "\(message)")
            #expect(error?.code == .input)
        }
        #expect(!FileDescriptor.exists(folder.path("lost.csv")))
    }

    /// A list without tokens keeps no device out of the next job.
    @Test(arguments: ["tok,id", "key,id,token2", "ndjson"])
    func `files without a column of tokens are refused, and a mapping names it`(
        header: String
    ) throws {
        var lost = try lost([Self.first])
        let column = header.prefix { $0 != "," }
        let inputs: [RowInput] =
            if header == "ndjson" {
                [
                    .file(
                        try folder.write(
                            (1...20).map { #"{"ndjson":"t\#($0)","id":"i\#($0)"}"# + "\n" }
                                .joined(), to: "rows0.ndjson"))
                ]
            } else {
                try files([Self.rows(1...20, header)])
            }
        lost.cuts = try cuts(of: inputs)
        let path = folder.path("lost.csv")
        let error = #expect(throws: FanfareError.self) { try write(lost, to: path, inputs) }
        let message = error?.message ?? ""
        #expect(error?.code == .configuration && !FileDescriptor.exists(path))
        #expect(
            message.contains("has no column 'token', so the lines would have no tokens")
                && message.contains("its columns: \(column)"), "\(message)")
        var options = RowOptions()
        options.mapping = ["token": String(column)]
        #expect(try write(lost, to: path, inputs, options) == 6)
        #expect(folder.text(of: "lost.csv").contains("\n18,i18,t18,,unknown,,report lost,"))
    }

    @Test func `rows without a token are counted`() throws {
        var lost = try lost([Self.first])
        // Rows 12 and 13 have a report or none; 9 is another worker's.
        let text = (1...20).map { [9, 12, 13, 16].contains($0) ? ",i\($0)\n" : "t\($0),i\($0)\n" }
        let inputs = try files(["token,id\n" + text.joined()])
        lost.cuts = try cuts(of: inputs)
        let found = try lost.rows(in: inputs)
        #expect(found.tokenlessCount == 2)
        #expect(try write(lost, to: folder.path("lost.csv"), inputs) == 6)
    }

    @Test(arguments: ["", "\u{FEFF}"])
    func `files that were sent without a header are read so`(mark: String) throws {
        var lost = try lost([Self.first])
        let lines = (1...20).map { "i\($0);t\($0)\n" }.joined()
        let inputs = try files([mark + lines])
        var options = RowOptions()
        options.delimiter = UInt8(ascii: ";")
        (options.hasHeader, options.columns) = (false, ["id", "token"])
        lost.cuts = try cuts(of: inputs, options)
        let path = folder.path("lost.csv")
        let error = #expect(throws: FanfareError.self) { try write(lost, to: path, inputs) }
        let message = error?.message ?? ""
        #expect(error?.code == .configuration && !FileDescriptor.exists(path))
        #expect(
            message.contains("has the rows of the job, which begin at its byte 0"), "\(message)")
        #expect(message.contains("The job was sent without a header: name "), "\(message)")
        #expect(try write(lost, to: path, inputs, options) == 6)
        #expect(folder.text(of: "lost.csv").contains("\n11,i11,t11,,unknown,,report lost,"))
    }

    @Test func `files that were sent with a header are not read without one`() throws {
        var lost = try lost([Self.first])
        let inputs = try files([Self.rows(1...20)])
        lost.cuts = try cuts(of: inputs)
        var options = RowOptions()
        (options.hasHeader, options.columns) = (false, ["token", "id"])
        let error = #expect(throws: FanfareError.self) {
            try write(lost, to: folder.path("lost.csv"), inputs, options)
        }
        #expect(error?.message.contains("The job was sent with a header: leave ") == true)
    }

    @Test func `a worker that beats may write its report yet`() throws {
        for state in [ClusterWorker.State.active, .lost, .givenUp] {
            let error = #expect(throws: FanfareError.self) {
                try lost([Self.first], Self.holdings(state: state, silent: 14.9))
            }
            #expect(error?.message.contains("web2 was heard of 14 s ago") == true)
        }
        // One that has left writes no more.
        #expect(try lost([Self.first], Self.holdings(state: .left, silent: 1)).count == 6)
    }

    @Test func `a report that is among the others is not lost, nor what is left of it`() throws {
        for rows in [[11, 12, 13, 14, 15, 18], [12]] {
            let second = Self.report("b.csv", rows.map(Self.accepted))
            let error = #expect(throws: FanfareError.self) { try lost([Self.first, second]) }
            #expect(
                error?.message.hasPrefix(
                    "b.csv has lines of rows that web2 had, so it is the report")
                    == true)
        }
        // Another worker's report may have a line of one of its rows, of a copy or after a loss of writes.
        let more = Self.report("a.csv", ((1...10) + [11]).map(Self.accepted))
        #expect(try lost([more]).count == 5)
    }
}
