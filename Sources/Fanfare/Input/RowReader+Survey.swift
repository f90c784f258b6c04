import FanfareBase
import FanfareCore

/// Looking at rows before they are read: for quotes that were left open, and for faults of the file.
extension RowReader {
    /// Returns true if a row may have swallowed others; it reads up to that row.
    func mayHaveOpenQuote() -> Bool {
        guard var parser = parser as? CSVParser else { return false }
        let batch = RowBatch(rowCapacity: 1, slotCount: 1)
        moveRest(to: batch)
        while !parser.findsRowOfSeveralLines(in: batch, isFinal: text.isAtEnd) {
            if text.isAtEnd { return false }
            if batch.parsed > 0 {
                batch.discardParsed()
            } else if batch.inputEnd == batch.inputCapacity {
                // A row without an end is longer than rows may be: an open quote may be the cause.
                guard batch.inputCapacity < Limits.rowBytesMax else { return true }
                batch.grow(toInputCapacity: min(4 * batch.inputCapacity, Limits.rowBytesMax))
            }
            guard read(into: batch) else { return false }
        }
        return true
    }

    /// Reads to the end and drops the text; the text's `fault` is the reason if it cannot.
    func readToEnd() {
        let batch = RowBatch(rowCapacity: 1, slotCount: 1)
        while !text.isAtEnd, read(into: batch) { batch.inputEnd = 0 }
    }

    /// Parses the text that was read and not handed out yet, and leaves it where it is.
    /// - Parameter look: Takes its whole rows, a batch at a time.
    /// - Returns: An open quote in it.
    @discardableResult
    func surveyAtHand(_ look: (RowBatch) -> Void = { _ in }) -> OpenQuote? {
        // A parser of CSV is a value; one of NDJSON is not, and looks for no quotes.
        var parser = parser is CSVParser ? parser : head.parser(.checked)
        var offset = 0
        while true {
            let count = text.atHand.count - offset
            let batch = RowBatch(
                inputCapacity: max(count, 1), rowCapacity: Limits.batchRows,
                slotCount: head.schema.slotCount)
            let space = unsafe UnsafeMutableBufferPointer(start: batch.bytes, count: count)
            _ = unsafe space.update(fromContentsOf: text.atHand.bytes.dropFirst(offset))
            batch.inputEnd = count
            let progress = parser.parse(batch, isFinal: text.isAtEnd)
            if let cleaning { batch.cleanTokens(cleaning) }
            look(batch)
            switch progress {
            case .quoteIsOpen(let quote): return quote
            case .needsInput:
                return (parser as? CSVParser)?.openQuote(inIncompleteRowOf: batch)
            case .batchFull: offset += batch.parsed
            }
        }
    }
}

extension OpenQuote {
    /// Returns the error for people.
    /// - Parameters:
    ///   - name: The input.
    ///   - isUpToThem: True if they can set the meaning of quotes.
    ///   - isInHeader: True if the quote leaves the header without an end: then no row can be
    ///     trusted.
    /// - Returns: The error, with advice.
    func error(in name: String, isUpToThem: Bool, isInHeader: Bool = false) -> FanfareError {
        var message: Statement =
            "\(name), line \(line): the quote at the beginning of field \(column) is left open: "
        let trusted: String
        switch sign {
        case .row(let first):
            message +=
                "the lines from \(first) on look like rows, and would go into this field. Mend "
                + "the line (\"\" is a quote in a quoted field)"
            trusted = "takes those lines for one field"
        case .endOfInput(let count):
            let lines = count == 1 ? "the line" : "the \(count) lines"
            message +=
                "no quote closes the field up to the end of the input, and \(lines) behind it "
                + "would go into it. Mend the line (\"\" is a quote in a quoted field), or the "
                + "input's end if that was cut off"
            trusted = "takes all that for one invalid row"
        }
        if isUpToThem {
            message +=
                ", or say \(.quotes, RowQuotes.ignored), which takes quotes for ordinary "
                + "bytes"
            if !isInHeader { message += ", or \(.quotes, RowQuotes.trusted), which \(trusted)" }
        }
        return FanfareError(.input, message)
    }
}
