import FanfareBase
import FanfareCore
import Testing

@Suite struct CSVHeaderTests {
    private func parse(
        _ input: [UInt8], isFinal: Bool = true, delimiter: UInt8? = nil
    ) -> CSVHeader.HeaderResult {
        var header = CSVHeader(delimiter: delimiter)
        return input.withUnsafeBufferPointer { header.parse($0, isFinal: isFinal) }
    }

    static let headers: [(input: String, columns: [String], delimiter: Character, lines: UInt64)] =
        [
            ("token,name\n", ["token", "name"], ",", 1),
            ("token,name\r\n", ["token", "name"], ",", 1),
            ("token", ["token"], ",", 1),
            ("token,name\r", ["token", "name"], ",", 1),
            ("token,name\r\r\n", ["token", "name"], ",", 1),
            ("\"to\rken\",name\n", ["to\rken", "name"], ",", 1),
            ("\u{FEFF}token;name\n", ["token", "name"], ";", 1),
            ("\u{FEFF}\"token\";\"na\"\"me\"\r\n", ["token", "na\"me"], ";", 1),
            ("\n\r\ntoken\tname\n", ["token", "name"], "\t", 3),
            (" token | name\t|\"id \"\n", ["token", "name", "id"], "|", 1),
            ("\"a,b,c\";d\n", ["a,b,c", "d"], ";", 1),
            ("\"a\n,b\",c\n", ["a\n,b", "c"], ",", 2),
            ("\"a\"\";;;\",b\n", ["a\";;;", "b"], ",", 1),
            ("a,b;c\n", ["a", "b;c"], ",", 1),
            ("a;b,c;d\n", ["a", "b,c", "d"], ";", 1),
            (",a,,a\n", ["", "a", "", "a"], ",", 1),
            ("a\"b,\"c\"\n", ["a\"b", "c"], ",", 1),
            ("näme,雨\n", ["näme", "雨"], ",", 1),
        ]

    @Test(arguments: headers)
    func `a header is read once it is complete`(
        _ input: String, _ columns: [String], _ delimiter: Character, _ lines: UInt64
    ) {
        let header = Array(input.utf8)
        let expected = CSVHeader.HeaderResult.header(
            columns: columns, delimiter: delimiter.asciiValue!, consumedBytes: header.count,
            lines: lines)
        #expect(parse(header) == expected)
        for count in 0..<header.count {
            #expect(parse(Array(header[..<count]), isFinal: false) == .needsMoreInput)
        }
        guard header.last == 10 else { return }
        #expect(parse(header + Array("1;2;3;4\n".utf8), isFinal: false) == expected)
    }

