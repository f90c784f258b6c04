import FanfareCore
import Testing

/// Quotes that were left open are told from those of fields with several lines.
@Suite struct OpenQuoteTests {
    private struct Reading: Equatable {
        var lines: [UInt64]
        var quote: OpenQuote?
    }

    private static let columns = ["token", "name", "id"]

    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "a", count: 64 - digits.count) + digits
    }

    /// Reads text behind a header on line 1, in pieces of some size.
    private func read(
        _ text: String, columns: [String] = Self.columns, quotes: CSVQuotes = .checked,
        piece: Int = .max, capacity: Int = 1 << 16, delimiter: Character = ","
    ) -> Reading {
        let (input, schema) = (Array(text.utf8), RowSchema(extra: columns))
        var parser = CSVParser(
            schema: schema, columns: columns, delimiter: delimiter.asciiValue ?? 0, firstLine: 2,
            quotes: quotes)
        var reading = Reading(lines: [])
        var (offset, rest) = (0, [UInt8]())
        while true {
            let batch = RowBatch(
                inputCapacity: capacity, rowCapacity: 8, slotCount: schema.slotCount)
            for byte in rest { append(byte, to: batch) }
            defer {
                reading.lines += (0..<batch.rowCount).map { batch.rows[$0].line }
                rest = (batch.parsed..<batch.inputEnd).map { batch.bytes[$0] }
            }
            while true {
                let end = min(input.count, offset + min(piece, capacity - batch.inputEnd))
                for byte in input[offset..<end] { append(byte, to: batch) }
                offset = end
                switch parser.parse(batch, isFinal: offset == input.count) {
                case .quoteIsOpen(let quote): reading.quote = quote
                case .batchFull: break
                case .needsInput:
                    if batch.inputEnd < capacity && offset < input.count { continue }
                    guard batch.inputEnd == capacity, batch.rowCount == 0, batch.parsed == 0 else {
                        break
                    }
                    reading.quote = parser.abandonRow(in: batch)
                }
                break
            }
            let isOver = offset == input.count && batch.parsed == batch.inputEnd
            if reading.quote != nil || isOver {
                return Reading(
                    lines: reading.lines + (0..<batch.rowCount).map { batch.rows[$0].line },
                    quote: reading.quote)
            }
        }
    }

    private func append(_ byte: UInt8, to batch: RowBatch) {
        batch.bytes[batch.inputEnd] = byte
        batch.inputEnd += 1
    }

    /// Reads it in several ways, which come to the same.
    private func expect(
        _ text: String, columns: [String] = Self.columns, delimiter: Character = ",",
        _ quote: OpenQuote?, lines: [UInt64]? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for piece in [Int.max, 1, 7, 64] {
            let reading = read(text, columns: columns, piece: piece, delimiter: delimiter)
            #expect(reading.quote == quote, "pieces of \(piece)", sourceLocation: sourceLocation)
            guard let lines else { continue }
            #expect(reading.lines == lines, sourceLocation: sourceLocation)
        }
        let trusted = read(text, columns: columns, quotes: .trusted, delimiter: delimiter)
        #expect(trusted.quote == nil, sourceLocation: sourceLocation)
    }

    // MARK: Left open

    private static let rows = (3...9).map { "\(token($0)),Ann,u\($0)\n" }.joined()

    @Test func `to the end of the input`() {
        let text = "\(Self.token(1)),Ann,u1\n\(Self.token(2)),\"Ann,u2\n" + Self.rows
        expect(text, OpenQuote(line: 3, column: 2, swallowedLine: 4), lines: [2])
        let withReturns = text.split(separator: "\n").joined(separator: "\r\n")
        expect(withReturns, OpenQuote(line: 3, column: 2, swallowedLine: 4), lines: [2])
    }

    @Test func `before the token`() {
        expect(
            "\"\(Self.token(2)),Ann,u2\n" + Self.rows,
            OpenQuote(line: 2, column: 1, swallowedLine: 3), lines: [])
    }

    @Test func `up to the next quote, with text behind it`() {
        expect(
            "\(Self.token(1)),\"Ann,u1\n\(Self.token(2)),\"Bob\",u2\n",
            OpenQuote(line: 2, column: 2, swallowedLine: 3), lines: [])
    }

    /// The line is a row only if its own quotes are ordinary bytes.
    @Test func `up to a line with a quote that was left open, too`() {
        expect(
            "\(Self.token(1)),\"Ann,u1\n\(Self.token(2)),\"Bob,u2\n",
            OpenQuote(line: 2, column: 2, swallowedLine: 3), lines: [])
    }

    /// 32 digits, the fewest that a token is known by, and nothing in the other columns.
    @Test func `over the shortest line that looks like a row`() {
        let token = String(repeating: "a", count: 32)
        expect(
            "\(Self.token(1)),\"Ann,u1\n\(token),,\nx\",u3\n",
            OpenQuote(line: 2, column: 2, swallowedLine: 3), lines: [])
        // One with 31 may be a text.
        expect("\(Self.token(1)),\"Ann,u1\n\(token.dropLast()),,\nx\",u3\n", nil, lines: [2])
    }

    /// An inch at the end of a field closes what was opened long before: the row has as many fields as
    /// the header, and nothing is wrong with it.
    @Test func `up to a quote that ends a field`() {
        expect(
            "\(Self.token(1)),\"Ann,u1\n" + Self.rows + "\(Self.token(2)),5\",u2\n",
            OpenQuote(line: 2, column: 2, swallowedLine: 3), lines: [])
        expect(
            "\(Self.token(1)),\"Ann,u1\n\(Self.token(2)),5\",u2\n",
            OpenQuote(line: 2, column: 2, swallowedLine: 3), lines: [])
    }

    @Test func `where all fields are quoted and one closing quote is missing`() {
        let rows = (2...5).map { "\"\(Self.token($0))\",\"Doe, Ann\",\"u\($0)\"\n" }.joined()
        expect(
            "\"\(Self.token(1))\",\"Doe, Ann\",\"u1\n" + rows,
            OpenQuote(line: 2, column: 3, swallowedLine: 3), lines: [])
    }

    @Test func `in a list of tokens`() {
        let tokens = (2...5).map { "\(Self.token($0))\n" }.joined()
        expect(
            "\"\(Self.token(1))\n" + tokens, columns: ["token"],
            OpenQuote(line: 2, column: 1, swallowedLine: 3), lines: [])
    }

    @Test func `with the token in another column, and other delimiters`() {
        let rows = (2...5).map { "u\($0);\"Doe; Ann\";\(Self.token($0))\r\n" }.joined()
        expect(
            "u1;\"Ann;\(Self.token(1))\r\n" + rows, columns: ["id", "name", "token"],
            delimiter: ";", OpenQuote(line: 2, column: 2, swallowedLine: 3), lines: [])
    }

    @Test func `behind a field that has several lines`() {
        expect(
            "\(Self.token(1)),\"An\nn\",\"u1\n" + Self.rows,
            OpenQuote(line: 3, column: 3, swallowedLine: 4), lines: [])
    }

    /// It is longer than a row may be, and none of it is given up.
    @Test func `in a row that is too long`() {
        let text = "\(Self.token(1)),\"Ann,u1\n" + Self.rows + Self.rows
        for piece in [Int.max, 1, 50] {
            let reading = read(text, piece: piece, capacity: 512)
            #expect(reading.quote == OpenQuote(line: 2, column: 2, swallowedLine: 3))
            #expect(reading.lines == [])
        }
    }

    // MARK: Never closed

    /// The text behind a row on line 2, and the number of lines that its quote on line 3 takes
    /// along.
    static let endings: [(text: String, column: Int, count: UInt64)] = [
        // Another number of fields, and no token.
        ("1a,\"Ann,u1\n2b\n3c,Cid,u3,x\n", 2, 2),
        // Tokens that are too short to be known again.
        ("1a,\"Ann,u1\n2b,Bob,u2\n", 2, 1), ("1a,\"Ann,u1\n2b,Bob,u2", 2, 1),
        ("\"1a,Ann,u1\n2b,Bob,u2\n3c,Cid,u3\n", 1, 2),
        // Blank lines count only where something is behind them.
        ("1a,Ann,\"u1\n\nx\n\n\r\n", 3, 2),
        // A payload that was cut off.
        ("1a,\"{\n  \"\"aps\"\": {\n    \"\"badge\"\": 1", 2, 2),
        // The second half of a doubled quote closes nothing.
        ("1a,Ann,\"u1\n\"\"", 3, 1),
    ]

    /// RFC 4180 has a closing quote for each opening one, so no such line needs to look like a row.
    @Test(arguments: endings)
    func `a quote that nothing closes takes every line along`(
        _ text: String, _ column: Int, _ count: UInt64
    ) {
        let quote = OpenQuote(line: 3, column: column, lineCountToEnd: count)
        let before = "\(Self.token(1)),Ann,u1\n"
        expect(before + text, quote, lines: [2])
        let withReturns = text.replacing("\n", with: "\r\n")
        expect(before + withReturns, quote, lines: [2])
    }

    @Test func `a quote that nothing closes behind a field of several lines`() {
        expect(
            "1a,\"An\nn\",\"u1\nx\n", OpenQuote(line: 3, column: 3, lineCountToEnd: 1), lines: [])
    }

    @Test func `a quote that nothing closes where no column is the token's`() {
        expect(
            "1,\"Ann\n2,Bob\n", columns: ["id", "name"],
            OpenQuote(line: 2, column: 2, lineCountToEnd: 1), lines: [])
    }

    /// Longer than a row may be: it is a row only if the quote is closed at last.
    @Test(arguments: [Int.max, 1, 50])
    func `a row that is too long is told when its end is known`(piece: Int) {
        let text = "1a,\"Ann,u1\n" + String(repeating: "2b\n", count: 300)
        let quote = OpenQuote(line: 2, column: 2, lineCountToEnd: 300)
        let open = read(text, piece: piece, capacity: 512)
        #expect(open == Reading(lines: [], quote: quote))
        // The closing quote stands on line 303.
        let closed = read(text + "\",u1\n\n3c,Cid,u3\n", piece: piece, capacity: 512)
        #expect(closed == Reading(lines: [2, 305]))
        #expect(read(text + "\",u1", piece: piece, capacity: 512) == Reading(lines: [2]))
        let trusted = read(text, quotes: .trusted, piece: piece, capacity: 512)
        #expect(trusted == Reading(lines: [2]))
    }

    // MARK: Meant

    @Test func `texts of several lines`() {
        for text in [
            "\(Self.token(1)),\"Ann,\nBob\nand others,\n\",u1\n",
            "\(Self.token(1)),\"\n\n\n\",\"a\n\"\n\(Self.token(2)),x,y\n",
            // As many fields as the header, and what is in the token's place is hexadecimal.
            "\(Self.token(1)),\"12,5,7\nface,b,c\n\"\"00\"\",1,2\",u1\n",
            // A token, and not as many fields.
            "\(Self.token(1)),\"as in\n\(Self.token(2))\nand\ntwice\n\",u1\n",
            "\(Self.token(1)),\"as in\n\(Self.token(2)),a,b,c\",u1\n",
        ] {
            expect(text, nil)
        }
    }

    @Test func `payloads that are pretty-printed`() {
        let payload = """
            {
              "aps": {
                "alert": {"title": "Hi", "body": "all"},
                "badge": 12,
                "thread-id": "\(Self.token(7))"
              },
              "list": [
                1,2,
                "\(Self.token(8))",
                10
              ]
            }
            """
        let field =
            "\""
            + payload.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
        let rows = (1...20).map { "\(Self.token($0)),\(field)\n" }.joined()
        expect(rows, columns: ["token", "payload"], nil)
        let reversed = (1...20).map { "\(field),\(Self.token($0))\r\n" }.joined()
        expect(reversed, columns: ["payload", "token"], nil)
    }

    /// The field behind the end of the quote is the row's own token.
    @Test func `texts in front of the token`() {
        for text in [
            "\"Hello\nall\",\(Self.token(1))\n", "\"Hello\nall\",\"\(Self.token(1))\"\n",
            "\"Hello\n\",\"\(Self.token(1))\"\n",
            "\"Hello\nhe said \"hi\" x\",\"\(Self.token(1))\"\n",
        ] {
            expect(text, columns: ["text", "token"], nil)
        }
    }

    /// The row is bad, and takes nothing of its neighbors along.
    @Test(arguments: ["", "\n", "\r\n", "\n\n\r\n"])
    func `a quote in the last row`(end: String) {
        expect("\(Self.token(1)),Ann,u1\n\(Self.token(2)),\"Ann,u2\(end)", nil, lines: [2, 3])
    }

    // MARK: Ignored

    @Test func `quotes that are ordinary bytes`() {
        let text = "\(Self.token(1)),\"Ann,u1\n\(Self.token(2)),\"\"Bob\",\"\n"
        #expect(read(text, quotes: .ignored) == Reading(lines: [2, 3]))
        for piece in [1, 3, 70] {
            #expect(read(text, quotes: .ignored, piece: piece) == Reading(lines: [2, 3]))
        }
    }

    // MARK: Whether there can be one at all

    /// All texts of so many bytes that mean something, held against the rows that are read.
    @Test(arguments: [(6, Int.max), (5, 1), (5, 3)])
    func `rows of several lines are found`(count: Int, piece: Int) {
        let alphabet = Array("\",\n\ra".utf8)
        var text = [UInt8](repeating: 0, count: count)
        let texts = (0..<count).reduce(1) { product, _ in product * alphabet.count }
        for number in 0..<texts {
            var digits = number
            for place in text.indices {
                text[place] = alphabet[digits % alphabet.count]
                digits /= alphabet.count
            }
            #expect(findsRow(text, piece: piece) == hasRow(text), "\(text)")
        }
    }

    /// The same where blocks of 64 bytes begin and end.
    @Test func `rows of several lines are found wherever they stand`() {
        for before in 0..<200 {
            let head = String(repeating: "a", count: before)
            for text in ["\(head)\n\"\n\"", "\(head),\"b\n\"\n", "b\n\(head),\"\n\n"] {
                #expect(findsRow(Array(text.utf8), piece: .max), "\(text)")
            }
            for text in ["\(head)\n\"b\"\n", "\(head)b\"\n\"", "\"\(head)\"\"\"x,\"\n\n"] {
                #expect(!findsRow(Array(text.utf8), piece: .max), "\(text)")
            }
        }
    }

    private func parser() -> CSVParser {
        CSVParser(
            schema: RowSchema(extra: []), columns: ["token"], delimiter: UInt8(ascii: ","),
            firstLine: 1)
    }

    private func findsRow(_ text: [UInt8], piece: Int) -> Bool {
        let batch = RowBatch(inputCapacity: text.count, rowCapacity: 1, slotCount: 1)
        var parser = parser()
        for (index, byte) in text.enumerated() {
            append(byte, to: batch)
            let isFinal = index == text.count - 1
            guard isFinal || (index + 1).isMultiple(of: piece) else { continue }
            if parser.findsRowOfSeveralLines(in: batch, isFinal: isFinal) { return true }
        }
        return false
    }

    /// True if a row is read with a line end in it that is not its last byte.
    private func hasRow(_ text: [UInt8]) -> Bool {
        let schema = RowSchema(extra: [])
        let batch = RowBatch(
            inputCapacity: text.count, rowCapacity: text.count + 1, slotCount: schema.slotCount)
        for byte in text { append(byte, to: batch) }
        var parser = parser()
        _ = parser.parse(batch, isFinal: true)
        return (0..<batch.rowCount).contains {
            batch.rawRow($0).dropLast().contains(UInt8(ascii: "\n"))
        }
    }
}
