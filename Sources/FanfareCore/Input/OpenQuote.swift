import FanfareBase

/// A quote of CSV that was left open: lines that are rows by themselves would go into its field.
///
/// RFC 4180 lets a quoted field have any lines, but not end with the input. So if one ends with the
/// input and has swallowed lines, its quote was left open, and the lines need not look like rows.
/// In a field that is closed the quote may be meant or not; the look of its lines decides. A line
/// that begins inside a quoted field is a row that was swallowed if
///
/// - it has as many fields as the header, its own quotes honored or all of them ordinary bytes,
/// - the value in the token's column looks like a token, and
/// - that token is inside the field. On the line on which the field ends the token may be behind
///   the end if text follows the closing quote, and that quote stands where a field begins: it was
///   an opening one.
///
/// ```
///  token,name            token,payload                       text,token
///  5e1f…,"Ada            5e1f…,"{                            "dear
///  a0b7…,Bob    ◄ row      ""aps"": 1, ""x"": 2   ◄ no row    all",5e1f…   ◄ no row: not inside
/// ```
package struct OpenQuote: Equatable, Sendable {
    /// The sign that it was left open.
    package enum Sign: Equatable, Sendable {
        /// The first line behind it that looks like a row.
        case row(onLine: UInt64)
        /// The input ends in the field; so many lines are behind the quote's, up to the last one that is
        /// not blank.
        case endOfInput(lineCount: UInt64)
    }

    /// The line on which the quote stands, counted from 1.
    package var line: UInt64
    /// The number of the field that it opens, counted from 1.
    package var column: Int
    /// The sign that it was left open.
    package var sign: Sign

    /// Describes a quote that takes a line along which looks like a row.
    package init(line: UInt64, column: Int, swallowedLine: UInt64) {
        self.line = line
        self.column = column
        sign = .row(onLine: swallowedLine)
    }

    /// Describes a quote that takes all lines along up to the end of the input.
    package init(line: UInt64, column: Int, lineCountToEnd: UInt64) {
        self.line = line
        self.column = column
        sign = .endOfInput(lineCount: lineCountToEnd)
    }
}

/// The look of an input's rows, for finding them where they should not be.
struct SwallowedRows {
    /// The digits of a token that make a line look like a row.
    ///
    /// Tokens of APNs have 64 and more. 128 bits in hexadecimal, alone in the token's place of a line with
    /// as many fields as the header, are in no text that people write and in no JSON; a shorter number
    /// may be: `2024` and `20` in a list of two columns are hexadecimal as well.
    private static let tokenDigitsMin = 32

    private static let carriageReturn = CSVScanner.carriageReturn

    private let delimiter: UInt8
    private let columnCount: Int
    private let tokenColumn: Int
    /// The shortest line that may be a row.
    private let lineBytesMin: Int

    /// - Parameters:
    ///   - delimiter: The byte between fields.
    ///   - columnCount: The number of the header's fields.
    ///   - tokenColumn: The number of the token's field, counted from 0.
    init(delimiter: UInt8, columnCount: Int, tokenColumn: Int) {
        self.delimiter = delimiter
        self.columnCount = columnCount
        self.tokenColumn = tokenColumn
        lineBytesMin = Self.tokenDigitsMin + columnCount - 1
    }

    /// Looks for the first quoted field with a line in it that looks like a row.
    /// - Parameters:
    ///   - bytes: Memory with the padding of a `RowBatch`.
    ///   - start: The first byte of a row.
    ///   - end: Its end, without the line end.
    ///   - firstLine: The line on which it begins.
    ///   - isWhole: True if it ends there; if not, a last line without an end is not looked at.
    /// - Returns: The quote that opens it; `nil` if no line looks like one.
    func find(
        in bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, firstLine: UInt64,
        isWhole: Bool
    ) -> OpenQuote? {
        let row = unsafe UnsafeBufferPointer(start: bytes, count: end)
        var scanner = unsafe CSVScanner(bytes: bytes, from: start, to: end, delimiter: delimiter)
        var (line, column, field) = (firstLine, 1, start)
        while field < end {
            if unsafe bytes[field] == CSVScanner.quote {
                let opening = line
                _ = scanner.next()
                if unsafe findRow(in: row, &scanner, &line, isWhole: isWhole) {
                    return OpenQuote(line: opening, column: column, swallowedLine: line)
                }
            }
            var mark = scanner.next()
            while unsafe mark < end && bytes[mark] != delimiter { mark = scanner.next() }
            column += 1
            field = mark + 1
        }
        return nil
    }