    @Test func `a delimiter that was asked for is not guessed`() {
        #expect(
            parse(Array("a;b,c\n".utf8), delimiter: 0x2C)
                == .header(columns: ["a;b", "c"], delimiter: 0x2C, consumedBytes: 6, lines: 1))
        #expect(
            parse(Array("a:b\n".utf8), delimiter: 0x3A)
                == .header(columns: ["a", "b"], delimiter: 0x3A, consumedBytes: 4, lines: 1))
    }

    @Test(arguments: [
        ("", "is empty"), ("\n\r\n", "is empty"), ("\u{FEFF}", "is empty"),
        ("a,\"b", "column 2 of the header has a quote that is never closed"),
        ("a,\"b\"c\n", "column 2 of the header has text after its closing quote"),
        ("\"b\"\rc\n", "column 1 of the header has text after its closing quote"),
        (
            "a,b\rc,d\re,f\r",
            "its lines end in carriage returns alone, they have to end in line feeds"
        ),
        ("a\rb", "its lines end in carriage returns alone, they have to end in line feeds"),
    ])
    func `an unusable header says why`(_ input: String, _ reason: String) {
        guard case .failed(let text) = parse(Array(input.utf8)) else {
            Issue.record("the header was read")
            return
        }
        #expect(text.hasSuffix(reason))
    }

    @Test func `a header that is not UTF-8 says so`() {
        #expect(
            parse([0x61, 0x2C, 0xFF, 0x0A])
                == .failed(reason: "column 2 of the header is not UTF-8"))
        #expect(
            parse([0xFF, 0xFE, 0x61, 0x00], isFinal: false)
                == .failed(reason: "the input is UTF-16, it has to be UTF-8"))
    }

    @Test func `a header without end is given up`() {
        let input = [UInt8](repeating: 0x61, count: Limits.rowBytesMax + 1)
        #expect(
            parse(input, isFinal: false)
                == .failed(reason: "the header row is longer than 1048576 bytes"))
    }

    // MARK: In pieces

    /// The result does not depend on how the input is cut.
    @Test func `a header in pieces is the same as at once`() {
        var random = SplitMix64(seed: 20)
        let alphabet = Array("ab,;\t|\"\"\r\n\n \u{FEFF}".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...14, using: &random)
            let input = (0..<count).map { _ in alphabet.randomElement(using: &random)! }
            let delimiter = Bool.random(using: &random) ? nil : UInt8(ascii: ";")
            var header = CSVHeader(delimiter: delimiter)
            var (seen, result) = (0, CSVHeader.HeaderResult.needsMoreInput)
            while result == .needsMoreInput {
                seen = min(input.count, seen + Int.random(in: 0...5, using: &random))
                let isFinal = seen == input.count && Bool.random(using: &random)
                result = input[..<seen].withUnsafeBufferPointer {
                    header.parse($0, isFinal: isFinal)
                }
            }
            #expect(result == parse(input, delimiter: delimiter), "\(input)")
        }
    }

    /// A pipe may give a byte at a time.
    @Test func `each byte is looked at twice at most`() {
        let text = (0..<2000).map { "column\($0)" }.joined(separator: ";") + "\n"
        let input = Array("\n\n\(text)".utf8)
        var header = CSVHeader(delimiter: nil)
        for count in 0..<input.count {
            let result = input[..<count].withUnsafeBufferPointer {
                header.parse($0, isFinal: false)
            }
            #expect(result == .needsMoreInput)
        }
        let result = input.withUnsafeBufferPointer { header.parse($0, isFinal: false) }
        guard case .header(let columns, let delimiter, let consumed, let lines) = result else {
            Issue.record("the header was not read")
            return
        }
        #expect(columns.count == 2000 && columns.last == "column1999")
        #expect((delimiter, consumed, lines) == (UInt8(ascii: ";"), input.count, 3))
        #expect(header.work <= 2 * input.count)
    }

    /// Headers, each `#` a token, and the quote that has taken rows along.
    static let openHeaders: [(text: String, column: Int, line: UInt64, swallowed: UInt64)] = [
        ("token,\"name\n#,Ann\n#,5\"\n", 2, 1, 2),
        ("token,\"name\r\n#,Ann 5\"\r\n", 2, 1, 2),
        ("\n\ntoken,\"name,id\n#,Ann,1\n#,5\",2\n", 2, 3, 4),
        ("\"token\nx\n#\n#\"\n", 1, 1, 3),
        ("\"id\";token;\"name\n1;#;Ann\n2;#;5\"", 3, 1, 2),
    ]

    @Test(arguments: openHeaders)
    func `a quote that takes rows along is found in the header, too`(
        _ text: String, _ column: Int, _ line: UInt64, _ swallowed: UInt64
    ) {
        let token = String(repeating: "0a", count: 32)
        let quote = openQuote(text.replacing("#", with: token))
        #expect(quote == OpenQuote(line: line, column: column, swallowedLine: swallowed))
        // A field that is no token is a name of several lines.
        #expect(openQuote(text.replacing("#", with: "T1")) == nil)
        #expect(openQuote(text.replacing("#", with: token), .trusted) == nil)
    }

    /// Headers that are all of their input, and the quote that is open in them.
    static let headersWithoutEnd: [(text: String, quote: OpenQuote?)] = [
        ("token,\"name\nT1,Ann\nT2,Bob\n", OpenQuote(line: 1, column: 2, lineCountToEnd: 2)),
        ("\n\r\ntoken,\"a\nb\",\"c\r\nT1", OpenQuote(line: 4, column: 3, lineCountToEnd: 1)),
        ("\u{FEFF}\"token\nT1\n", OpenQuote(line: 1, column: 1, lineCountToEnd: 1)),
        ("token,\"name\n\r\n", nil), ("token,\"name", nil), ("token,\"a\nb\"c\nT1\n", nil),
    ]

    @Test(arguments: headersWithoutEnd)
    func `a header that the input ends in says what its quote takes along`(
        _ text: String, _ quote: OpenQuote?
    ) {
        let bytes = Array(text.utf8)
        for quotes in [CSVQuotes.checked, .trusted] {
            var header = CSVHeader(delimiter: nil, quotes: quotes)
            // Bytes that were read before are not looked at again.
            for count in [bytes.count / 2, bytes.count] {
                _ = bytes[..<count].withUnsafeBufferPointer {
                    header.parse($0, isFinal: count == bytes.count)
                }
            }
            #expect(header.unclosedQuote == (quotes == .checked ? quote : nil))
        }
    }

    @Test func `names of several lines are names`() {
        let token = String(repeating: "0a", count: 32)
        for text in ["token,name\n", "token,\"na\nme\"\n", "token,\"\(token)\n\(token)\"\n"] {
            #expect(openQuote(text) == nil, "\(text)")
        }
    }

    private func openQuote(_ text: String, _ quotes: CSVQuotes = .checked) -> OpenQuote? {
        var header = CSVHeader(delimiter: nil, quotes: quotes)
        return Array(text.utf8).withUnsafeBufferPointer { bytes in
            guard
                case .header(_, let delimiter, let count, _) = header.parse(bytes, isFinal: true)
            else {
                Issue.record("no header: \(text)")
                return nil
            }
            return header.openQuote(in: bytes, consumedBytes: count, delimiter: delimiter) {
                $0.firstIndex(of: "token")
            }
        }
    }

    @Test func `quotes may be ordinary bytes`() {
        var header = CSVHeader(delimiter: nil, quotes: .ignored)
        let result = Array("\"a;b\",c\n\"".utf8).withUnsafeBufferPointer {
            header.parse($0, isFinal: false)
        }
        #expect(
            result
                == .header(
                    columns: ["\"a;b\"", "c"], delimiter: UInt8(ascii: ","), consumedBytes: 8,
                    lines: 1))
    }
}
