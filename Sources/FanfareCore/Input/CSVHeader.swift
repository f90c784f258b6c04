import FanfareBase

/// A reader of the first row of a CSV input: the names of its columns, and the byte between them.
///
/// Each call goes on where the one before has ended, so that the work grows with the header and not
/// with the number of reads that bring it.
package struct CSVHeader {
    package enum HeaderResult: Equatable, Sendable {
        /// The header row is not complete; call again with more of the input.
        case needsMoreInput
        /// The header row is read. Rows begin behind `consumedBytes`, on line `lines + 1`.
        case header(columns: [String], delimiter: UInt8, consumedBytes: Int, lines: UInt64)
        /// There is no usable header row; the reason is a phrase for the user.
        case failed(reason: String)
    }

    /// The delimiter that was asked for; `nil` to find it out.
    private var delimiter: UInt8?
    private let quotes: CSVQuotes
    /// The first byte of the header row, once the parser has passed over the bytes that may stand
    /// before it.
    private var start: Int?
    /// True once a line that names the delimiter would have been passed over.
    private var isBehindSeparatorLine = false
    private var blankLines: UInt64 = 0
    private var detection: DelimiterDetection
    /// The row, once its delimiter is known.
    private var row: HeaderRow?
    /// The offset behind the last byte that `row` has read.
    private var offset = 0
    /// The bytes that were looked at, each as often as it was: two times the header at most.
    package private(set) var work = 0
    /// The quote in which the input has ended, if it takes lines behind the header's first one along.
    package private(set) var unclosedQuote: OpenQuote?
    /// The place behind a line that names the delimiter, and the lines up to there; `nil` if there is no
    /// such line.
    package private(set) var separatorEnd: (bytes: Int, lines: UInt64)?
    /// True if a name of the header is not UTF-8.
    package private(set) var isNotUTF8 = false

    /// Prepares to read a header row.
    /// - Parameters:
    ///   - delimiter: The byte between columns; `nil` to take the one of comma, semicolon, tab and
    ///     bar that occurs most outside quotes, comma when there is none.
    ///   - quotes: The meaning of a quote at the beginning of a name.
    package init(delimiter: UInt8?, quotes: CSVQuotes = .trusted) {
        self.delimiter = delimiter
        self.quotes = quotes
        detection = DelimiterDetection(quotes)
    }

    /// Reads the header row, or goes on with it.
    ///
    /// The parser passes over a byte order mark, blank lines and a line that names the delimiter, and
    /// drops blanks around names; names may be empty or occur twice.
    /// - Parameters:
    ///   - bytes: The input from its first byte: the bytes of the call before, and more.
    ///   - isFinal: True if this is all of the input.
    /// - Returns: The header, or the reason for none.
    package mutating func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool
    ) -> HeaderResult {
        if unsafe bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return .failed(reason: "the input is UTF-16, it has to be UTF-8")
        }
        guard unsafe findStart(in: bytes, isFinal: isFinal) != nil,
            unsafe passSeparatorLine(in: bytes, isFinal: isFinal),
            let start = unsafe findStart(in: bytes, isFinal: isFinal)
        else { return .needsMoreInput }
        if start == bytes.count && isFinal {
            return .failed(reason: "it is empty")
        }
        let end = min(bytes.count, start + Limits.rowBytesMax + 1)
        guard var row = unsafe row ?? beginRow(at: start, in: bytes, to: end, isFinal) else {
            return .needsMoreInput
        }
        while offset < end {
            if let reason = unsafe row.read(bytes[offset]) { return .failed(reason: reason) }
            if offset - start >= Limits.rowBytesMax {
                return .failed(
                    reason: "the header row is longer than \(Limits.rowBytesMax) bytes")
            }
            offset += 1
            work += 1
            guard row.isComplete else { continue }
            return finish(row, consumedBytes: offset)
        }
        self.row = row
        guard isFinal else { return .needsMoreInput }
        if let reason = row.inputEnded() {
            unclosedQuote = unsafe quoteLeftOpen(by: row, in: bytes, from: start)
            return .failed(reason: reason)
        }
        return finish(row, consumedBytes: bytes.count)
    }

    private mutating func finish(_ row: HeaderRow, consumedBytes: Int) -> HeaderResult {
        let result = row.result(consumedBytes: consumedBytes, linesBefore: blankLines)
        if case .failed = result { isNotUTF8 = true }
        return result
    }

    /// Looks for rows in the header, which a quote that was left open has taken for a name.
    ///
    /// The first line, with that quote as an ordinary byte, gives the number of columns.
    /// - Parameters:
    ///   - bytes: The bytes of the call that has read the header.
    ///   - consumedBytes: The bytes of the header, by the result of that call.
    ///   - delimiter: The delimiter of that result.
    ///   - tokenColumn: Returns the number of the token's column among some, counted from 0.
    /// - Returns: The quote; `nil` if quotes are not checked, or no line of the header looks like a row.
    package func openQuote(
        in bytes: UnsafeBufferPointer<UInt8>, consumedBytes: Int, delimiter: UInt8,
        tokenColumn: ([String]) -> Int?
    ) -> OpenQuote? {
        guard quotes == .checked, let start else { return nil }
        var header = unsafe Array(bytes[start..<consumedBytes])
        if header.last == CSVScanner.lineFeed { header.removeLast() }
        if header.last == CSVScanner.carriageReturn { header.removeLast() }
        guard let lineEnd = header.firstIndex(of: CSVScanner.lineFeed) else { return nil }
        var row = HeaderRow(delimiter: delimiter, quotes: quotes)
        for byte in header[..<lineEnd] { _ = row.read(byte) }
        let names = row.namesWithoutOpenQuote
        guard let token = tokenColumn(names) else { return nil }
        let batch = RowBatch(
            inputCapacity: header.count, rowCapacity: 1, slotCount: RowSchema().slotCount)
        let space = unsafe UnsafeMutableBufferPointer(start: batch.bytes, count: header.count)
        _ = unsafe space.update(fromContentsOf: header)
        let rows = SwallowedRows(
            delimiter: delimiter, columnCount: names.count, tokenColumn: token)
        return unsafe rows.find(
            in: batch.bytes, from: 0, to: header.count, firstLine: blankLines + 1, isWhole: true)
    }

    /// Returns the quote that a row has not closed; `nil` if quotes are not checked, or it swallows
    /// no line.
    private func quoteLeftOpen(
        by row: HeaderRow, in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> OpenQuote? {
        guard quotes == .checked, let memory = bytes.baseAddress else { return nil }
        var place = CSVRowSkipper(delimiter: row.delimiter, quotes: quotes)
        _ = unsafe place.skip(memory, from: start, to: bytes.count)
        return place.unclosedQuote(inRowAt: blankLines + 1)
    }

    /// Passes over a byte order mark and blank lines.
    /// - Returns: The offset behind them; `nil` if that needs more input.
    private mutating func findStart(
        in bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool
    ) -> Int? {
        if let start { return start }
        if !isFinal && bytes.count < 3 { return nil }
        if offset == 0 { offset = unsafe ByteOrderMark.count(in: bytes) }
        while let next = unsafe Self.endOfBlankLine(in: bytes.span, at: offset, isFinal: isFinal) {
            work += next - offset
            offset = next
            blankLines += 1
        }
        // A byte that may be the first half of a line end.
        let isUnclear =
            unsafe offset + 1 >= bytes.count
            && bytes.dropFirst(offset).allSatisfy { $0 == CSVScanner.carriageReturn }
        if isUnclear && !isFinal { return nil }
        start = offset
        return offset
    }

    /// Passes over a line such as `sep=;`, by which Excel knows the delimiter.
    /// - Returns: False if that needs more input.
    private mutating func passSeparatorLine(
        in bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool
    ) -> Bool {
        guard !isBehindSeparatorLine, let start else { return true }
        let line = unsafe CSVSeparatorLine(bytes, from: start)
        if line == nil && !isFinal, unsafe CSVSeparatorLine.mayBegin(bytes, from: start) {
            return false
        }
        isBehindSeparatorLine = true
        guard let line else { return true }
        delimiter = delimiter ?? line.delimiter
        // Blank lines may follow it.
        self.start = nil
        offset = line.end
        blankLines += 1
        separatorEnd = (line.end, blankLines)
        return true
    }

    /// - Returns: The row, if the byte between its columns is clear.
    private mutating func beginRow(
        at start: Int, in bytes: UnsafeBufferPointer<UInt8>, to end: Int, _ isFinal: Bool
    ) -> HeaderRow? {
        if let delimiter { return HeaderRow(delimiter: delimiter, quotes: quotes) }
        let before = detection.offset
        unsafe detection.read(bytes, from: start, to: end)
        work += detection.offset - before
        let isAll = isFinal || detection.isDone || end - start > Limits.rowBytesMax
        return isAll ? HeaderRow(delimiter: detection.delimiter, quotes: quotes) : nil
    }

    private static func endOfBlankLine(
        in bytes: Span<UInt8>, at start: Int, isFinal: Bool
    ) -> Int? {
        guard start < bytes.count else { return nil }
        if bytes[start] == CSVScanner.lineFeed { return start + 1 }
        guard bytes[start] == CSVScanner.carriageReturn else { return nil }
        if start + 1 == bytes.count { return isFinal ? start + 1 : nil }
        return bytes[start + 1] == CSVScanner.lineFeed ? start + 2 : nil
    }
}

