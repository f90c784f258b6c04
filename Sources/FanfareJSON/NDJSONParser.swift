internal import CSimdjson
internal import FanfareBase
package import FanfareCore

/// A parser that makes rows out of lines with one JSON object each.
///
/// - Strings become `.text`: in the input itself if they have no escapes, else a copy without them in
///   the batch's second half. Numbers, booleans, arrays and objects become `.json`, byte for byte as
///   they stood in the input; `null` becomes `.null`.
/// - A column's name is looked for as a key of the row first. Failing that, a name with dots is a path
///   of keys through nested objects, cut at every dot.
/// - If a key comes more than once, the last one counts.
/// - Blank lines are no rows but count as lines; CRLF ends a line as LF does; a byte order mark is
///   skipped at the start of the input, which is where line 1 is.
/// - A line is checked as a whole, also the values that are not asked for. Nesting deeper than
///   1,024 is `invalidJSON`, and so is `\ud800` without its other half, for which there is no
///   UTF-8.
///
/// A row with a fault has no values, and never disturbs its neighbors.
@safe
package final class NDJSONParser: RowParser {
    private let scanner: JSONScanner
    /// The number of the line at `batch.parsed`.
    package private(set) var line: UInt64
    private var isAtStart: Bool
    /// The bytes that were indexed, each as often as it was.
    package private(set) var work = 0
    /// True while the rest of a row that was given up is being skipped.
    private var isSkipping = false

    /// Prepares the search for the wanted columns.
    /// - Parameters:
    ///   - schema: The columns, with the slots of the batches that will be filled.
    ///   - firstLine: The number of the input's first line; not 1 after a resumption.
    package init(schema: RowSchema, firstLine: UInt64) {
        scanner = JSONScanner()
        line = firstLine
        isAtStart = firstLine == 1
        for slot in 0..<schema.slotCount {
            scanner.want(schema.inputName(ofSlot: slot), slot: slot)
        }
    }

    package func parse(_ batch: RowBatch, isFinal: Bool) -> ParseProgress {
        batch.hasJSONStrings = true
        if isSkipping {
            guard skipRestOfRow(batch) else { return .needsInput }
        }
        if isAtStart {
            guard skipByteOrderMark(batch, isFinal: isFinal) else { return .needsInput }
        }
        // The rows and fields of the batch have the layout that the C side declares; a test pins it.
        var lines = unsafe fanfare_json_lines(
            bytes: batch.bytes, parsed: batch.parsed, input_end: batch.inputEnd,
            scratch_end: batch.scratchEnd,
            fields: UnsafeMutableRawPointer(batch.fields)
                .assumingMemoryBound(to: fanfare_json_field.self),
            rows: UnsafeMutableRawPointer(batch.rows)
                .assumingMemoryBound(to: fanfare_json_row.self),
            slot_count: batch.slotCount, row_capacity: batch.rowLimit,
            row_count: batch.rowCount, line: line, is_final: isFinal, indexed: 0)
        let isFull = unsafe fanfare_json_parse_lines(scanner.parser, &lines)
        batch.parsed = unsafe lines.parsed
        batch.scratchEnd = unsafe lines.scratch_end
        batch.rowCount = unsafe lines.row_count
        line = unsafe lines.line
        work += unsafe lines.indexed
        return isFull ? .batchFull : .needsInput
    }

    package func skip(in batch: RowBatch, most: Int) -> Int {
        guard !isSkipping, !isAtStart else { return 0 }
        var skipper = LineSkipper()
        skipper.skip(batch, .json, most: most)
        line += skipper.lines
        return skipper.rows
    }

    package func abandonRow(in batch: RowBatch) -> OpenQuote? {
        precondition(batch.rowCount < batch.rowCapacity, "BUG: no room for the row given up")
        let length = batch.inputEnd - batch.parsed
        unsafe batch.rows[batch.rowCount] = RowBatch.Row(
            line: line, start: batch.parsed, length: length, fault: RowFault(.lineTooLong))
        batch.rowCount += 1
        batch.parsed = batch.inputEnd
        isAtStart = false
        isSkipping = true
        return nil
    }

    /// Consumes input up to the end of the line; false if that has not come yet.
    private func skipRestOfRow(_ batch: RowBatch) -> Bool {
        let start = unsafe batch.bytes + batch.parsed
        let count = batch.inputEnd - batch.parsed
        let lineEnd = unsafe UnsafeBufferPointer(start: start, count: count)
            .firstIndex(of: UInt8(ascii: "\n"))
        batch.parsed += lineEnd.map { $0 + 1 } ?? count
        guard lineEnd != nil else { return false }
        line += 1
        isSkipping = false
        return true
    }

    /// Skips a byte order mark; false if it cannot tell yet whether there is one.
    private func skipByteOrderMark(_ batch: RowBatch, isFinal: Bool) -> Bool {
        let text = unsafe UnsafeBufferPointer(
            start: batch.bytes + batch.parsed, count: batch.inputEnd - batch.parsed)
        guard text.count >= ByteOrderMark.bytes.count || isFinal else {
            // Two bytes can be two blank lines; they are taken with the third.
            return false
        }
        batch.parsed += unsafe ByteOrderMark.count(in: text)
        isAtStart = false
        return true
    }
}
