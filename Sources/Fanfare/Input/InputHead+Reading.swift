import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSystem

extension InputHead {
    /// Reads the beginning of an input, and goes to its first row.
    /// - Parameters:
    ///   - text: The input, at its beginning.
    ///   - spec: The settings for reading it.
    ///   - first: The first of several inputs, if this is another one.
    /// - Throws: `FanfareError` with code `input`, or with code `configuration` about a query.
    init(
        of text: TextSource, _ spec: InputSpec, behind first: InputHead? = nil
    ) throws(FanfareError) {
        var reading = HeadReading(
            text: text, spec: spec, first: first,
            head: InputHead(name: text.name, schema: spec.schema))
        try reading.read()
        self = reading.head
    }
}

/// Detects the format of an input, and checks that the wanted columns are there.
private struct HeadReading {
    let text: TextSource
    let spec: InputSpec
    let first: InputHead?
    var head: InputHead

    mutating func read() throws(FanfareError) {
        // The wanted columns are known before a row is read.
        if let rows = text.rows { try begin(rows) }
        try text.read(toHand: first == nil ? max(4, spec.headBytes ?? 0) : 4)
        head.beginning = unsafe Array(
            text.atHand.bytes.prefix(spec.headBytes ?? Limits.inputHeadBytes))
        if unsafe spec.isTokenList && text.isAtEnd && text.atHand.bytes.allSatisfy(Self.isBlank) {
            return takeEmptyList()
        }
        if text.rows == nil { try refuseForeign() }
        head.format = try format()
        switch head.format {
        case .ndjson: if text.rows == nil { try readFirstLine() }
        case .csv: if spec.options.hasHeader { try readHeader() } else { try takeNamedColumns() }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        " \t\n\r".utf8.contains(byte) || ByteOrderMark.bytes.contains(byte)
    }

    /// True for bytes that no text has.
    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && !"\t\n\u{0B}\u{0C}\r\u{1B}".utf8.contains(byte)
    }

    /// A list without any tokens keeps no device from being sent to; the user is warned of that.
    private mutating func takeEmptyList() {
        head.notices.append("\(head.name) is empty: it keeps no device from being sent to")
        head.format = .csv
        head.columns = ["token"]
        text.atHand.removeAll()
    }

    /// Refuses a file that is no text, or is in an encoding that only its zeros tell.
    private func refuseForeign() throws(FanfareError) {
        if let kind = unsafe FileKind(of: text.atHand.bytes) {
            throw FanfareError(.input, "\(head.name) is \(kind.name)" + advice(on: kind))
        }
        guard text.takesForUTF8, let encoding = unsafe TextEncoding(zerosIn: text.atHand.bytes),
            let known = RowEncoding(rawValue: encoding.rawValue)
        else { return }
        throw FanfareError(
            .input,
            spec.isTokenList
                ? "\(head.name) looks like UTF-16: iconv -f \(known.rawValue) -t UTF-8 converts it"
                : "\(head.name) looks like UTF-16 without a byte order mark: \(.encoding, known)")
    }

    private func advice(on kind: FileKind) -> Statement {
        switch kind {
        case .excelWorkbook, .oldExcelWorkbook, .openDocument:
            ": save it as CSV, in Excel as CSV UTF-8"
        case .zip, .tar: ": take the file with the rows out of it"
        case .compressed: ": decompress it first"
        case .sqlite where spec.isTokenList:
            ": write its tokens to a file, one a line (sqlite3 FILE 'SELECT token FROM …')"
        case .sqlite:
            ": \(.database) reads it, with \(.table, any: "NAME") or "
                + "\(.query, any: "SELECT")"
        case .html: ", which somebody may have got in place of the rows: a login, or an error"
        case .parquet, .pdf, .other: ": rows are CSV or NDJSON"
        }
    }

