import FanfareCore

/// Report lines on their way from a lane to the writer, and the rows that they are about.
///
/// One thread owns it at any moment: the lane that fills it, the queue, the writer.
final class ReportBlock: @unchecked Sendable {
    /// In one value, so that a line costs one exclusivity check and not four.
    private struct Content: ~Copyable {
        var lines = ByteBuffer(capacity: Limits.reportBlockBytes + 4096)
        var rows: [UInt64] = []
        var lineEnds: [Int] = []
    }

    private var content = Content()

    init() {
        content.rows.reserveCapacity(1024)
        content.lineEnds.reserveCapacity(1024)
    }

    /// The lines, one behind the other.
    var lines: ByteBuffer {
        _read { yield content.lines }
    }

    /// The row number of each line, in order.
    var rows: [UInt64] { content.rows }

    /// Adds a row's line.
    /// - Parameters:
    ///   - row: The row's number.
    ///   - write: Appends the line, with its end.
    /// - Returns: Whether the block is full now.
    func append(row: UInt64, _ write: (inout ByteBuffer) -> Void) -> Bool {
        Self.append(row: row, to: &content, write)
    }

    private static func append(
        row: UInt64, to content: inout Content, _ write: (inout ByteBuffer) -> Void
    ) -> Bool {
        write(&content.lines)
        content.rows.append(row)
        content.lineEnds.append(content.lines.count)
        return content.lines.count >= Limits.reportBlockBytes
    }

    /// The whole lines within the first `limit` bytes, counted and in bytes.
    ///
    /// Line by line from the front; a line break inside a quoted value does not end a line.
    func wholeLines(within limit: Int) -> (count: Int, bytes: Int) {
        var index = 0
        while index < content.lineEnds.count, content.lineEnds[index] <= limit { index += 1 }
        return (index, index == 0 ? 0 : content.lineEnds[index - 1])
    }

    func reset() {
        content.lines.removeAll()
        content.rows.removeAll(keepingCapacity: true)
        content.lineEnds.removeAll(keepingCapacity: true)
    }
}
