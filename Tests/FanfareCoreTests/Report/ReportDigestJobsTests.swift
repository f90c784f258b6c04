import FanfareBase
import Testing

@testable import FanfareCore

/// The jobs that the ids of reports name.
@Suite struct ReportDigestJobsTests {
    private static func id(_ job: UInt64, _ row: UInt64) -> String {
        var buffer = ByteBuffer(capacity: JobIdentity.idBytes)
        JobIdentity(bits: job).appendID(ofRow: row, to: &buffer)
        return unsafe String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test func `a stranger among a thousand reports of one job is named`() {
        var digest = ReportDigest()
        digest.jobs = []
        for row in UInt64(1)...1_000 {
            digest.record(id: Self.id(7, row), ofRow: row, in: "july-\(row).csv")
        }
        digest.record(id: Self.id(8, 1_001), ofRow: 1_001, in: "june.csv")
        #expect(
            digest.jobs == [
                .init(file: "july-1.csv", identity: 7, row: 1),
                .init(file: "june.csv", identity: 8, row: 1_001),
            ])
    }
}
