/// Reads the first row of a CSV input: the names of its columns, and what separates them.
package enum CSVHeader {
    package enum HeaderResult: Equatable, Sendable {
        /// The header row is not complete; call again with more of the input, from its first byte.
        case needsMoreInput
        /// The header row is read. Rows begin behind `consumedBytes`, on line `lines + 1`.
        case header(columns: [String], delimiter: UInt8, consumedBytes: Int, lines: UInt64)
        /// There is no usable header row; the reason is a phrase for the user.
        case failed(reason: String)
    }

    /// What separates columns where nothing was said, by preference.
    private static let candidates: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|"),
    ]

    /// Reads the header row.
    ///
    /// A byte order mark and blank lines before it are passed over. Blanks around names are
    /// dropped; names may be empty or occur twice.
    /// - Parameters:
    ///   - bytes: The input from its first byte.
    ///   - isFinal: Whether this is all of the input.
    ///   - delimiter: What separates columns; `nil` to take the one of comma, semicolon, tab and
    ///     bar that occurs most outside quotes, comma when there is none.
    /// - Returns: The header, or what stands in its way.
    package static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool, delimiter: UInt8?
    ) -> HeaderResult {
        if unsafe bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return .failed(reason: "the input is UTF-16, it has to be UTF-8")
        }
        var start = unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var blankLines: UInt64 = 0
        while let next = unsafe endOfBlankLine(in: bytes, at: start, isFinal: isFinal) {
            start = next
            blankLines += 1
        }
        if start == bytes.count && isFinal {
            return .failed(reason: "the input has no header row")
        }
        let delimiter = unsafe delimiter ?? detectDelimiter(in: bytes, from: start)
        var row = HeaderRow(delimiter: delimiter)
        for offset in start..<bytes.count {
            if let reason = unsafe row.read(bytes[offset]) { return .failed(reason: reason) }
            if offset - start >= Limits.rowBytesMax {
                return .failed(
                    reason: "the header row is longer than \(Limits.rowBytesMax) bytes")
            }
            guard row.isComplete else { continue }
            return row.result(
                delimiter: delimiter, consumedBytes: offset + 1, linesBefore: blankLines)
        }
        guard isFinal else { return .needsMoreInput }
        if let reason = row.inputEnded() { return .failed(reason: reason) }
        return row.result(
            delimiter: delimiter, consumedBytes: bytes.count, linesBefore: blankLines)
    }

    private static func endOfBlankLine(
        in bytes: UnsafeBufferPointer<UInt8>, at start: Int, isFinal: Bool
    ) -> Int? {
        guard start < bytes.count else { return nil }
        if unsafe bytes[start] == CSVScanner.lineFeed { return start + 1 }
        guard unsafe bytes[start] == CSVScanner.carriageReturn else { return nil }
        if start + 1 == bytes.count { return isFinal ? start + 1 : nil }
        return unsafe bytes[start + 1] == CSVScanner.lineFeed ? start + 2 : nil
    }

    /// The candidate that occurs most outside quotes in the line at `start`.
    private static func detectDelimiter(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> UInt8 {
        var counts = [Int](repeating: 0, count: candidates.count)
        var isQuoted = false
        var isFieldStart = true
        for offset in start..<bytes.count {
            let byte = unsafe bytes[offset]
            if byte == CSVScanner.quote && (isQuoted || isFieldStart) {
                // A doubled quote closes and opens again, which comes to the same.
                isQuoted.toggle()
                isFieldStart = !isQuoted
                continue
            }
            if isQuoted { continue }
            if byte == CSVScanner.lineFeed { break }
            let candidate = candidates.firstIndex(of: byte)
            if let candidate { counts[candidate] += 1 }
            isFieldStart = candidate != nil
        }
        var best = 0
        for index in counts.indices where counts[index] > counts[best] { best = index }
        return candidates[best]
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

    private let delimiter: UInt8
    private var state = State.fieldStart
    private var name: [UInt8] = []
    private var names: [[UInt8]] = []
    private var lineFeeds: UInt64 = 0
    private(set) var isComplete = false

    init(delimiter: UInt8) {
        self.delimiter = delimiter
    }

    /// Takes the next byte.
    /// - Returns: What is wrong with the row, if anything.
    mutating func read(_ byte: UInt8) -> String? {
        if byte == CSVScanner.lineFeed { lineFeeds += 1 }
        switch state {
        case .fieldStart where byte == CSVScanner.quote:
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

    /// Takes note that no byte follows.
    /// - Returns: What is wrong with the row, if anything.
    mutating func inputEnded() -> String? {
        if state == .quoted {
            return "column \(names.count + 1) of the header has a quote that is never closed"
        }
        finishName()
        lineFeeds += 1
        return nil
    }

    func result(
        delimiter: UInt8, consumedBytes: Int, linesBefore: UInt64
    ) -> CSVHeader.HeaderResult {
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

    private mutating func finishName() {
        func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
                || byte == CSVScanner.carriageReturn
        }
        while let last = name.last, isBlank(last) { name.removeLast() }
        names.append(Array(name.drop(while: isBlank)))
        name.removeAll()
    }
}
