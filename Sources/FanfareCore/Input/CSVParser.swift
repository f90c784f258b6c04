import FanfareBase

/// A parser that makes rows out of CSV behind its header.
///
/// - Fields may be quoted; a doubled quote in a quoted field is one quote, and delimiters and line
///   ends in it belong to the value. A quote inside an unquoted field is an ordinary byte.
/// - Lines end with LF or CRLF; the last one needs no end, and may end with a lone CR. Blank lines
///   are no rows, but they count as lines; so do lines of delimiters alone.
/// - Values without doubled quotes stay where they are in the input, the others are copied to the
///   batch's scratch region.
/// - A faulty row keeps the values that were read before the fault. All values are UTF-8.
///
/// On one core of an AMD EPYC 9005, code for plain x86-64: `<64 hex>,<name>` 2.9 to 4.3 GB/s,
/// quoted fields 2.0 to 3.2 GB/s, JSON in quotes (a doubled quote every ten bytes) 2.3 GB/s. No
/// allocation per row.
///
/// RFC 4180
package struct CSVParser: RowParser {
    private static let byteOrderMark = ByteOrderMark.bytes

    private let delimiter: UInt8
    private let quotes: CSVQuotes
    /// The search for rows in quoted fields; `nil` when quotes are not checked, or rows have no
    /// token.
    private let swallowedRows: SwallowedRows?
    /// The first slot of each column, -1 for columns that the schema does not want.
    private let slots: [Int32]
    /// Slots that want a column which goes to another slot already.
    private let copies: [(from: Int, to: Int)]
    /// The line of the byte at the batch's `parsed`.
    package private(set) var line: UInt64
    private var expectsByteOrderMark: Bool
    private var skipper: CSVRowSkipper
    /// The bytes of the incomplete row at `parsed` that `skipper` has seen.
    private var skippedBytes = 0
    private var isInAbandonedRow = false
    /// True if that row goes into a batch only when its end is known: it is none if the input ends
    /// in it.
    private var isAbandonedRowOwed = false

    /// Prepares to read the rows of one input.
    /// - Parameters:
    ///   - schema: The wanted columns.
    ///   - columns: The columns of the input, in order. Of two with the same name the first counts.
    ///   - delimiter: An ASCII byte other than a quote, CR and LF.
    ///   - firstLine: The line of the first byte that `parse` gets to see. At line 1, where the
    ///     input begins, a byte order mark is passed over.
    ///   - quotes: The meaning of a quote at the beginning of a field.
    package init(
        schema: RowSchema, columns: [String], delimiter: UInt8, firstLine: UInt64,
        quotes: CSVQuotes = .trusted
    ) {
        precondition(
            delimiter < 0x80 && delimiter != CSVScanner.quote && delimiter != CSVScanner.lineFeed
                && delimiter != CSVScanner.carriageReturn, "BUG: not a CSV delimiter")
        var slots = [Int32](repeating: -1, count: columns.count)
        var copies: [(from: Int, to: Int)] = []
        for slot in 0..<schema.slotCount {
            guard let column = columns.firstIndex(of: schema.inputName(ofSlot: slot)) else {
                continue
            }
            if slots[column] < 0 {
                slots[column] = Int32(slot)
            } else {
                copies.append((from: Int(slots[column]), to: slot))
            }
        }
        let token = slots.firstIndex(of: Int32(RowSchema.Known.token.slot))
        self.delimiter = delimiter
        self.quotes = quotes
        swallowedRows =
            quotes != .checked
            ? nil
            : token.map {
                SwallowedRows(
                    delimiter: delimiter, columnCount: columns.count, tokenColumn: $0)
            }
        self.slots = slots
        self.copies = copies
        self.line = firstLine
        self.expectsByteOrderMark = firstLine == 1
        self.skipper = CSVRowSkipper(delimiter: delimiter, quotes: quotes)
    }

    package mutating func parse(_ batch: RowBatch, isFinal: Bool) -> ParseProgress {
        if isInAbandonedRow {
            if isAbandonedRowOwed && batch.rowCount == batch.rowLimit { return .batchFull }
            guard findEndOfAbandonedRow(in: batch) else {
                return isFinal ? endAbandonedRow(in: batch) : .needsInput
            }
        }
        if expectsByteOrderMark && !skipByteOrderMark(in: batch, isFinal: isFinal) {
            return .needsInput
        }
        if batch.rowCount == batch.rowLimit { return .batchFull }
        if skippedBytes > 0 && !isFinal && !findEndOfIncompleteRow(in: batch) {
            return .needsInput
        }
        skippedBytes = 0
        let slots = self.slots
        return unsafe slots.withUnsafeBufferPointer { slots in
            unsafe readRows(of: batch, isFinal: isFinal, slots: slots)
        }
    }

    package mutating func abandonRow(in batch: RowBatch) -> OpenQuote? {
        precondition(batch.rowCount < batch.rowCapacity, "BUG: no room for the abandoned row")
        if let quote = openQuote(inIncompleteRowOf: batch) { return quote }
        if skippedBytes == 0 { skipper = CSVRowSkipper(delimiter: delimiter, quotes: quotes) }
        let row = RowBatch.Row(
            line: line, start: batch.parsed, length: batch.inputEnd - batch.parsed,
            fault: RowFault(.rowTooLong))
        batch.parsed += skippedBytes
        skippedBytes = 0
        expectsByteOrderMark = false
        isInAbandonedRow = true
        _ = findEndOfAbandonedRow(in: batch)
        isAbandonedRowOwed = unclosedQuoteOfAbandonedRow != nil
        if !isAbandonedRowOwed { append(row, to: batch) }
        return nil
    }

    package mutating func skip(in batch: RowBatch, most: Int) -> Int {
        guard !isInAbandonedRow, !expectsByteOrderMark else { return 0 }
        skippedBytes = 0
        var skipper = LineSkipper()
        skipper.skip(batch, .csv(delimiter: delimiter, quotes: quotes), most: most)
        line += skipper.lines
        return skipper.rows
    }

    /// Looks for a row that has more than one line, instead of parsing: only such a row can have
    /// swallowed others.
    ///
    /// It leaves `parsed` at the beginning of the row whose end has not come.
    /// - Parameters:
    ///   - batch: Input from the beginning of a row.
    ///   - isFinal: True if the input ends with that of the batch.
    /// - Returns: True if such a row begins in the batch.
    package mutating func findsRowOfSeveralLines(in batch: RowBatch, isFinal: Bool) -> Bool {
        if expectsByteOrderMark && !skipByteOrderMark(in: batch, isFinal: isFinal) { return false }
        return quotes != .ignored && MultilineSearch(delimiter: delimiter).findsRow(in: batch)
    }

    /// Returns a quote that is left open in the row at `parsed`, which goes on behind the batch's
    /// input.
    package func openQuote(inIncompleteRowOf batch: RowBatch) -> OpenQuote? {
        guard let swallowedRows, !isInAbandonedRow else { return nil }
        return unsafe swallowedRows.find(
            in: batch.bytes, from: batch.parsed, to: batch.inputEnd, firstLine: line,
            isWhole: false)
    }

    /// Runs the loop over the rows of a call.
    private mutating func readRows(
        of batch: RowBatch, isFinal: Bool, slots: UnsafeBufferPointer<Int32>
    ) -> ParseProgress {
        var reader = unsafe CSVRowReader(
            batch: batch, isFinal: isFinal, delimiter: delimiter, quotes: quotes, slots: slots)
        let end = reader.end
        let rows = unsafe batch.rows
        let slotCount = batch.slotCount
        let rowCapacity = batch.rowLimit
        var fields = unsafe batch.fields + batch.rowCount * slotCount
        var rowCount = batch.rowCount
        var start = batch.parsed
        var line = self.line
        let copies = self.copies
        var openQuote: OpenQuote?
        while start < end && rowCount < rowCapacity {
            if let next = reader.skipBlankLine(at: start) {
                start = next
                line &+= 1
                continue
            }
            guard unsafe reader.readRow(at: start, into: fields) else {
                unsafe fields.update(repeating: .missing, count: slotCount)
                break
            }
            // Few rows have more than one line.
            if reader.lineCount != 1 && quotes == .checked {
                openQuote = self.openQuote(
                    in: batch, from: start, to: reader.rowEnd, firstLine: line,
                    isClosed: reader.fault.code != .unclosedQuote)
                if openQuote != nil {
                    unsafe fields.update(repeating: .missing, count: slotCount)
                    break
                }
            }
            for copy in copies { unsafe fields[copy.to] = fields[copy.from] }
            var row = RowBatch.Row(
                line: line, start: start, length: reader.rowEnd &- start, fault: reader.fault)
            if reader.mayHaveNonASCII { unsafe checkUTF8(of: &row, fields: fields, in: batch) }
            unsafe rows[rowCount] = row
            rowCount &+= 1
            unsafe fields += slotCount
            line &+= reader.lineCount
            start = reader.nextRow
        }
        batch.rowCount = rowCount
        batch.parsed = start
        batch.scratchEnd = reader.scratchEnd
        self.line = line
        if let openQuote { return .quoteIsOpen(openQuote) }
        if rowCount == rowCapacity { return .batchFull }
        noteIncompleteRow(in: batch)
        return .needsInput
    }

    /// Looks for a quote that is left open in a row of several lines.
    ///
    /// Rare, so a call.
    @inline(never)
    private func openQuote(
        in batch: RowBatch, from start: Int, to end: Int, firstLine: UInt64, isClosed: Bool
    ) -> OpenQuote? {
        if let swallowedRows {
            let quote = unsafe swallowedRows.find(
                in: batch.bytes, from: start, to: end, firstLine: firstLine, isWhole: true)
            if let quote { return quote }
        }
        guard !isClosed else { return nil }
        var place = CSVRowSkipper(delimiter: delimiter, quotes: quotes)
        _ = unsafe place.skip(batch.bytes, from: start, to: end)
        return place.unclosedQuote(inRowAt: firstLine)
    }

    /// Reads the beginning of the row at `parsed` with the skipper, so that the coming calls need
    /// not begin it again until it is complete.
    private mutating func noteIncompleteRow(in batch: RowBatch) {
        skipper = CSVRowSkipper(delimiter: delimiter, quotes: quotes)
        _ = unsafe skipper.skip(batch.bytes, from: batch.parsed, to: batch.inputEnd)
        skippedBytes = batch.inputEnd - batch.parsed
    }

    /// - Returns: True if the row at `parsed` has its end in the batch now.
    private mutating func findEndOfIncompleteRow(in batch: RowBatch) -> Bool {
        let start = batch.parsed + skippedBytes
        if unsafe skipper.skip(batch.bytes, from: start, to: batch.inputEnd) != nil { return true }
        skippedBytes = batch.inputEnd - batch.parsed
        return false
    }

    /// - Returns: True if the batch's input goes on behind the abandoned row.
    private mutating func findEndOfAbandonedRow(in batch: RowBatch) -> Bool {
        guard let end = unsafe skipper.skip(batch.bytes, from: batch.parsed, to: batch.inputEnd)
        else {
            batch.parsed = batch.inputEnd
            return false
        }
        batch.parsed = end
        // Of the row only its line end is there.
        tellAbandonedRow(in: batch, at: end - 1)
        line += skipper.lineFeeds
        isInAbandonedRow = false
        return true
    }

    /// Deals with an abandoned row that has no line end because the input has none.
    private mutating func endAbandonedRow(in batch: RowBatch) -> ParseProgress {
        if let quote = unclosedQuoteOfAbandonedRow { return .quoteIsOpen(quote) }
        tellAbandonedRow(in: batch, at: batch.inputEnd)
        return .needsInput
    }

    /// The quote that is open where an abandoned row has come to, if it takes lines along.
    private var unclosedQuoteOfAbandonedRow: OpenQuote? {
        guard isInAbandonedRow, quotes == .checked else { return nil }
        return skipper.unclosedQuote(inRowAt: line)
    }

    /// Appends an abandoned row whose end is known now, without its bytes.
    private mutating func tellAbandonedRow(in batch: RowBatch, at place: Int) {
        guard isAbandonedRowOwed else { return }
        isAbandonedRowOwed = false
        append(
            RowBatch.Row(line: line, start: place, length: 0, fault: RowFault(.rowTooLong)),
            to: batch)
    }

    private func append(_ row: RowBatch.Row, to batch: RowBatch) {
        unsafe batch.rows[batch.rowCount] = row
        batch.rowCount += 1
    }

    /// - Returns: `false` if more input is needed to know whether it begins with the mark.
    private mutating func skipByteOrderMark(in batch: RowBatch, isFinal: Bool) -> Bool {
        let count = min(batch.inputEnd - batch.parsed, Self.byteOrderMark.count)
        let input = unsafe UnsafeBufferPointer(start: batch.bytes + batch.parsed, count: count)
        let mayBeMark = unsafe input.elementsEqual(Self.byteOrderMark.prefix(count))
        if mayBeMark && count < Self.byteOrderMark.count && !isFinal { return false }
        if mayBeMark && count == Self.byteOrderMark.count { batch.parsed += count }
        expectsByteOrderMark = false
        return true
    }

    /// Looks closely at a row that may not be ASCII.
    ///
    /// Values that are not UTF-8 become missing.
    @inline(never)
    private func checkUTF8(
        of row: inout RowBatch.Row, fields: UnsafeMutablePointer<Field>, in batch: RowBatch
    ) {
        let start = Int(row.start)
        let raw = unsafe UnsafeBufferPointer(start: batch.bytes + start, count: Int(row.length))
        // Quotes, delimiters and line ends are ASCII: if the row is UTF-8, so is each field.
        guard let offset = unsafe UTF8Check.firstFault(in: raw) else { return }
        for slot in 0..<batch.slotCount
        where unsafe UTF8Check.firstFault(in: batch.value(fields[slot])) != nil {
            unsafe fields[slot] = .missing
        }
        guard row.fault.code == .none else { return }
        var place = CSVRowSkipper(delimiter: delimiter, quotes: quotes)
        _ = unsafe place.skip(batch.bytes, from: start, to: start + offset)
        row.fault = RowFault(.invalidUTF8, column: place.column)
    }
}
