import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSystem

/// Opening inputs: what an input is, and whether the wanted columns are there.
extension RowSource {
    /// Opens the next input.
    /// - Returns: False when there is none left.
    func openNext() throws(FanfareError) -> Bool {
        guard next < inputs.count else { return false }
        let input = inputs[next]
        let head = try open(input)
        next += 1
        rowCountBefore = rowCount
        rest.removeAll()
        // Which columns are wanted is known before a row is read.
        let rows = try head.rows.map { rows throws(FanfareError) in try openRows(rows, input.name) }
        try read(head, atLeast: next == 1 ? max(4, headBytesWanted ?? 0) : 4)
        if next == 1 { noteHead() }
        if allowsBareTokens && isBlank(head) { return openEmptyList(head) }
        var consumed = 0
        let parser: any RowParser
        switch try format(of: input, head) {
        case .ndjson:
            if let rows {
                parser = rows
                break
            }
            if wantsAllColumns { try want(all: firstKeys(head), of: input.name) }
            try opened(input.name, RowShape(format: .ndjson), header: [])
            if input.isSequence {
                // Its rows know the columns by our names.
                let schema = RowSchema(extra: schema.names)
                current = OpenInput(
                    head, parser: NDJSONParser(schema: schema, firstLine: 1), offset: 0)
                return true
            }
            let found = findsOtherNames ? try otherNames(in: firstKeys(head), of: input.name) : [:]
            parser = NDJSONParser(schema: schema.reading(found), firstLine: 1)
        case .csv: parser = try openCSV(head, consumed: &consumed)
        }
        current = OpenInput(head, parser: parser, offset: UInt64(consumed))
        return true
    }

    /// The lines of a database's rows are NDJSON, but its columns are known as those of CSV are.
    private func openRows(
        _ rows: SQLiteRows, _ name: String
    ) throws(FanfareError) -> NDJSONParser {
        if wantsAllColumns { try want(all: rows.columns, of: name) }
        if next == 1 { notices += rows.notices.map { Statement($0) } }
        let found = try otherNames(in: rows.columns, of: name)
        try check(columns: rows.columns, found, of: name)
        try opened(name, RowShape(format: .ndjson), header: [])
        let schema = schema.reading(found)
        try begin(rows, schema, name)
        return NDJSONParser(schema: schema, firstLine: 1)
    }

    /// Nothing is read but what is wanted: values cost memory before anybody has seen how long they are.
    private func begin(
        _ rows: SQLiteRows, _ schema: RowSchema, _ name: String
    ) throws(FanfareError) {
        if rows.isQuery && !wantsAllColumns && rows.columns.count > Limits.sqliteQueryColumnsMax {
            throw FanfareError(
                .configuration,
                "\(name) cannot be read: \(.query) gives \(rows.columns.count) columns, and "
                    + "\(Limits.sqliteQueryColumnsMax) are the most; let it name those that are wanted"
            )
        }
        let wanted = Set((0..<schema.slotCount).map(schema.inputName))
        do throws(FileError) {
            try rows.begin { wanted.contains($0) }
        } catch {
            throw cannotBeRead(error, name)
        }
    }

    private func cannotBeRead(_ error: FileError, _ name: String) -> FanfareError {
        // A query that is wrong is no fault of the database's.
        FanfareError(
            error.isOfSelection ? .configuration : .input,
            "\(name) cannot be read: \(error.inputReason)")
    }

    /// A list of tokens without any keeps no device from being sent to, which is what it says.
    private func openEmptyList(_ list: TextSource) -> Bool {
        notices.append("\(list.name) is empty: it keeps no device from being sent to")
        rest.removeAll()
        current = OpenInput(
            list,
            parser: CSVParser(
                schema: schema, columns: ["token"], delimiter: UInt8(ascii: ","), firstLine: 1),
            offset: 0)
        return true
    }

    /// Whether there is nothing in an input of which the first bytes were read.
    private func isBlank(_ input: TextSource) -> Bool {
        let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        return unsafe input.isAtEnd && rest.bytes.allSatisfy(blank.contains)
    }

    private func noteHead() {
        head = unsafe Array(rest.bytes.prefix(headBytesWanted ?? Limits.inputHeadBytes))
    }