    private func format() throws(FanfareError) -> RowFormat {
        if text.rows != nil || text.input.isSequence { return .ndjson }
        if let format = spec.options.format { return format }
        if case .file(let path) = text.input, let format = RowFormat(ofPath: path) { return format }
        while true {
            if let first = unsafe text.atHand.bytes.first(where: { !Self.isBlank($0) }) {
                return first == UInt8(ascii: "{") ? .ndjson : .csv
            }
            guard !text.isAtEnd else {
                throw FanfareError(
                    .input, "\(head.name) is empty: neither a CSV header nor a row is in it")
            }
            guard text.atHand.count < Limits.rowBytesMax else {
                throw FanfareError(
                    .input, "\(head.name) has nothing but blanks in its first MiB")
            }
            try text.read(toHand: text.atHand.count + 1)
        }
    }

    // MARK: Databases and NDJSON

    /// The lines of a database's rows are NDJSON, but its columns are known as those of CSV are.
    private mutating func begin(_ rows: SQLiteRows) throws(FanfareError) {
        head.notices = rows.notices.map { Statement($0) }
        try take(rows.columns)
        // The query may return only wanted columns: values cost memory before their length is
        // known.
        if rows.isQuery && !spec.wantsAllColumns
            && rows.columns.count > Limits.sqliteQueryColumnsMax
        {
            throw FanfareError(
                .configuration,
                "\(head.name) cannot be read: \(.query) gives \(rows.columns.count) columns, and "
                    + "\(Limits.sqliteQueryColumnsMax) are the most; let it name those that are wanted"
            )
        }
        let wanted = Set((0..<head.schema.slotCount).map(head.schema.inputName))
        try told({ $0.inputError(head.name) }) { () throws(FileError) in
            try rows.begin { wanted.contains($0) }
        }
    }

    private mutating func readFirstLine() throws(FanfareError) {
        try checkFit()
        if text.input.isSequence {
            // Its rows know the columns by our names.
            head.schema = RowSchema(extra: spec.schema.names)
        } else if spec.wantsAllColumns || spec.findsOtherNames {
            head.columns = try firstKeys()
            try wantAllColumns()
            try findOtherNames()
        }
    }

    /// The keys of the first line of NDJSON; none if it is no object.
    private func firstKeys() throws(FanfareError) -> [String] {
        while true {
            let lines = unsafe text.atHand.bytes.split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let isWhole = unsafe lines.count > 1 || text.isAtEnd
            let first = unsafe lines.dropLast(text.isAtEnd ? 0 : 1).first {
                unsafe $0.contains { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }
            }
            if isWhole, let first = unsafe first {
                let line = unsafe try? JSONValue.parse(UnsafeBufferPointer(rebasing: first))
                guard case .object(let members)? = line else { return [] }
                return members.map { $0.key }
            }
            guard !text.isAtEnd, text.atHand.count < Limits.rowBytesMax else { return [] }
            try text.read(toHand: text.atHand.count + 1)
        }
    }

    // MARK: CSV

    private mutating func takeNamedColumns() throws(FanfareError) {
        try text.read(toHand: CSVSeparatorLine.bytesMax)
        let mark = unsafe ByteOrderMark.count(in: text.atHand.bytes)
        let line = unsafe CSVSeparatorLine(text.atHand.bytes, from: mark)
        head.delimiter = spec.options.delimiter ?? line?.delimiter ?? head.delimiter
        try take(spec.options.columns)
        if let line { passHeader(bytes: line.end, lines: 1) }
    }