/// The search for the byte between columns, where the caller has named none: the candidate that
/// occurs most outside quotes.
private struct DelimiterDetection {
    /// The candidates by preference.
    private static let candidates: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|"),
    ]

    private let openingQuote: UInt16
    private var counts = [Int](repeating: 0, count: candidates.count)
    private var isQuoted = false
    private var isFieldStart = true
    private var isBehindReturn = false
    /// The bytes of the line that were seen.
    private(set) var offset = 0
    /// True if the line has ended, or is none because of a return within it.
    private(set) var isDone = false

    init(_ quotes: CSVQuotes) {
        openingQuote = quotes.opening
    }

    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) {
        while start + offset < end && !isDone {
            unsafe read(bytes[start + offset])
            offset += 1
        }
    }

    private mutating func read(_ byte: UInt8) {
        if UInt16(byte) == openingQuote && (isQuoted || isFieldStart) {
            // A doubled quote closes and opens again, which comes to the same.
            isQuoted.toggle()
            isFieldStart = !isQuoted
            return
        }
        if isQuoted { return }
        let isReturn = byte == CSVScanner.carriageReturn
        if byte == CSVScanner.lineFeed || isBehindReturn && !isReturn {
            isDone = true
            return
        }
        isBehindReturn = isReturn
        let candidate = Self.candidates.firstIndex(of: byte)
        if let candidate { counts[candidate] += 1 }
        isFieldStart = candidate != nil
    }

    var delimiter: UInt8 {
        var best = 0
        for index in counts.indices where counts[index] > counts[best] { best = index }
        return Self.candidates[best]
    }
}