    private func open(_ input: RowInput) throws(FanfareError) -> TextSource {
        do throws(FileError) {
            let bytes = try ByteSource(input, bytesMax: bytesMax, meter: meter) { [cancellation] in
                cancellation.isSet
            }
            // What is said of text in files is not said of rows that are values.
            let encoding = input.isSequence ? nil : options.encoding?.textEncoding
            return TextSource(bytes, encoding: bytes.rows == nil ? encoding : .utf8)
        } catch {
            throw cannotBeRead(error, input.name)
        }
    }

    /// Reads into `rest` until it holds a number of bytes, or the input is at its end.
    private func read(
        _ input: TextSource, atLeast count: Int
    ) throws(FanfareError) {
        while rest.count < count && !input.isAtEnd {
            let space = Limits.headReadBytes
            do throws(ByteSource.Failure) {
                let read = unsafe try input.read(
                    into: UnsafeMutableRawBufferPointer(start: rest.space(space), count: space))
                rest.commit(read)
            } catch {
                readFault = error
                throw FanfareError(.input, "\(input.name) cannot be read: \(error.reason)")
            }
        }
    }

    private func format(
        of input: RowInput, _ opened: TextSource
    ) throws(FanfareError) -> RowFormat {
        if opened.rows != nil || input.isSequence { return .ndjson }
        if let format = options.format { return format }
        if case .file(let path) = input, let format = RowFormat(ofPath: path) { return format }
        let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        while true {
            if let first = unsafe rest.bytes.first(where: { !blank.contains($0) }) {
                return first == UInt8(ascii: "{") ? .ndjson : .csv
            }
            guard !opened.isAtEnd else {
                throw FanfareError(
                    .input, "\(opened.name) is empty: neither a CSV header nor a row is in it")
            }
            guard rest.count < Limits.rowBytesMax else {
                throw FanfareError(
                    .input, "\(opened.name) has nothing but blanks in its first MiB")
            }
            try read(opened, atLeast: rest.count + 1)
        }
    }

    // MARK: All columns

    private func want(all columns: [String], of name: String) throws(FanfareError) {
        guard columns.count <= Limits.allColumnsMax else {
            throw FanfareError(
                .input,
                "\(name) has \(columns.count) columns, which is too many to read all of them")
        }
        allColumns = columns
        schema = RowSchema(extra: schema.names + columns, mapping: schema.mapping)
    }

    /// The keys of the first line of NDJSON; none if it is no object.
    func firstKeys(_ input: TextSource) throws(FanfareError) -> [String] {
        while true {
            let lines = unsafe rest.bytes.split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let isWhole = unsafe lines.count > 1 || input.isAtEnd
            let first = unsafe lines.dropLast(input.isAtEnd ? 0 : 1).first {
                unsafe $0.contains { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }
            }
            if isWhole, let first = unsafe first {
                let line = unsafe try? JSONValue.parse(UnsafeBufferPointer(rebasing: first))
                guard case .object(let members)? = line else { return [] }
                return members.map { $0.key }
            }
            guard !input.isAtEnd, rest.count < Limits.rowBytesMax else { return [] }
            try read(input, atLeast: rest.count + 1)
        }
    }

    // MARK: CSV

