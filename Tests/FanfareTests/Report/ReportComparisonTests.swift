import FanfareCore
import Testing

@testable import Fanfare

@Suite struct ReportComparisonTests {
    /// A report with these lines: row, id, token, outcome, latency in milliseconds.
    private static func report(
        _ lines: [(Int, String, String, String, Int)], name: String = "r.csv"
    ) -> RowInput {
        let text = lines.map { row, id, token, outcome, latency in
            let status = outcome == "accepted" ? 200 : outcome == "failed" ? 503 : 410
            return "\(row),\(id),\(token),apns,\(outcome),\(status),,x,1,\(latency).000,,\n"
        }
        return .text(ReportReaderTests.header + text.joined(), name: name)
    }

    private static let before = report([
        (2, "b", "t2", "accepted", 10), (1, "a", "t1", "accepted", 10),
        (3, "c", "t3", "failed", 10), (4, "d", "t4", "accepted", 10),
    ])

    private static let after = report([
        (4, "a", "t1", "unregistered", 20), (5, "e", "t5", "accepted", 20),
        (2, "b", "t2", "failed", 20), (3, "c", "t3", "accepted", 20),
        (1, "d", "t4", "accepted", 20),
    ])

    private static func compare(
        _ key: ReportKey, _ before: RowInput = before, _ after: RowInput = after, listed: Int = 20
    ) throws -> ReportComparison {
        try ReportComparison.reading(before, after, by: key, listedMax: listed)
    }

    @Test func `rows are matched by their number`() throws {
        let comparison = try Self.compare(.row)
        #expect(comparison.matched == 4)
        #expect(comparison.onlyBefore == 0 && comparison.onlyAfter == 1)
        // 2: accepted, now failed; 3: failed, now accepted; 4: accepted, now unregistered.
        #expect(comparison.changed == 3)
        #expect(comparison.listed.map(\.rowAfter) == [2, 3, 4])
        #expect(comparison.listed.map(\.before) == [.accepted, .failed, .accepted])
        #expect(comparison.listed.map(\.after) == [.failed, .accepted, .unregistered])
        #expect(comparison.listed.map(\.id) == ["b", "c", "a"])
    }

    @Test(arguments: [ReportKey.id, .token])
    func `rows are matched by a text`(_ key: ReportKey) throws {
        let comparison = try Self.compare(key)
        #expect(comparison.matched == 4 && comparison.onlyAfter == 1)
        #expect(comparison.onlyBefore == 0 && comparison.unmatchable == 0)
        // b and c as before; a was accepted as row 1, and is unregistered as row 4.
        #expect(
            comparison.listed.last
                == .init(
                    rowBefore: 1, rowAfter: 4, before: .accepted, after: .unregistered, id: "a"))
        #expect(comparison.changed == 3)
    }

    @Test func `no more changes are listed than asked for, the first ones`() throws {
        let comparison = try Self.compare(.row, listed: 2)
        #expect(comparison.changed == 3)
        #expect(comparison.listed.map(\.rowAfter) == [2, 3])
        #expect(try Self.compare(.row, listed: 0).listed.isEmpty)
    }

    @Test func `a key that repeats, or is missing, is told and compared with none`() throws {
        let before = Self.report([
            (1, "a", "t", "accepted", 1), (2, "a", "t", "failed", 1), (3, "", "t", "accepted", 1),
        ])
        let after = Self.report([
            (1, "a", "t", "accepted", 1), (2, "a", "t", "accepted", 1),
            (3, "", "t", "accepted", 1),
        ])
        let comparison = try Self.compare(.id, before, after)
        #expect(comparison.matched == 0 && comparison.changed == 0)
        // All lines of each report.
        #expect(comparison.unmatchable == 6)
        #expect(comparison.onlyBefore == 0 && comparison.onlyAfter == 0)
        #expect(
            comparison.table().contains(
                "compared with none; ReportComparison.key = .row, or "
                    + "token, may tell."))
    }

    /// The row of the first report that repeats is not known, nor whether it changed.
    @Test func `what repeats in the second report only is taken back`() throws {
        let before = Self.report([
            (1, "a", "t", "accepted", 1), (2, "b", "t", "accepted", 1), (3, "c", "t", "failed", 1),
        ])
        let after = Self.report([
            (1, "a", "t", "failed", 1), (2, "b", "t", "failed", 1), (3, "a", "t", "accepted", 1),
            (4, "a", "t", "accepted", 1), (5, "d", "t", "accepted", 1),
        ])
        let comparison = try Self.compare(.id, before, after)
        #expect(comparison.matched == 1 && comparison.changed == 1)
        #expect(comparison.listed.map(\.id) == ["b"])
        #expect(comparison.unmatchable == 4)
        #expect(comparison.onlyBefore == 1 && comparison.onlyAfter == 1)
    }

    /// There was no room for c when it came, and what came behind it is not listed in its place.
    @Test func `a list from which a row is taken back leaves none out`() throws {
        let before = Self.report(
            ["a", "b", "c", "d"].enumerated().map {
                ($0.offset + 1, $0.element, "t", "accepted", 1)
            })
        let after = Self.report([
            (1, "a", "t", "failed", 1), (2, "b", "t", "failed", 1), (3, "c", "t", "failed", 1),
            (4, "a", "t", "accepted", 1), (5, "d", "t", "failed", 1),
        ])
        let comparison = try Self.compare(.id, before, after, listed: 2)
        #expect(comparison.changed == 3)
        #expect(comparison.listed.map(\.id) == ["b"])
        let more = try Self.compare(.id, before, after, listed: 3)
        #expect(more.listed.map(\.id) == ["b", "c", "d"])
    }

    @Test func `more is better of what was accepted, and worse of the others`() throws {
        let comparison = try Self.compare(.row)
        // 3 of 4 and 3 of 5; 1 of 4 and 1 of 5; 0 of 4 and 1 of 5.
        #expect(comparison.share(.accepted) == (75, 60, .worse))
        #expect(comparison.share(.failed) == (25, 20, .better))
        #expect(comparison.share(.unregistered) == (0, 20, .worse))
        #expect(comparison.share(.invalid) == (0, 0, .same))
        let same = try Self.compare(.row, Self.before, Self.before)
        #expect(same.share(.accepted).verdict == .same && same.changed == 0)
    }

    @Test func `a comparison as JSON has all of it`() throws {
        let json = try Self.compare(.row, listed: 1).json()
        for part in [
            #""schema": "fanfare.comparison/1""#, #""matched": 4"#, #""only_after": 1"#,
            #""changed": 3"#, #""row_after": 2"#, #""verdict": "worse""#, #""before_ms": 10"#,
            #""after_ms": 20"#,
        ] {
            #expect(json.contains(part), "\(part) is not in \(json)")
        }
    }

    @Test func `a comparison with no report is an error`() {
        let error = fanfareError { _ = try Self.compare(.row, Self.before, .text("a,b\n")) }
        #expect(error?.code == .input)
    }
}
