import FanfareBase
import FanfareCore
import Testing

@Suite struct CSVParserTests {
    /// The expected row: its line, its values, its fault.
    struct Expected {
        var line: UInt64
        var values: [String?]
        var fault: RowFault

        init(_ line: UInt64, _ values: String?..., fault: RowFault = .none) {
            self.line = line
            self.values = values
            self.fault = fault
        }
    }

    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var input: [UInt8]
        var columnCount: Int
        var delimiter: UInt8 = UInt8(ascii: ",")
        var rows: [Expected]

        init(
            _ name: String, _ input: String, columns: Int = 3, delimiter: Character = ",",
            _ rows: Expected...
        ) {
            self.init(name, Array(input.utf8), columns: columns, delimiter: delimiter, rows)
        }

        init(
            _ name: String, _ input: [UInt8], columns: Int = 3, delimiter: Character = ",",
            _ rows: [Expected]
        ) {
            self.testDescription = name
            self.input = input
            self.columnCount = columns
            self.delimiter = UInt8(delimiter.unicodeScalars.first?.value ?? 0)
            self.rows = rows
        }
    }

    /// The examples of RFC 4180 §2, by the number of the rule.
    static let rfc4180: [Case] = [
        Case(
            "1: a record per line", "aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n",
            Expected(2, "aaa", "bbb", "ccc"), Expected(3, "zzz", "yyy", "xxx")),
        Case(
            "2: the last line without end", "aaa,bbb,ccc\r\nzzz,yyy,xxx",
            Expected(2, "aaa", "bbb", "ccc"), Expected(3, "zzz", "yyy", "xxx")),
        Case("4: blanks are part of a field", " a , b,c ", Expected(2, " a ", " b", "c ")),
        Case(
            "5: quoted or not", "\"aaa\",\"bbb\",\"ccc\"\r\nzzz,yyy,xxx",
            Expected(2, "aaa", "bbb", "ccc"), Expected(3, "zzz", "yyy", "xxx")),
        Case(
            "6: line ends in quotes", "\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx",
            Expected(2, "aaa", "b\r\nbb", "ccc"), Expected(4, "zzz", "yyy", "xxx")),
        Case(
            "7: doubled quotes", "\"aaa\",\"b\"\"bb\",\"ccc\"", Expected(2, "aaa", "b\"bb", "ccc")),
    ]

    static let awkward: [Case] = [
        Case("nothing", ""),
        Case("only blank lines", "\n\r\n\n"),
        Case("empty fields", ",,1\n,2,", Expected(2, "", "", "1"), Expected(3, "", "2", "")),
        Case("lines of delimiters alone are no rows", ",,\n,,"),
        Case(
            "lines of delimiters alone count", ",\r\n1,,\n,,,,\n,2,\r\n,,\r\n,\r",
            Expected(3, "1", "", ""), Expected(5, "", "2", "")),
        Case("empty quoted fields", "\"\",\"\",\"\"", Expected(2, "", "", "")),
        Case("nothing but quotes", "\"\"\"\",\"\"\"\"\"\",\"\"", Expected(2, "\"", "\"\"", "")),
        Case(
            "a comma in quotes", "John,\"120 any st., Anytown, WW\",08123\n",
            Expected(2, "John", "120 any st., Anytown, WW", "08123")),
        Case(
            "JSON", "1,\"{\"\"type\"\": \"\"Point\"\", \"\"at\"\": [102.0, 0.5]}\",x\n",
            Expected(2, "1", "{\"type\": \"Point\", \"at\": [102.0, 0.5]}", "x")),
        Case(
            "quotes beside line ends", "1,\"ha \n\"\"ha\"\" \nha\",3\n4,5,6\n",
            Expected(2, "1", "ha \n\"ha\" \nha", "3"), Expected(5, "4", "5", "6")),
        Case(
            "mixed line ends", "1,2,3\r\n4,5,6\n7,8,9\r\n",
            Expected(2, "1", "2", "3"), Expected(3, "4", "5", "6"), Expected(4, "7", "8", "9")),
        Case(
            "blank lines count", "\n\r\n1,2,3\n\n4,5,6\r\n\r\n",
            Expected(4, "1", "2", "3"), Expected(6, "4", "5", "6")),
        Case(
            "UTF-8", "1,2,ʤ\n4,\"é\"\"雨\",😀", Expected(2, "1", "2", "ʤ"),
            Expected(3, "4", "é\"雨", "😀")),
        Case("a return at the end", "1,2,3\r", Expected(2, "1", "2", "3")),
        Case("a return at the end behind a quote", "1,2,\"3\"\r", Expected(2, "1", "2", "3")),
        Case("a return at the end of nothing", "1,2,3\n\r", Expected(2, "1", "2", "3")),
        Case("a return in a field", "\r1,2\r,3\r\r\n", Expected(2, "\r1", "2\r", "3\r")),
        Case(
            "a quote inside a field", "a\"b,c\"\",d \"e\"\n",
            Expected(2, "a\"b", "c\"\"", "d \"e\"")),
        Case("one column", "x\n\"\"\n", columns: 1, Expected(2, "x"), Expected(3, "")),
        Case("semicolons", "1;\"2;3\";4,5", delimiter: ";", Expected(2, "1", "2;3", "4,5")),
        Case("tabs", "1\t\t \n", delimiter: "\t", Expected(2, "1", "", " ")),
        Case(
            "rows longer than a block",
            "\(String(repeating: "x", count: 63)),\(String(repeating: "y", count: 64)),z\n1,2,3",
            Expected(2, String(repeating: "x", count: 63), String(repeating: "y", count: 64), "z"),
            Expected(3, "1", "2", "3")),
    ]

    static let faulty: [Case] = [
        Case(
            "too few fields", "1,2\n1,2,3\n",
            Expected(2, "1", "2", nil, fault: .init(.tooFewFields, column: 3)),
            Expected(3, "1", "2", "3")),
        Case(
            "too many fields", "1,2,3,4,5\n1,2,3\n",
            Expected(2, "1", "2", "3", fault: .init(.tooManyFields, column: 4)),
            Expected(3, "1", "2", "3")),
        Case(
            "text after a quote", "1,\"2\"x,\"3\n\"4\",5,6\n",
            Expected(2, "1", nil, nil, fault: .init(.textAfterQuote, column: 2)),
            Expected(3, "4", "5", "6")),
        Case(
            "a blank after a quote", "\"1\" ,2,3\r\n4,5,6",
            Expected(2, nil, nil, nil, fault: .init(.textAfterQuote, column: 1)),
            Expected(3, "4", "5", "6")),
        Case(
            "a return after a quote", "1,2,\"3\"\r4\n4,5,6",
            Expected(2, "1", "2", nil, fault: .init(.textAfterQuote, column: 3)),
            Expected(3, "4", "5", "6")),
        Case(
            "an open quote", "1,2,3\n4,\"5,6\n7,8,9\n",
            Expected(2, "1", "2", "3"),
            Expected(3, "4", nil, nil, fault: .init(.unclosedQuote, column: 2))),
        Case(
            "an open quote at the very end", "1,2,\"",
            Expected(2, "1", "2", nil, fault: .init(.unclosedQuote, column: 3))),
        Case(
            "not UTF-8", Array("1,\"é\",".utf8) + [0xFF, 10] + Array("é,2,3\n".utf8),
            [
                Expected(2, "1", "é", nil, fault: .init(.invalidUTF8, column: 3)),
                Expected(3, "é", "2", "3"),
            ]),
        Case(
            "half a character", [0x22, 0x2C, 0xC3, 0x22, 0x2C, 0xC3, 0x2C, 0x31],
            [Expected(2, nil, nil, "1", fault: .init(.invalidUTF8, column: 1))]),
    ]

    @Test(arguments: rfc4180 + awkward + faulty)
    func `a file gives the same rows however it is cut`(_ file: Case) {
        var harness = CSVHarness()
        harness.columns = (1...file.columnCount).map { "column \($0)" }
        harness.delimiter = file.delimiter
        let reference = harness.reference(file.input)
        #expect(reference.map(\.line) == file.rows.map(\.line))
        #expect(reference.map(\.fault) == file.rows.map(\.fault))
        #expect(
            reference.map(\.values) == file.rows.map { $0.values.map { $0.map { Array($0.utf8) } } }
        )
        harness.expectSameRows(file.input, as: reference)
    }

    @Test(arguments: [
        ("\u{FEFF}a,b\n", 1, ["a", "b"]), ("\u{FEFF}\"a\",b", 1, ["a", "b"]),
        ("\u{FEFF}a,b\n", 2, ["\u{FEFF}a", "b"]), ("\u{FEFF}\n\u{FEFF}a,b", 1, ["\u{FEFF}a", "b"]),
    ])
    func `a byte order mark counts only at the start of the input`(
        _ input: String, _ firstLine: UInt64, _ values: [String]
    ) {
        let harness = CSVHarness(firstLine: firstLine)
        let rows = harness.reference(Array(input.utf8))
        #expect(rows.map(\.values) == [values.map { Array($0.utf8) }])
        harness.expectSameRows(Array(input.utf8), as: rows)
    }

    @Test(
        arguments: [[0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0xBF], [0xEF, 0xBB, 0x2C, 0x31]] as [[UInt8]]
    )
    func `part of a byte order mark is waited for`(_ input: [UInt8]) {
        let harness = CSVHarness(firstLine: 1)
        harness.expectSameRows(input, as: harness.reference(input))
    }

    @Test func `a row keeps its bytes without the line end`() {
        let rows = CSVHarness().rows(of: Array("\n\"a\"\"\",b\r\nc,\"\n\"\n".utf8))
        #expect(rows.map(\.raw) == [Array("\"a\"\"\",b".utf8), Array("c,\"\n\"".utf8)])
    }

    @Test func `columns go to the slots of their names`() {
        let schema = RowSchema(extra: ["city"], mapping: ["token": "device", "id": "device"])
        var parser = CSVParser(
            schema: schema, columns: ["city", "other", "device", "city", "Payload"],
            delimiter: 0x2C,
            firstLine: 2)
        let batch = RowBatch(inputCapacity: 64, rowCapacity: 4, slotCount: schema.slotCount)
        for byte in "Ulm,x,\"f\"\"f\",Bonn,{}\n".utf8 {
            batch.bytes[batch.inputEnd] = byte
            batch.inputEnd += 1
        }
        #expect(parser.parse(batch, isFinal: false) == .needsInput)
        let found = schema.names.indices.filter { !batch.field(row: 0, slot: $0).isMissing }
        #expect(Set(found.map { schema.names[$0] }) == ["token", "id", "city"])
        #expect(
            ["token", "id", "city"].map { name in
                let field = batch.field(row: 0, slot: schema.slot(named: name)!)
                return String(decoding: batch.value(field), as: UTF8.self)
            } == ["f\"f", "f\"f", "Ulm"])
    }

    @Test func `values without doubled quotes stay in the input`() {
        let schema = RowSchema()
        var parser = CSVParser(
            schema: schema, columns: ["token", "id"], delimiter: 0x2C, firstLine: 2)
        let batch = RowBatch(inputCapacity: 32, rowCapacity: 4, slotCount: schema.slotCount)
        for byte in "\"ab\",\"c\"\"d\"\n".utf8 {
            batch.bytes[batch.inputEnd] = byte
            batch.inputEnd += 1
        }
        _ = parser.parse(batch, isFinal: true)
        #expect(batch.field(row: 0, slot: 0) == Field(.text, start: 1, length: 2))
        #expect(
            batch.field(row: 0, slot: schema.slot(named: "id")!)
                == Field(.text, start: 32, length: 3))
        #expect(batch.scratchEnd == 35)
    }

    /// Otherwise a row that is begun again and again would fill the scratch region.
    @Test func `an incomplete row leaves no trace`() {
        let schema = RowSchema()
        var parser = CSVParser(
            schema: schema, columns: ["token", "id"], delimiter: 0x2C, firstLine: 2)
        let batch = RowBatch(inputCapacity: 32, rowCapacity: 4, slotCount: schema.slotCount)
        for byte in "\"a\"\"b\",\"c\"\"".utf8 {
            batch.bytes[batch.inputEnd] = byte
            batch.inputEnd += 1
        }
        #expect(parser.parse(batch, isFinal: false) == .needsInput)
        #expect(batch.scratchEnd == 32)
        #expect(batch.parsed == 0)
        #expect(batch.rowCount == 0)
        #expect((0..<schema.slotCount).allSatisfy { batch.field(row: 0, slot: $0) == .missing })
    }

    @Test func `a row that is too long is skipped with the quotes in it`() {
        let long = String(repeating: "x,\"\"\n", count: 40)
        let input = Array("1,2\n3,\"\(long)\"\n4,5\n6,\"\(long)".utf8)
        let harness = CSVHarness(inputCapacity: 16, inputCapacityMax: 32)
        for pieces in [[], [Int](repeating: 7, count: 100)] {
            let rows = harness.rows(of: input, pieces: pieces)
            #expect(rows.map(\.fault.code) == [.none, .rowTooLong, .none, .rowTooLong])
            #expect(rows.map(\.line) == [2, 3, 44, 45])
        }
    }

    /// Seeded, so that a failure comes again.
    @Test(arguments: 0..<8)
    func `random bytes give the rows of the reference`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet: [[UInt8]] = [
            [0x61], [0x2C], [0x2C], [0x22], [0x22], [0x0D], [0x0A], [0x0D, 0x0A], [0xC3, 0xA9],
        ]
        let long = [UInt8](repeating: 0x78, count: 60)
        for _ in 0..<500 {
            var input: [UInt8] = []
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                input += alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                if Int.random(in: 0..<60, using: &random) == 0 { input.append(0xC3) }
                if Int.random(in: 0..<60, using: &random) == 0 { input += long }
            }
            let harness = CSVHarness(
                columns: Array(["a", "b", "c"].prefix(Int.random(in: 1...3, using: &random))),
                firstLine: UInt64.random(in: 1...2, using: &random), inputCapacity: 8,
                rowCapacity: Int.random(in: 1...4, using: &random))
            let expected = harness.reference(input)
            let pieces = (0..<20).map { _ in Int.random(in: 1...9, using: &random) }
            for pieces in [[], [input.count / 2], pieces, [Int](repeating: 1, count: input.count)] {
                #expect(harness.rows(of: input, pieces: pieces) == expected, "\(input)")
            }
            harness.expectSameRows(input, as: expected, abandoningBeyond: 9)
        }
    }
}
