import Testing

@testable import FanfareCore

/// Lines of rows that have another one, in the reports of several workers.
@Suite struct ReportDigestLinesTests {
    private func record(
        _ row: UInt64, _ outcome: Outcome, _ reason: String = "", in digest: inout ReportDigest
    ) {
        Array(reason.utf8).withUnsafeBufferPointer {
            digest.record(
                ReportLine(
                    row: row, outcome: outcome, status: 0, reason: $0, index: .unlisted,
                    attempts: 0,
                    latencyNanoseconds: 0, sentAtMilliseconds: nil))
        }
    }

    @Test func `a row that was written off may have a line of the worker that had it`() {
        var digest = ReportDigest()
        for row in UInt64(1)...3 { record(row, .accepted, in: &digest) }
        record(2, .unknown, "worker lost", in: &digest)
        // Its worker never came back.
        record(4, .unknown, "worker lost", in: &digest)
        #expect(digest.repeatedLines == 1 && digest.doubledLines == 0)
        #expect(digest.rows.count == 4)
    }

    @Test func `the line of a lost report gives way as that of a lost worker does`() {
        var digest = ReportDigest()
        record(1, .accepted, in: &digest)
        record(1, .unknown, "report lost", in: &digest)
        record(2, .unknown, "report lost", in: &digest)
        #expect(digest.repeatedLines == 1 && digest.doubledLines == 0)
        // A row was written off once, by a worker or by a person.
        record(2, .unknown, "worker lost", in: &digest)
        #expect(digest.repeatedLines == 2 && digest.doubledLines == 1)
    }

    @Test func `other lines of rows that have one are counted`() {
        var digest = ReportDigest()
        for row in UInt64(1)...3 { record(row, .accepted, in: &digest) }
        for row in UInt64(1)...3 { record(row, .accepted, in: &digest) }
        record(2, .unknown, "timeout", in: &digest)
        #expect(digest.repeatedLines == 4 && digest.doubledLines == 4)
        record(3, .unknown, "worker lost", in: &digest)
        #expect(digest.repeatedLines == 5 && digest.doubledLines == 4)
    }

    @Test func `a report with rows that were written off, read twice, is no report of one job`() {
        var digest = ReportDigest()
        for _ in 1...2 {
            record(1, .accepted, in: &digest)
            record(2, .unknown, "worker lost", in: &digest)
            record(3, .unknown, "worker lost", in: &digest)
        }
        #expect(digest.repeatedLines == 3 && digest.doubledLines == 3)
    }

    @Test func `a row has a line of its own once, in whatever order they come`() {
        for own in 0...2 {
            var digest = ReportDigest()
            for place in 0...2 {
                record(
                    7, place == own ? .unknown : .accepted, place == own ? "worker lost" : "",
                    in: &digest)
            }
            #expect(digest.repeatedLines == 2 && digest.doubledLines == 1)
        }
    }
}
