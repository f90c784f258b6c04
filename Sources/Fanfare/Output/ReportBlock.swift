import FanfareBase
import FanfareCore

/// The lines and records of finished rows, on their way from a lane to the writer.
///
/// Each row has a line in the report, and some rows have a record in another file. One thread owns
/// the block at any moment: the lane that fills it, the queue, the writer.
@safe
final class ReportBlock: @unchecked Sendable {
    /// Behind a pointer: as properties of an object a line would cost four exclusivity checks.
    private struct Content: ~Copyable {
        var lines = ByteBuffer(capacity: Limits.reportBlockBytes + 4096)
        var rows: [UInt64] = []
        var lineEnds: [Int] = []
        var unregistered = Records()
        var retryRows = Records()
        var outcomes = RowOutcomes()
    }

    /// Records that few rows have.
    private struct Records: ~Copyable {
        var bytes = ByteBuffer()
        /// The place of each record's row in the block, and the end of the record.
        var ends: [(row: Int, end: Int)] = []

        /// The rows before the first one whose record is not whole within `limit` bytes.
        func wholeRows(within limit: Int, of count: Int) -> Int {
            ends.first { $0.end > limit }?.row ?? count
        }

        /// The bytes of the first `count` rows.
        func length(ofFirst count: Int) -> Int {
            ends.last { $0.row < count }?.end ?? 0
        }

        mutating func removeAll() {
            bytes.removeAll()
            ends.removeAll(keepingCapacity: true)
        }
    }

    /// The place of its rows' route among those of the job.
    var route = 0
    private let memory = UnsafeMutablePointer<Content>.allocate(capacity: 1)

    private var content: Content {
        _read { yield unsafe memory.pointee }
        _modify { yield unsafe &memory.pointee }
    }

    init() {
        unsafe memory.initialize(to: Content())
        content.rows.reserveCapacity(1024)
        content.lineEnds.reserveCapacity(1024)
    }

    deinit {
        unsafe memory.deinitialize(count: 1)
        unsafe memory.deallocate()
    }

    /// The report's lines, one behind the other.
    var lines: ByteBuffer {
        _read { yield content.lines }
    }

    /// The row number of each line, in order.
    var rows: [UInt64] { content.rows }

    /// The outcomes of those rows, where they are wanted as values.
    var outcomes: RowOutcomes { content.outcomes }

    /// Returns the bytes for a file.
    ///
    /// Valid until the next change.
    func bytes(of kind: OutputKind) -> UnsafeBufferPointer<UInt8> {
        switch kind {
        case .retryRows: unsafe content.retryRows.bytes.bytes
        case .unregistered: unsafe content.unregistered.bytes.bytes
        case .report: unsafe content.lines.bytes
        }
    }

    /// Adds a record to the list of dead tokens, for the row whose line is appended next.
    func addUnregistered(_ write: (inout ByteBuffer) -> Void) {
        write(&content.unregistered.bytes)
        content.unregistered.ends.append((content.rows.count, content.unregistered.bytes.count))
    }

    /// Adds the text of the row whose line is appended next to the rows to be tried again.
    func addRetryRow(_ text: UnsafeBufferPointer<UInt8>) {
        unsafe content.retryRows.bytes.append(text)
        content.retryRows.ends.append((content.rows.count, content.retryRows.bytes.count))
    }

    /// Adds the outcome of the row whose line is appended next.
    func addOutcome(
        row: UInt64, _ result: RowResult, texts: UnsafeBufferPointer<UInt8>
    ) {
        unsafe content.outcomes.append(row: row, result, texts: texts)
    }

    /// Adds a row's line.
    /// - Parameters:
    ///   - row: The row's number.
    ///   - write: Appends the line, with its end.
    /// - Returns: True if the block is full now.
    func append(row: UInt64, _ write: (inout ByteBuffer) -> Void) -> Bool {
        Self.append(row: row, to: &content, write)
    }

    private static func append(
        row: UInt64, to content: inout Content, _ write: (inout ByteBuffer) -> Void
    ) -> Bool {
        write(&content.lines)
        content.rows.append(row)
        content.lineEnds.append(content.lines.count)
        // A dead token's record is never longer than its row's line, but a row may well be.
        return max(content.lines.count, content.retryRows.bytes.count) >= Limits.reportBlockBytes
    }

    /// The rows from the front whose line and records are whole within the first bytes of each file.
    ///
    /// A line break inside a quoted value does not end a line.
    func wholeRows(within limits: OutputLengths) -> Int {
        var count = 0
        while count < content.lineEnds.count, content.lineEnds[count] <= limits.report {
            count += 1
        }
        return min(
            count, content.unregistered.wholeRows(within: limits.unregistered, of: count),
            content.retryRows.wholeRows(within: limits.retryRows, of: count))
    }

    /// Returns the length of the first rows in each file.
    func lengths(ofFirst count: Int) -> OutputLengths {
        OutputLengths(
            retryRows: content.retryRows.length(ofFirst: count),
            unregistered: content.unregistered.length(ofFirst: count),
            report: count == 0 ? 0 : content.lineEnds[count - 1])
    }

    func reset() {
        content.lines.removeAll()
        content.rows.removeAll(keepingCapacity: true)
        content.lineEnds.removeAll(keepingCapacity: true)
        content.unregistered.removeAll()
        content.retryRows.removeAll()
        content.outcomes.removeAll()
    }
}
