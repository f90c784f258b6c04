/// A search for a row of CSV that has more than one line, without making rows.
///
/// Only such a row can have swallowed others, and few lists have one. Lines without quotes cost no
/// more than the search for a quote; those with quotes are read as `CSVRowReader` reads them.
struct MultilineSearch {
    /// The byte between fields.
    let delimiter: UInt8

    /// Looks through the input of a batch from `parsed` on.
    ///
    /// It leaves `parsed` at the beginning of the row whose end has not come.
    /// - Parameter batch: The batch; its input begins with a row.
    /// - Returns: True if a quoted field goes on behind the end of a line.
    func findsRow(in batch: RowBatch) -> Bool {
        let input = unsafe UnsafeBufferPointer(start: batch.bytes, count: batch.inputEnd)
        var start = batch.parsed
        defer { batch.parsed = start }
        while let quote = unsafe CSVScanner.firstQuote(in: input, from: start) {
            start = unsafe Self.lineStart(before: quote, notBefore: start, input)
            switch unsafe rowEnd(input, from: start) {
            case .behind(let end): start = end
            case .inQuotes: return true
            case .notYet: return false
            }
        }
        start = unsafe Self.lineStart(before: input.count, notBefore: start, input)
        return false
    }

    /// Returns the start of a line; the lines before it have no quotes, and are rows.
    private static func lineStart(
        before end: Int, notBefore start: Int, _ input: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let lineFeed = unsafe input[start..<end].lastIndex(of: CSVScanner.lineFeed)
        return lineFeed.map { $0 + 1 } ?? start
    }

    private enum RowEnd {
        /// The offset behind its line feed.
        case behind(Int)
        /// A line ends inside of a quoted field.
        case inQuotes
        case notYet
    }

    private func rowEnd(_ input: UnsafeBufferPointer<UInt8>, from start: Int) -> RowEnd {
        guard let bytes = input.baseAddress else { return .notYet }
        let end = input.count
        var scanner = unsafe CSVScanner(bytes: bytes, from: start, to: end, delimiter: delimiter)
        var field = start
        while true {
            var mark = scanner.next()
            var isTextAfterQuote = false
            if unsafe mark == field && mark < end && bytes[mark] == CSVScanner.quote {
                guard let closing = unsafe Self.closingQuote(input, &scanner) else {
                    return .notYet
                }
                if unsafe bytes[closing] == CSVScanner.lineFeed { return .inQuotes }
                mark = scanner.next()
                isTextAfterQuote = mark > closing + 1
            }
            // Quotes are ordinary bytes in the rest of the field; so are delimiters behind a
            // closing quote and text.
            while unsafe mark < end && bytes[mark] != CSVScanner.lineFeed
                && (isTextAfterQuote || bytes[mark] != delimiter)
            {
                mark = scanner.next()
            }
            if mark == end { return .notYet }
            if unsafe bytes[mark] == CSVScanner.lineFeed { return .behind(mark + 1) }
            field = mark + 1
        }
    }

    /// - Returns: The quote that closes a field, or the line feed before it; `nil` if none came yet.
    @inline(__always)
    private static func closingQuote(
        _ input: UnsafeBufferPointer<UInt8>, _ scanner: inout CSVScanner
    ) -> Int? {
        while true {
            let mark = scanner.next()
            // The byte behind a quote shows whether it is doubled.
            guard mark + 1 < input.count else { return nil }
            let byte = unsafe input[mark]
            if byte == CSVScanner.lineFeed { return mark }
            guard byte == CSVScanner.quote else { continue }
            guard unsafe input[mark + 1] == CSVScanner.quote else { return mark }
            _ = scanner.next()
        }
    }
}
