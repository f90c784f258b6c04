import FanfareBase
import FanfareCore

/// A line of the report, its parts made as a lane makes them.
func measureReports(_ meter: Meter, _ material: Material) {
    measureReport("report CSV", .csv, meter, material)
    measureReport("report NDJSON", .ndjson, meter, material)
}

private func measureReport(
    _ name: String, _ kind: ReportFormat.Kind, _ meter: Meter, _ material: Material
) {
    var format = ReportFormat(kind, provider: .apns)
    let identity = JobIdentity(bits: 0x0123_4567_89AB_CDEF)
    var parts = ByteBuffer(capacity: 1024)
    var lines = ByteBuffer()
    func makeLines() -> Int {
        lines.removeAll()
        var number: UInt64 = 0
        for batch in material.csv {
            for row in 0..<batch.rowCount {
                number += 1
                parts.removeAll()
                format.appendPrefix(
                    row: number,
                    id: batch.value(
                        batch.field(row: row, slot: RowSchema.Known.id.slot)),
                    token: material.token(batch, row), isPlainToken: true, into: &parts)
                let prefix = ByteRange(start: 0, count: parts.count)
                identity.appendID(ofRow: number, to: &parts)
                let id = ByteRange(
                    start: Int(prefix.count), count: parts.count - Int(prefix.count))
                var result = RowResult(
                    .accepted, status: 200, messageID: parts.bytes(id), attempts: 1,
                    latencyNanoseconds: 41_250_000 + Int64(number) * 1000,
                    // A hundred rows in a millisecond.
                    sentAtMilliseconds: 1_760_000_000_000 + Int64(number) / 100)
                result.isOwnID = true
                format.appendLine(
                    prefix: parts.bytes(prefix), result: result,
                    suffix: UnsafeBufferPointer(start: nil, count: 0), into: &lines)
            }
        }
        return Int(number)
    }
    _ = makeLines()
    meter.measure(name, bytes: lines.count, makeLines)
}
