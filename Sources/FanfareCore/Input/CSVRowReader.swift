import FanfareBase

// What to know before you change this:
// - It runs for each field of each row: 1.38 GB/s of CSV alone (`Benchmarks/micro`, at least 1 is
//   wanted), 3,114 instructions a row in `check` (`dev/check instructions`).
// - The scanner stands behind the last mark (delimiter, quote, line feed) that was dealt with. A
//   `next()` too many or too few shifts all fields that follow, and no test of a single field
//   notices.
// - A row that is not whole leaves nothing behind but its bytes and is read again: any division of
//   the input gives the same rows. The tests read each case whole, at every split and byte by byte.
// - Only values with doubled quotes are copied; the room for that is as large as the input, and is
//   never full.

/// One call of `CSVParser.parse`: all the state of the loop over rows, in one value on the stack.
///
/// The batch is a class, so each of its properties would cost an exclusivity check per access; the
/// state that changes per row is kept here and written back once. The methods are inlined into the
/// loop for the same reason: as calls they would pass this value through memory.
@safe
struct CSVRowReader {
    private enum FieldEnd {
        case delimiter
        case row
        /// The input ended first, and more will come.
        case incomplete
    }

    let bytes: UnsafeMutablePointer<UInt8>
    let end: Int
    let isFinal: Bool
    let delimiter: UInt8
    private let openingQuote: UInt16
    /// The slot of each column, negative for columns that the schema does not want.
    let slots: UnsafeBufferPointer<Int32>
    private var scanner: CSVScanner
    private let scratchCapacityEnd: Int
    private(set) var scratchEnd: Int

    // The row being read.

    private var fields: UnsafeMutablePointer<Field>
    private var fieldStart = 0
    private var column = 0
    private(set) var fault = RowFault.none
    /// The lines of the row, with those inside its quotes.
    private(set) var lineCount: UInt64 = 1
    /// The end of the row without its line end, and with it.
    private(set) var rowEnd = 0
    private(set) var nextRow = 0

    init(
        batch: RowBatch, isFinal: Bool, delimiter: UInt8, quotes: CSVQuotes,
        slots: UnsafeBufferPointer<Int32>
    ) {
        unsafe self.bytes = batch.bytes
        self.end = batch.inputEnd
        self.isFinal = isFinal
        self.delimiter = delimiter
        openingQuote = quotes.opening
        unsafe self.slots = slots
        self.scanner = unsafe CSVScanner(
            bytes: batch.bytes, from: batch.parsed, to: batch.inputEnd, delimiter: delimiter)
        self.scratchCapacityEnd = 2 * batch.inputCapacity
        self.scratchEnd = batch.scratchEnd
        unsafe self.fields = batch.fields
    }

    /// True if the row may have bytes that are not ASCII.
    @inline(__always)
    var mayHaveNonASCII: Bool { scanner.mayHaveNonASCII }

    /// Passes over one blank line, which may have delimiters.
    /// - Returns: The offset behind it; `nil` if there is no blank line at `start`.
    @inline(__always)
    mutating func skipBlankLine(at start: Int) -> Int? {
        if unsafe bytes[start] == CSVScanner.lineFeed {
            _ = scanner.next()
            return start + 1
        }
        guard unsafe bytes[start] == CSVScanner.carriageReturn else {
            return unsafe bytes[start] == delimiter ? skipEmptyFields(at: start) : nil
        }
        if start + 1 == end { return isFinal ? end : nil }
        guard unsafe bytes[start + 1] == CSVScanner.lineFeed else { return nil }
        _ = scanner.next()
        return start + 2
    }

    /// Passes over a line of delimiters alone, as Excel writes them for cells that were emptied.
    ///
    /// Rare, so a call.
    @inline(never)
    private mutating func skipEmptyFields(at start: Int) -> Int? {
        var place = start
        while unsafe place < end && bytes[place] == delimiter { place += 1 }
        let delimiters = place - start
        if unsafe place < end && bytes[place] == CSVScanner.carriageReturn { place += 1 }
        if place < end {
            guard unsafe bytes[place] == CSVScanner.lineFeed else { return nil }
            place += 1
            _ = scanner.next()
        } else if !isFinal {
            return nil
        }
        for _ in 0..<delimiters { _ = scanner.next() }
        return place
    }

    /// Reads the row at `start`, which is the scanner's place, too.
    /// - Parameters:
    ///   - start: The offset of its first byte.
    ///   - fields: The memory for its values; all of them missing so far.
    /// - Returns: True if the row is complete. If not, the caller clears its values.
    @inline(__always)
    mutating func readRow(at start: Int, into fields: UnsafeMutablePointer<Field>) -> Bool {
        unsafe self.fields = fields
        fieldStart = start
        column = 0
        lineCount = 1
        fault = .none
        let scratchStart = scratchEnd
        scanner.beginRow()
        while true {
            let isQuoted = unsafe fieldStart < end && UInt16(bytes[fieldStart]) == openingQuote
            switch isQuoted ? readQuotedField() : readUnquotedField() {
            case .delimiter:
                column &+= 1
            case .row:
                checkFieldCount()
                return true
            case .incomplete:
                scratchEnd = scratchStart
                return false
            }
        }
    }