    private func openCSV(
        _ input: TextSource, consumed: inout Int
    ) throws(FanfareError) -> CSVParser {
        guard options.hasHeader else {
            let found = try otherNames(in: options.columns, of: input.name)
            try check(columns: options.columns, found, of: input.name)
            let delimiter = options.delimiter ?? UInt8(ascii: ",")
            try opened(
                input.name,
                RowShape(format: .csv, columns: options.columns, delimiter: delimiter), header: [])
            return CSVParser(
                schema: schema.reading(found), columns: options.columns, delimiter: delimiter,
                firstLine: 1, quotes: options.quotes.meaning)
        }
        var header = CSVHeader(delimiter: options.delimiter, quotes: options.quotes.meaning)
        while true {
            switch unsafe header.parse(rest.bytes, isFinal: input.isAtEnd) {
            case .header(let columns, let delimiter, let count, let lines):
                if allowsBareTokens, columns.count == 1, Self.isToken(columns[0], bytesMin: 8) {
                    return CSVParser(
                        schema: schema, columns: ["token"], delimiter: delimiter, firstLine: 1,
                        quotes: options.quotes.meaning)
                }
                let quote = unsafe header.openQuote(
                    in: rest.bytes, consumedBytes: count, delimiter: delimiter,
                    tokenColumn: { tokenColumn(of: $0) })
                if let quote { throw quote.error(in: input.name, isUpToThem: !quotesAreFixed) }
                if wantsAllColumns { try want(all: columns, of: input.name) }
                let found = try otherNames(in: columns, of: input.name)
                try check(columns: columns, found, of: input.name)
                try opened(
                    input.name,
                    RowShape(format: .csv, columns: columns, delimiter: delimiter),
                    header: unsafe Array(rest.bytes.prefix(count))[...])
                rest.removeFirst(count)
                consumed = count
                return CSVParser(
                    schema: schema.reading(found), columns: columns, delimiter: delimiter,
                    firstLine: 1 + lines, quotes: options.quotes.meaning)
            case .failed(let reason):
                if let quote = header.unclosedQuote {
                    throw quote.error(
                        in: input.name, isUpToThem: !quotesAreFixed, isInHeader: true)
                }
                throw FanfareError(.input, "\(input.name) has no usable header: \(reason)")
            case .needsMoreInput:
                guard rest.count < Limits.rowBytesMax else {
                    throw FanfareError(
                        .input, "\(input.name) has no header row within its first MiB")
                }
                try read(input, atLeast: rest.count + 1)
            }
        }
    }

    /// Which of some columns is the token's; `nil` if none is, or several may be.
    private func tokenColumn(of columns: [String]) -> Int? {
        let found = (try? ColumnNames.found(in: columns, for: schema)) ?? [:]
        let token = RowSchema.Known.token
        let other = findsOtherNames ? found[token.name] : nil
        return columns.firstIndex(of: other ?? schema.inputName(ofSlot: token.slot))
    }

    /// What is wanted has to be there, once.
    private func check(
        columns: [String], _ found: [String: String], of name: String
    ) throws(FanfareError) {
        for (column, wantedBy) in required {
            let wanted = found[column] ?? options.mapping[column] ?? column
            let count = columns.count(where: { $0 == wanted })
            if count == 1 { continue }
            if count > 1 {
                throw FanfareError(.input, "\(name) has \(count) columns named '\(wanted)'")
            }
            let advice: Statement =
                if columns.contains(where: { $0.utf8.contains(0) }) {
                    "That looks like UTF-16: \(.encoding, RowEncoding.utf16LittleEndian), or "
                        + "utf-16be"
                } else if columns.first?.hasPrefix("[") == true {
                    "That looks like a JSON array; rows in JSON are NDJSON: one object on each line, "
                        + "without brackets around them and commas between them (jq -c '.[]' makes it)"
                } else if allowsBareTokens {
                    "A list has a column 'token', or one token a line and nothing else"
                } else if columns.contains(where: { Self.isToken($0) }) {
                    "That looks like a row; for a file without a header: "
                        + "\(.noHeader) \(.columns, any: "LIST")"
                } else {
                    "To use one under another name: \(.mapping, of: column, is: "NAME")"
                }
            throw FanfareError(
                .input,
                "\(name) has no column '\(wanted)', which \(wantedBy); its columns: "
                    + "\(Self.list(columns)). \(advice)")
        }
    }

    /// Whether a column's name is as long as a token, and written like one.
    private static func isToken(_ name: String, bytesMin: Int = 64) -> Bool {
        var name = name
        return name.utf8.count >= bytesMin
            && name.withUTF8 { unsafe HeaderRules.problem(token: $0) == nil }
    }

    /// The columns as a message may show them.
    ///
    /// A file without a header has tokens where names are expected, and no message shows a whole
    /// token: 32 characters are enough of any name.
    static func list(_ columns: [String]) -> String {
        if columns.isEmpty { return "none" }
        return TerminalText.shown(
            columns.map { TerminalText.shown($0, max: 32) }.joined(separator: ", "), max: 200)
    }
}
