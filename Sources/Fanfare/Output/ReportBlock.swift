import FanfareCore

/// Report lines on their way from a lane to the writer, and the rows that they are about.
///
/// One thread owns it at any moment: the lane that fills it, the queue, the writer.
final class ReportBlock: @unchecked Sendable {
    var lines = ByteBuffer(capacity: Limits.reportBlockBytes + 4096)
    /// The row number of each line, in order.
    private(set) var rows: [UInt64] = []
    /// Where each line ends.
    private var lineEnds: [Int] = []

    init() {
        rows.reserveCapacity(1024)
        lineEnds.reserveCapacity(1024)
    }

    /// Counts the line that has just been appended to `lines`.
    func lineAppended(row: UInt64) {
        rows.append(row)
        lineEnds.append(lines.count)
    }

    var isFull: Bool { lines.count >= Limits.reportBlockBytes }

    /// The whole lines within the first `limit` bytes, counted and in bytes.
    ///
    /// Line by line from the front; a line break inside a quoted value does not end a line.
    func wholeLines(within limit: Int) -> (count: Int, bytes: Int) {
        var index = 0
        while index < lineEnds.count, lineEnds[index] <= limit { index += 1 }
        return (index, index == 0 ? 0 : Int(lineEnds[index - 1]))
    }

    func reset() {
        lines.removeAll()
        rows.removeAll(keepingCapacity: true)
        lineEnds.removeAll(keepingCapacity: true)
    }
}