    private mutating func readHeader() throws(FanfareError) {
        var header = CSVHeader(
            delimiter: spec.options.delimiter, quotes: spec.options.quotes.meaning)
        while true {
            switch unsafe header.parse(text.atHand.bytes, isFinal: text.isAtEnd) {
            case .header(let columns, let delimiter, let count, let lines):
                head.delimiter = delimiter
                if spec.isTokenList, columns.count == 1, Self.isInList(columns[0]) {
                    head.columns = ["token"]
                    if let (bytes, lines) = header.separatorEnd {
                        passHeader(bytes: bytes, lines: lines)
                    }
                    return
                }
                let quote = unsafe header.openQuote(
                    in: text.atHand.bytes, consumedBytes: count, delimiter: delimiter,
                    tokenColumn: { tokenColumn(of: $0) })
                if let quote { throw quote.error(in: head.name, isUpToThem: !spec.isTokenList) }
                try take(columns)
                passHeader(bytes: count, lines: lines)
                return
            case .failed(let reason):
                if let quote = header.unclosedQuote {
                    throw quote.error(
                        in: head.name, isUpToThem: !spec.isTokenList, isInHeader: true)
                }
                if unsafe TextEncoding(byteOrderMark: text.atHand.bytes) == nil,
                    unsafe text.atHand.bytes.prefix(512).contains(where: Self.isControl)
                {
                    throw FanfareError(
                        .input, "\(head.name) is no text: rows are CSV or NDJSON")
                }
                throw FanfareError(
                    .input,
                    "\(head.name) has no usable header: \(reason)"
                        + (header.isNotUTF8 ? adviceOnEncoding : ""))
            case .needsMoreInput:
                guard text.atHand.count < Limits.rowBytesMax else {
                    throw FanfareError(
                        .input, "\(head.name) has no header row within its first MiB")
                }
                try text.read(toHand: text.atHand.count + 1)
            }
        }
    }

    /// Advice on a header that is not UTF-8.
    private var adviceOnEncoding: Statement {
        guard !text.isConverted else { return "" }
        var foreign = ForeignText()
        unsafe foreign.add(text.atHand.bytes)
        return RowReader.OtherEncoding.advice(foreign.encoding, isUpToThem: !spec.isTokenList)
    }

    private mutating func passHeader(bytes: Int, lines: UInt64) {
        head.header = unsafe Array(text.atHand.bytes.prefix(bytes))
        // The last line of a file may go without its end, but not in front of rows.
        if head.header.last != UInt8(ascii: "\n") { head.header.append(UInt8(ascii: "\n")) }
        head.firstRow = (offset: bytes, line: 1 + lines)
        text.atHand.removeFirst(bytes)
    }

    /// Returns the one of some columns that has the tokens; `nil` if none has, or several may have.
    private func tokenColumn(of columns: [String]) -> Int? {
        let found = (try? ColumnNames.found(in: columns, for: spec.schema)) ?? [:]
        let token = RowSchema.Known.token
        let other = spec.findsOtherNames ? found[token.name] : nil
        return columns.firstIndex(of: other ?? spec.schema.inputName(ofSlot: token.slot))
    }

    // MARK: Columns

    /// Takes the columns of all rows.
    private mutating func take(_ columns: [String]) throws(FanfareError) {
        head.columns = columns
        head.areColumnsFixed = true
        try wantAllColumns()
        try findOtherNames()
        try checkRequired()
        try checkFit()
    }

    private mutating func wantAllColumns() throws(FanfareError) {
        guard spec.wantsAllColumns else { return }
        guard head.columns.count <= Limits.allColumnsMax else {
            throw FanfareError(
                .input,
                "\(head.name) has \(head.columns.count) columns, which is too many to read all of "
                    + "them")
        }
        head.schema = RowSchema(
            extra: head.schema.names + head.columns, mapping: head.schema.mapping)
    }

    /// Looks for columns under names that others give them.
    private mutating func findOtherNames() throws(FanfareError) {
        guard spec.findsOtherNames else { return }
        let found: [String: String]
        do throws(ColumnNames.Ambiguity) {
            found = try ColumnNames.found(
                in: head.columns, for: head.schema, findsProvider: spec.findsProvider)
        } catch {
            let candidates = error.candidates.map { "'\(TerminalText.shown($0, max: 32))'" }
            throw FanfareError(
                .input,
                "\(head.name) has no column '\(error.column)', and more than one that may be it: "
                    + "\(candidates.joined(separator: ", ")). "
                    + "\(.mapping, ofFound: error.column, is: error.candidates[0]) takes the first")
        }
        head.schema = head.schema.reading(found)
        for (ours, theirs) in found.sorted(by: { $0.key < $1.key }) {
            let values = ours == RowSchema.Known.token.name ? "tokens" : ours
            head.notices.append(
                "reading \(values) from column '\(TerminalText.shown(theirs, max: 32))' of "
                    + "\(head.name)")
        }
    }

