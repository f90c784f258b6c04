/// A search for the end of a row byte by byte, over as many pieces of input as it takes.
///
/// The parser only works on complete rows. What it cannot have complete (the row at the end of the
/// input so far, a row longer than any batch) goes through here, each byte once.
struct CSVRowSkipper {
    private enum State {
        case fieldStart
        case unquoted
        case quoted
        /// Behind a quote in a quoted field: the field's end, or the first half of a doubled quote.
        case quoteInQuoted
        /// Behind text after a closing quote: nothing counts any more but the end of the line.
        case restOfLine
    }

    private let delimiter: UInt8
    private let openingQuote: UInt16
    private var state = State.fieldStart
    /// The line feeds seen.
    private(set) var lineFeeds: UInt64 = 0
    /// The number of the field that the next byte belongs to, counted from 1.
    private(set) var column = 1
    /// The line feeds before the quote that was opened last.
    private var lineFeedsAtQuote: UInt64 = 0
    /// The line feeds before the last byte of its field that belongs to no line end.
    private var lineFeedsAtText: UInt64 = 0

    init(delimiter: UInt8, quotes: CSVQuotes) {
        self.delimiter = delimiter
        openingQuote = quotes.opening
    }

    /// Goes on with the row.
    /// - Returns: The offset behind the line feed that ends the row; `nil` if it has not come yet.
    mutating func skip(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int? {
        var offset = start
        while offset < end {
            let byte = unsafe bytes[offset]
            offset += 1
            if byte == CSVScanner.lineFeed {
                lineFeeds += 1
                if state != .quoted { return offset }
                continue
            }
            switch state {
            case .quoted where byte == CSVScanner.quote:
                state = .quoteInQuoted
            case .quoted:
                if byte != CSVScanner.carriageReturn { lineFeedsAtText = lineFeeds }
            case .fieldStart where UInt16(byte) == openingQuote:
                state = .quoted
                lineFeedsAtQuote = lineFeeds
                lineFeedsAtText = lineFeeds
            case .quoteInQuoted where byte == CSVScanner.quote:
                state = .quoted
                lineFeedsAtText = lineFeeds
            case .fieldStart, .unquoted, .quoteInQuoted:
                if byte == delimiter {
                    column += 1
                    state = .fieldStart
                } else {
                    state = state == .quoteInQuoted ? .restOfLine : .unquoted
                }
            case .restOfLine:
                break
            }
        }
        return nil
    }

    /// Returns the quote that is open at the present end of the row, if it takes lines along.
    ///
    /// Blank lines behind all others are no rows that could be lost.
    /// - Parameter line: The line on which the row begins.
    /// - Returns: The quote, if there is one.
    func unclosedQuote(inRowAt line: UInt64) -> OpenQuote? {
        guard state == .quoted, lineFeedsAtText > lineFeedsAtQuote else { return nil }
        return OpenQuote(
            line: line + lineFeedsAtQuote, column: column,
            lineCountToEnd: lineFeedsAtText - lineFeedsAtQuote)
    }
}
