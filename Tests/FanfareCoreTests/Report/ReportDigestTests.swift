import FanfareBase
import FanfareCore
import Testing

/// The sums of a report's lines.
@Suite struct ReportDigestTests {
    private func line(_ row: UInt64, attempts: UInt16, status: UInt16 = 200) -> ReportLine {
        ReportLine(
            row: row, outcome: .accepted, status: status,
            reason: UnsafeBufferPointer(start: nil, count: 0), index: .unlisted,
            attempts: attempts, latencyNanoseconds: 1, sentAtMilliseconds: nil)
    }

    @Test func `rows are counted by their attempts, and from a thousand on together`() {
        var digest = ReportDigest()
        let attempts: [UInt16] = [0, 1, 1, 1, 2, 5, 999, 1000, 1001, .max]
        for (index, count) in attempts.enumerated() {
            digest.record(line(UInt64(index + 1), attempts: count))
        }
        let counts = digest.rowsByAttempts
        #expect([0, 1, 2, 5, 999, 1000].map { counts[$0] } == [1, 3, 1, 1, 1, 3])
        #expect(counts.reduce(0, +) == 10 && counts.count == 1001)
    }

    @Test func `rows are counted by their status, and a number that is none as the last`() {
        var digest = ReportDigest()
        for (index, status) in ([0, 200, 200, 410, 999, 1000] as [UInt16]).enumerated() {
            digest.record(line(UInt64(index + 1), attempts: 1, status: status))
        }
        #expect([0, 200, 410, 999].map { digest.rowsByStatus[$0] } == [1, 2, 1, 2])
    }
}