    @inline(__always)
    private mutating func readUnquotedField() -> FieldEnd {
        var mark = scanner.next()
        // A quote that does not begin the field is an ordinary byte.
        while unsafe mark < end && bytes[mark] == CSVScanner.quote { mark = scanner.next() }
        if unsafe mark < end && bytes[mark] == delimiter {
            record(fieldStart, to: mark)
            fieldStart = mark &+ 1
            return .delimiter
        }
        if mark == end && !isFinal { return .incomplete }
        finishLine(at: mark, notBefore: fieldStart)
        record(fieldStart, to: rowEnd)
        return .row
    }

    @inline(__always)
    private mutating func readQuotedField() -> FieldEnd {
        _ = scanner.next()
        var pieceStart = fieldStart &+ 1
        let copyStart = scratchEnd
        while true {
            let mark = scanner.next()
            if mark == end { return finishInsideQuotes() }
            let byte = unsafe bytes[mark]
            if byte == CSVScanner.lineFeed { lineCount &+= 1 }
            guard byte == CSVScanner.quote else { continue }
            if unsafe mark &+ 1 < end && bytes[mark &+ 1] == CSVScanner.quote {
                // The first of the two quotes goes with the piece before it.
                _ = scanner.next()
                copy(pieceStart, to: mark &+ 1)
                pieceStart = mark &+ 2
                continue
            }
            var value = pieceStart
            var valueEnd = mark
            if scratchEnd != copyStart {
                copy(pieceStart, to: mark)
                (value, valueEnd) = (copyStart, scratchEnd)
            }
            return finishQuotedField(closingQuote: mark, value: value, to: valueEnd)
        }
    }

    /// Looks at the bytes behind a closing quote.
    @inline(__always)
    private mutating func finishQuotedField(
        closingQuote: Int, value: Int, to valueEnd: Int
    ) -> FieldEnd {
        let after = closingQuote &+ 1
        if after < end {
            if unsafe bytes[after] == delimiter {
                _ = scanner.next()
                record(value, to: valueEnd)
                fieldStart = after &+ 1
                return .delimiter
            }
            // A return at the end of the input so far is one at the end of all input or incomplete.
            let isLineEnd =
                unsafe bytes[after] == CSVScanner.lineFeed
                || (bytes[after] == CSVScanner.carriageReturn
                    && (after &+ 1 == end || bytes[after &+ 1] == CSVScanner.lineFeed))
            if !isLineEnd { return skipTextAfterQuote(at: after) }
        }
        let mark = scanner.next()
        if mark == end && !isFinal { return .incomplete }
        finishLine(at: mark, notBefore: after)
        record(value, to: valueEnd)
        return .row
    }

    /// Passes over the rest of a line that no longer makes sense.
    ///
    /// Rare, so a call.
    @inline(never)
    private mutating func skipTextAfterQuote(at start: Int) -> FieldEnd {
        var mark = scanner.next()
        while unsafe mark < end && bytes[mark] != CSVScanner.lineFeed { mark = scanner.next() }
        if mark == end && !isFinal { return .incomplete }
        finishLine(at: mark, notBefore: start)
        fault = RowFault(.textAfterQuote, column: column + 1)
        return .row
    }

    @inline(__always)
    private mutating func finishInsideQuotes() -> FieldEnd {
        guard isFinal else { return .incomplete }
        rowEnd = end
        nextRow = end
        fault = RowFault(.unclosedQuote, column: column + 1)
        return .row
    }

    /// Ends the row at a line feed or at the end of the input, and before a return if one is there.
    @inline(__always)
    private mutating func finishLine(at mark: Int, notBefore start: Int) {
        let hasReturn = unsafe mark > start && bytes[mark &- 1] == CSVScanner.carriageReturn
        rowEnd = hasReturn ? mark &- 1 : mark
        nextRow = mark < end ? mark &+ 1 : end
    }

    @inline(__always)
    private mutating func checkFieldCount() {
        guard fault.code == .none, unsafe column &+ 1 != slots.count else { return }
        fault =
            unsafe column &+ 1 < slots.count
            ? RowFault(.tooFewFields, column: column + 2)
            : RowFault(.tooManyFields, column: slots.count + 1)
    }

    @inline(__always)
    private func record(_ start: Int, to valueEnd: Int) {
        guard unsafe column < slots.count else { return }
        let slot = unsafe Int(slots[column])
        if slot >= 0 { unsafe fields[slot] = Field(.text, start: start, length: valueEnd &- start) }
    }

    /// Appends to the value in the scratch region, which is as large as the input region and so
    /// holds all values of the batch at once.
    @inline(__always)
    private mutating func copy(_ start: Int, to pieceEnd: Int) {
        let count = pieceEnd &- start
        let piece = unsafe bytes + start
        let place = unsafe bytes + scratchEnd
        if count <= 16 && scratchEnd &+ 16 <= scratchCapacityEnd {
            // The quotes of JSON in CSV are close together, and a call costs more than 16 bytes
            // (1.1 against 2.3 GB/s). What is too much lies behind `scratchEnd`: nothing is there.
            let chunk = unsafe UnsafeRawPointer(piece).loadUnaligned(as: SIMD16<UInt8>.self)
            unsafe UnsafeMutableRawPointer(place).storeBytes(of: chunk, as: SIMD16<UInt8>.self)
        } else {
            unsafe place.update(from: piece, count: count)
        }
        scratchEnd &+= count
    }
}