/// The header row while it is being read, byte by byte.
private struct HeaderRow {
    private enum State {
        case fieldStart
        case unquoted
        case quoted
        case quoteInQuoted
        /// Behind a carriage return that follows a closing quote.
        case lineEnd
    }

    let delimiter: UInt8
    private let openingQuote: UInt16
    private var state = State.fieldStart
    private var name: [UInt8] = []
    private var names: [[UInt8]] = []
    private var lineFeeds: UInt64 = 0
    private(set) var isComplete = false

    init(delimiter: UInt8, quotes: CSVQuotes) {
        self.delimiter = delimiter
        openingQuote = quotes.opening
    }

    /// Takes the next byte.
    /// - Returns: The fault of the row, if there is one.
    mutating func read(_ byte: UInt8) -> String? {
        if byte == CSVScanner.lineFeed { lineFeeds += 1 }
        switch state {
        case .fieldStart where UInt16(byte) == openingQuote:
            state = .quoted
        case .quoteInQuoted where byte == CSVScanner.quote:
            name.append(byte)
            state = .quoted
        case .quoted where byte == CSVScanner.quote:
            state = .quoteInQuoted
        case .quoted:
            name.append(byte)
        case _ where byte == CSVScanner.lineFeed:
            finishName()
            isComplete = true
        case .fieldStart where byte == delimiter, .unquoted where byte == delimiter,
            .quoteInQuoted where byte == delimiter:
            finishName()
            state = .fieldStart
        case .unquoted where name.last == CSVScanner.carriageReturn && byte != name.last:
            return "its lines end in carriage returns alone, they have to end in line feeds"
        case .fieldStart, .unquoted:
            // The carriage return of a line end is dropped with the blanks around the name.
            name.append(byte)
            state = .unquoted
        case .quoteInQuoted where byte == CSVScanner.carriageReturn:
            state = .lineEnd
        case .quoteInQuoted, .lineEnd:
            return "column \(names.count + 1) of the header has text after its closing quote"
        }
        return nil
    }

    /// Notes that no byte follows.
    /// - Returns: The fault of the row, if there is one.
    mutating func inputEnded() -> String? {
        if state == .quoted {
            return "column \(names.count + 1) of the header has a quote that is never closed"
        }
        finishName()
        lineFeeds += 1
        return nil
    }

    func result(consumedBytes: Int, linesBefore: UInt64) -> CSVHeader.HeaderResult {
        var columns: [String] = []
        for name in names {
            guard let column = String(validating: name, as: UTF8.self) else {
                return .failed(reason: "column \(columns.count + 1) of the header is not UTF-8")
            }
            columns.append(column)
        }
        return .header(
            columns: columns, delimiter: delimiter, consumedBytes: consumedBytes,
            lines: linesBefore + lineFeeds)
    }

    /// The names up to here if the quote that is open is an ordinary byte.
    var namesWithoutOpenQuote: [String] {
        let rest = name.split(separator: delimiter, omittingEmptySubsequences: false)
        return (names + rest.map { Self.trimmed(Array($0)) })
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func finishName() {
        names.append(Self.trimmed(name))
        name.removeAll()
    }

    private static func trimmed(_ name: [UInt8]) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
                || byte == CSVScanner.carriageReturn
        }
        var name = name
        while let last = name.last, isBlank(last) { name.removeLast() }
        return Array(name.drop(while: isBlank))
    }
}