    /// Goes on to the closing quote of a field, or to a line that looks like a row.
    private func findRow(
        in row: UnsafeBufferPointer<UInt8>, _ scanner: inout CSVScanner, _ line: inout UInt64,
        isWhole: Bool
    ) -> Bool {
        /// The token of the line that is looked through, if that looks like a row.
        var token: Int?
        while true {
            let mark = scanner.next()
            if mark == row.count { return token != nil }
            let byte = unsafe row[mark]
            if byte == CSVScanner.lineFeed {
                // The field goes on behind the line: all of it was swallowed.
                if token != nil { return true }
                line += 1
                token = unsafe tokenOffset(ofLineAt: mark + 1, in: row, isWhole: isWhole)
            } else if byte == CSVScanner.quote {
                if unsafe mark + 1 < row.count && row[mark + 1] == CSVScanner.quote {
                    _ = scanner.next()
                    continue
                }
                guard let token else { return false }
                return unsafe token < mark || isReallyOpening(mark, in: row)
            }
        }
    }

    /// True if a closing quote looks like one that opens a field.
    private func isReallyOpening(_ quote: Int, in row: UnsafeBufferPointer<UInt8>) -> Bool {
        let before = unsafe row[quote - 1]
        guard before == delimiter || before == CSVScanner.lineFeed, quote + 1 < row.count else {
            return false
        }
        let after = unsafe row[quote + 1]
        return after != delimiter && after != CSVScanner.lineFeed && after != Self.carriageReturn
    }

    // MARK: A line

    /// - Returns: The beginning of the token of a line, if the line looks like a row.
    private func tokenOffset(
        ofLineAt start: Int, in row: UnsafeBufferPointer<UInt8>, isWhole: Bool
    ) -> Int? {
        // Most lines of a long text end here, after a byte or two.
        guard unsafe tokenColumn > 0 || mayBeginWithToken(row[start...]) else { return nil }
        var end = row.count
        if let lineFeed = unsafe row[start...].firstIndex(of: CSVScanner.lineFeed) {
            end = lineFeed
        } else if !isWhole {
            return nil
        }
        if unsafe end > start && row[end - 1] == Self.carriageReturn { end -= 1 }
        guard end - start >= lineBytesMin else { return nil }
        let line = unsafe UnsafeBufferPointer(rebasing: row[start..<end])
        let token =
            unsafe self.token(in: line, honorsQuotes: false)
            ?? self.token(in: line, honorsQuotes: true)
        return token.map { start + $0 }
    }

    private func mayBeginWithToken(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let value = unsafe text.first == CSVScanner.quote ? text.dropFirst() : text
        let head = unsafe value.prefix(Self.tokenDigitsMin)
        return unsafe head.count == Self.tokenDigitsMin
            && head.allSatisfy(HeaderRules.isHexadecimalDigit)
    }

    private func token(in line: UnsafeBufferPointer<UInt8>, honorsQuotes: Bool) -> Int? {
        var column = 0
        var token: Int?
        var offset = 0
        while true {
            let isQuoted =
                unsafe honorsQuotes && offset < line.count && line[offset] == CSVScanner.quote
            let (value, end) = unsafe isQuoted ? quoted(line, offset) : plain(line, offset)
            guard let end else { return nil }
            if column == tokenColumn {
                guard unsafe isToken(line[value]) else { return nil }
                token = value.lowerBound
            }
            column += 1
            if end == line.count { return column == columnCount ? token : nil }
            offset = end + 1
        }
    }

    private func plain(
        _ line: UnsafeBufferPointer<UInt8>, _ start: Int
    ) -> (value: Range<Int>, end: Int?) {
        let end = unsafe line[start...].firstIndex(of: delimiter) ?? line.count
        return (start..<end, end)
    }

    /// - Returns: The value between the quotes, and the end of the field; none if that is not well made.
    private func quoted(
        _ line: UnsafeBufferPointer<UInt8>, _ start: Int
    ) -> (value: Range<Int>, end: Int?) {
        var offset = start + 1
        while offset < line.count {
            let isQuote = unsafe line[offset] == CSVScanner.quote
            let isDoubled =
                unsafe isQuote && offset + 1 < line.count && line[offset + 1] == CSVScanner.quote
            if isQuote && !isDoubled { break }
            offset += isDoubled ? 2 : 1
        }
        let isClosed =
            unsafe offset < line.count
            && (offset + 1 == line.count || line[offset + 1] == delimiter)
        return (start + 1..<max(start + 1, min(offset, line.count)), isClosed ? offset + 1 : nil)
    }

    private func isToken(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard unsafe value.count >= Self.tokenDigitsMin,
            unsafe value.count <= Limits.tokenBytesMax
        else { return false }
        return unsafe HeaderRules.problem(token: UnsafeBufferPointer(rebasing: value)) == nil
    }
}
