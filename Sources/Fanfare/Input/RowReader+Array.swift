import FanfareBase
import FanfareCore
import FanfareJSON

/// The objects of a JSON array, each of which has become a line.
extension RowReader {
    /// Stops at the first object that is not JSON: a quote that is left open takes the objects behind it
    /// along, and they would be lost in silence.
    /// - Returns: True if there is one; the rows before it are left in the batch.
    func stopAtDamage(in batch: RowBatch) -> Bool {
        for index in 0..<batch.rowCount {
            let row = unsafe batch.rows[index]
            let isLong = row.fault.code == .lineTooLong
            guard unsafe isLong || isDamaged(batch.rawRow(index), row.fault) else { continue }
            batch.parsed = Int(row.start)
            batch.rowCount = index
            let fault: Statement = isLong ? "is longer than 1 MiB" : "is not JSON"
            stop(
                ByteSource.Failure(
                    reason: "object \(row.line) of its JSON array " + fault
                        + ", so that it is not certain where the next one begins",
                    isLasting: true),
                behind: rowCount + UInt64(index))
            return true
        }
        return false
    }

    /// Half a character, as `\ud83d` alone is, does no harm to other objects; it makes a row invalid, and
    /// no more.
    private func isDamaged(_ row: UnsafeBufferPointer<UInt8>, _ fault: RowFault) -> Bool {
        guard fault.code == .invalidJSON else { return false }
        var text = unsafe Array(row)
        var index = 0
        while index + 1 < text.count {
            guard text[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            let digits = index + 2..<min(index + 6, text.count)
            if text[index + 1] == UInt8(ascii: "u"), digits.count == 4,
                text[digits].allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) })
            {
                text.replaceSubrange(digits, with: Array("0041".utf8))
            }
            index += 2
        }
        return (try? JSONValue.parse(text)) == nil
    }
}