    /// Checks that each required column is there, once.
    private func checkRequired() throws(FanfareError) {
        for (column, wantedBy) in spec.required {
            let wanted = head.schema.mapping[column] ?? column
            let count = head.columns.count(where: { $0 == wanted })
            if count == 1 { continue }
            if count > 1 {
                throw FanfareError(.input, "\(head.name) has \(count) columns named '\(wanted)'")
            }
            throw FanfareError(
                .input,
                "\(head.name) has no column '\(wanted)', which \(wantedBy); its columns: "
                    + "\(InputHead.list(head.columns)). \(advice(onMissing: column))")
        }
    }

    private func advice(onMissing column: String) -> Statement {
        if head.columns.contains(where: { $0.utf8.contains(0) }) {
            "That looks like UTF-16: \(.encoding, RowEncoding.utf16LittleEndian), or utf-16be"
        } else if head.columns.first?.hasPrefix("[") == true {
            "That looks like a JSON array, which is read if it has objects, as in "
                + "[{\"token\":\"…\"}], and if neither its name nor \(.format) says that it is CSV"
        } else if spec.isTokenList {
            "A list has a column 'token', or one token a line and nothing else. If the first line is a "
                + "token, put the line 'token' before it"
        } else if head.columns.contains(where: { Self.isToken($0) }) {
            "That looks like a row; for a file without a header: "
                + "\(.noHeader) \(.columns, any: "LIST")"
        } else {
            "To use one under another name: \(.mapping, ofFound: column, is: nearest(to: column))"
        }
    }

    /// The column that a name may stand for, if there is one; else a word for any.
    private func nearest(to column: String) -> String {
        let tokens = tokenColumn(of: head.columns)
        let others = head.columns.indices.filter { $0 != tokens }
        let names = others.map { head.columns[$0].lowercased() }
        let near = NearWords.nearest(to: column.lowercased(), among: names)
        guard near.count == 1, let place = names.firstIndex(of: near[0]) else { return "NAME" }
        return head.columns[others[place]]
    }

    /// Returns true if a column's name is as long as a token, and written like one.
    private static func isToken(_ name: String, bytesMin: Int = 64) -> Bool {
        var name = name
        return name.utf8.count >= bytesMin
            && name.withUTF8 { unsafe HeaderRules.problem(token: $0) == nil }
    }

    /// Returns true if the only field of a list's first line is a token of some provider, and no name.
    ///
    /// Names of columns are words. Tokens have digits, or a mark that no name has: `:` in those of FCM,
    /// brackets in Expo's, slashes in addresses. Mail addresses may have digits, too.
    private static func isInList(_ field: String) -> Bool {
        let written = Array(field.utf8)
        let (digits, range) = unsafe written.withUnsafeBufferPointer {
            unsafe (WrittenToken.digits(in: $0), WrittenToken.range(in: $0))
        }
        if digits > 0 { return true }
        let bytes = written[range]
        guard bytes.count >= 8, bytes.allSatisfy({ 0x21...0x7E ~= $0 }),
            !bytes.contains(UInt8(ascii: "@"))
        else { return false }
        return isToken(String(decoding: bytes, as: UTF8.self), bytesMin: 8)
            || bytes.contains { 0x30...0x39 ~= $0 || ":[/".utf8.contains($0) }
    }

    private func checkFit() throws(FanfareError) {
        guard spec.wantsOneShape, let first, let difference = head.difference(from: first) else {
            return
        }
        throw FanfareError(
            .input,
            "the rows of \(first.name) and \(head.name) cannot go into one \(.retryRowsPath) file: "
                + Statement(difference) + "; send them in two jobs")
    }
}
