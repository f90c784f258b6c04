import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Lines about lost workers and reports, beside those of the rows' own.
@Suite struct CountedLinesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func accepted(_ row: Int) -> String {
        "\(row),,t\(row),apns,accepted,200,,x,1,1.000,,2026-01-01T00:00:00.000Z"
    }

    private static func lost(_ row: Int, _ reason: String = "worker lost") -> String {
        "\(row),,t\(row),apns,unknown,,\(reason),x,1,,,"
    }

    private static func report(_ name: String, _ lines: [String]) -> RowInput {
        .text(
            ReportFormat.columns.joined(separator: ",") + "\n"
                + lines.map { $0 + "\n" }.joined(), name: name)
    }

    /// web1 has written rows 2, 3 and 5 off; rows 2 and 5 are in web2's report.
    private static let first = report(
        "w1.csv", [accepted(1), lost(2), lost(3), accepted(4), lost(5)])
    private static let second = report("w2.csv", [accepted(5), accepted(2)])

    private func extract(
        _ reports: [RowInput], to name: String = "out.csv", _ filter: String? = nil,
        isOrdered: Bool = false
    ) throws -> [String] {
        var settings = ReportExtract.Settings()
        settings.path = folder.path(name)
        settings.overwrites = true
        settings.columns = ["row", "outcome", "reason"]
        settings.filters = try filter.map { [try ReportFilter($0)] } ?? []
        settings.isOrdered = isOrdered
        _ = try ReportExtract.write(reports, settings)
        return folder.text(of: name).split(separator: "\n").dropFirst().map(String.init)
    }

    @Test(arguments: [false, true])
    func `a row that was written off is not selected where a report has its own line`(
        isOrdered: Bool
    ) throws {
        for reports in [[Self.first, Self.second], [Self.second, Self.first]] {
            #expect(
                try extract(reports, "outcome=unknown", isOrdered: isOrdered)
                    == ["3,unknown,worker lost"])
        }
        // Alone it says what it knows.
        #expect(
            try extract([Self.first], "outcome=unknown", isOrdered: isOrdered).map { $0.prefix(1) }
                == ["2", "3", "5"])
    }

    @Test func `lines that count stay where they are`() throws {
        #expect(
            try extract([Self.first, Self.second]).map { $0.prefix(3) }
                == ["1,a", "3,u", "4,a", "5,a", "2,a"])
        #expect(
            try extract([Self.second, Self.first], isOrdered: true).map { $0.prefix(3) }
                == ["1,a", "2,a", "3,u", "4,a", "5,a"])
    }

    @Test func `of several lines about a loss one counts, and other lines all do`() throws {
        let lost = Self.report("lost.csv", [Self.lost(3, "report lost"), Self.accepted(4)])
        #expect(
            try extract([Self.first, Self.second, lost], "row=3,4")
                == ["3,unknown,worker lost", "4,accepted,", "4,accepted,"])
        #expect(
            try extract([lost, Self.first], "row=3", isOrdered: true) == ["3,unknown,report lost"])
        // Each reading begins anew.
        #expect(try extract([lost, Self.first, Self.second], isOrdered: true).count == 6)
    }

    @Test func `sums have each row once`() throws {
        for reports in [[Self.first, Self.second], [Self.second, Self.first]] {
            let digest = try ReportDigest.reading(reports, by: "provider", wantsJobs: true)
            #expect(digest.tally.count(.accepted) == 4 && digest.tally.count(.unknown) == 1)
            #expect(digest.rows.count == 5 && digest.repeatedLines == 0)
            #expect(digest.doubledLines == 0 && digest.tally.attempts == 5)
            let group = try #require(digest.groups?.groups.first)
            #expect(group.counts.all == 5)
            // For the question of which report has which rows all lines count.
            #expect(digest.parts.map { $0.lost.count }.reduce(0, +) == 3)
        }
    }

    /// Its lines come too late for those that were written before.
    @Test func `a report that can be read once is refused beside such lines`() throws {
        let error = #expect(throws: FanfareError.self) {
            try ReportDigest.reading([Self.first, .standardInput])
        }
        #expect(error?.message.contains("standard input can be read only once") == true)
    }

    @Test func `a selection that is refused leaves the file that is there`() throws {
        try folder.write("what was there\n", to: "old.csv")
        var settings = ReportExtract.Settings()
        settings.path = folder.path("old.csv")
        settings.overwrites = true
        settings.filters = [try ReportFilter("outcom=unknown")]
        #expect(throws: ReportExtract.Failure.self) {
            _ = try ReportExtract.write([Self.first], settings)
        }
        #expect(folder.text(of: "old.csv") == "what was there\n")
    }
}
