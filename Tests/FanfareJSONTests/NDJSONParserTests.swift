import FanfareBase
import FanfareCore
import FanfareJSON
import Testing

@Suite struct NDJSONParserTests {
    static let sample = """
        {"token":"aa","name":"Ann","badge":3,"user":{"name":"N","age":{"x":1}},"list":[1, {"token":"no"}]}
        {"name":"\\u00e9\\"\\n\\ud83d\\ude00","token":null,"badge":-1.5e3}\r

          \t \r
        {"token":"bb","token":"cc","t\\u006fken":"dd"}
        not json
        {"user.name":"exact","user":{"name":"path"}}
        {"user":{"name":"path"},"user.name":"exact"}
        {"user":{"name":"first","age":1},"user":{"age":2}}
        {"user":{"name":"first"},"user":3}
        {"user.name":null,"user":{"name":"path"}}
        [1,2]
        "text"
        {"token":"unclosed
        {"token":"after"}
        {"token":"a\u{1}b"}
        {"token":"x\\
        {"token":"ends with a backslash"} \\
        "}
        {"token":"y"} {"token":"z"}
        {"token":"y"}}
        {"token":"é😀","name":"","badge":{ "a" : [ ] },"list":[]}
        {"badge":[
        ]}
        {}
        {"token":"last"}
        """

    @Test func `rows agree with the slow reading`() {
        check(Array(Self.sample.utf8))
        check(Array((Self.sample + "\n").utf8))
        check(Array(("\u{FEFF}" + Self.sample + "\r\n").utf8))
    }

    @Test func `rows do not depend on where the input was cut`() {
        let input = Array(("\u{FEFF}" + Self.sample).utf8)
        let expected = SlowRows.read(input)
        for split in 0...input.count {
            let rows = RowCollector().read([Array(input[..<split]), Array(input[split...])])
            #expect(rows == expected, "cut at \(split)")
        }
        #expect(RowCollector().read(input.map { [$0] }) == expected, "byte by byte")
    }

    @Test(arguments: [1, 2, 3, 7])
    func `rows do not depend on the batch`(rowCapacity: Int) {
        let input = Array(Self.sample.utf8)
        let expected = SlowRows.read(input)
        for inputCapacity in [1, 40, 100, 128, 300, 5000] {
            let collector = RowCollector(inputCapacity: inputCapacity, rowCapacity: rowCapacity)
            #expect(collector.read([input]) == expected, "capacity \(inputCapacity)")
        }
    }

    @Test func `lines end in any way`() {
        for input in [
            "", "\n", "\r\n", "\u{FEFF}", "\u{FEFF}\n{}", " ", "{}", "{}\r", "{}\r\n", "\n\n{}\n\n",
            "{}\r\r\n{}", "\r", "{\r}",
            "{}\u{0}\n{}", "\u{0}\n{}", "\\\n{\"token\":\"a\"}", "\\\\\n\"", "\"\n\"\n{}",
            "{\"token\":\"a\"}\\\n{\"token\":\"b\"}",
            "\u{FEFF}\u{FEFF}{}", "{}\n\u{FEFF}{}",
        ] {
            check(Array(input.utf8))
        }
    }

    @Test func `a row that is too long is given up alone`() {
        let long = "{\"token\":\"" + String(repeating: "a", count: 500) + "\"}"
        let input = Array("{\"token\":\"a\"}\n\(long)\n\n{\"token\":\"b\"}\n\(long)".utf8)
        let collector = RowCollector(inputCapacity: 64, rowCapacity: 10, inputCapacityMax: 128)
        let rows = collector.read([input])
        #expect(rows.map(\.line) == [1, 2, 4, 5])
        #expect(rows.map(\.fault.code) == [.none, .lineTooLong, .none, .lineTooLong])
        #expect(rows.map(\.values[0]) == ["text:a", "missing", "text:b", "missing"])
    }

    @Test func `a byte order mark counts only at the start of the input`() {
        let rows = RowCollector(firstLine: 7).read([Array("\u{FEFF}{}\n{}".utf8)])
        #expect(rows.map(\.line) == [7, 8])
        #expect(rows.map(\.fault.code) == [.invalidJSON, .none])
    }

    @Test func `input names of the mapping are looked for`() {
        let schema = RowSchema(extra: ["device_token"], mapping: ["token": "device_token"])
        let collector = RowCollector(schema: schema)
        let rows = collector.read([Array("{\"token\":\"no\",\"device_token\":\"t\\\\\"}".utf8)])
        #expect(rows[0].values[0] == "text:t\\")
        #expect(rows[0].values[9] == "text:t\\")
    }

    @Test func `plain text is not copied`() {
        let batch = RowBatch(inputCapacity: 100, rowCapacity: 4, slotCount: 9)
        let line = Array("{\"token\":\"abc\",\"id\":\"d\\ne\"}\n".utf8)
        batch.bytes.update(from: line, count: line.count)
        batch.inputEnd = line.count
        let parser = NDJSONParser(schema: RowSchema(), firstLine: 1)
        #expect(parser.parse(batch, isFinal: false) == .needsInput)
        #expect(batch.field(row: 0, slot: 0) == Field(.text, start: 10, length: 3))
        #expect(batch.field(row: 0, slot: 8) == Field(.text, start: 100, length: 3))
        #expect(batch.scratchEnd == 103)
        #expect(Array(batch.rawRow(0)) == Array(line.dropLast()))
    }

    @Test func `flipped bytes change nothing but their own line`() {
        var random = SplitMix(state: 42)
        let lines = Self.sample.utf8.split(separator: 10).filter { $0.first == 0x7B }.map(
            Array.init)
        for _ in 0..<2000 {
            var input: [UInt8] = []
            for _ in 0..<random.below(30) + 1 {
                var line = lines[random.below(lines.count)]
                if random.below(4) == 0 {
                    for _ in 0...random.below(3) {
                        line[random.below(line.count)] = random.interestingByte()
                    }
                }
                input += line + [10]
            }
            check(input)
        }
    }

    @Test func `many rows with a bad one here and there agree with the slow reading`() {
        var random = SplitMix(state: 7)
        var input: [UInt8] = []
        for number in 0..<3000 {
            let bad = ["", "{", "\"", "{\"token\":\"\u{2}\"}", "{}\\", "{\"token\":\"\\q\"}"]
            let isBad = random.below(100) == 0
            let line =
                isBad
                ? bad[random.below(bad.count)]
                : "{\"token\":\"\(number)\",\"name\":\"a\\tb\",\"badge\":\(number)}"
            input += Array(line.utf8) + [10]
        }
        check(input)
    }

    /// A backslash at the end of a line once had all behind it indexed again.
    @Test func `no byte is indexed more than twice`() {
        for line in [
            "\\", "{\"token\":\"aa\"} \\", "{\"token\":\"aa\"}", "{\"token\":\"a", "", "{}\n\\\n{}",
        ] {
            let input = Array(String(repeating: line + "\n", count: 3000).utf8)
            let parser = NDJSONParser(schema: testSchema, firstLine: 1)
            let batch = RowBatch(
                inputCapacity: input.count, rowCapacity: 10_000, slotCount: testSchema.slotCount)
            batch.bytes.update(from: input, count: input.count)
            batch.inputEnd = input.count
            #expect(parser.parse(batch, isFinal: true) == .needsInput)
            #expect(batch.parsed == input.count)
            #expect(parser.work <= 2 * input.count, "\(line)")
        }
    }

    @Test func `lines that end with a backslash disturb no other line, wherever they are cut`() {
        var random = SplitMix64(seed: 95)
        let lines = [
            "{\"token\":\"aa\"}", "{\"token\":\"bb\",\"name\":\"a\\\"\"}", "{\"token\":\"x\\", "\\",
            "\"}",
            "{\"token\":\"cc\"} \\", "", "\\\\", "{\"token\":\"dd\"}\r",
        ]
        for _ in 0..<200 {
            let chosen = (0..<60).map { _ in lines.randomElement(using: &random)! }
            var rest = Array(chosen.joined(separator: "\n").utf8)[...]
            let expected = SlowRows.read(Array(rest))
            var pieces: [[UInt8]] = []
            while !rest.isEmpty {
                let count = Int.random(in: 1...100, using: &random)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(RowCollector().read(pieces) == expected)
        }
    }

    @Test func `the layout of a row is what the C side expects`() {
        #expect(MemoryLayout<RowBatch.Row>.stride == 24)
        #expect(MemoryLayout<RowBatch.Row>.offset(of: \.line) == 0)
        #expect(MemoryLayout<RowBatch.Row>.offset(of: \.start) == 8)
        #expect(MemoryLayout<RowBatch.Row>.offset(of: \.length) == 12)
        #expect(MemoryLayout<RowBatch.Row>.offset(of: \.fault) == 16)
        #expect(MemoryLayout<RowFault>.offset(of: \.code) == 0)
        #expect(MemoryLayout<RowFault>.offset(of: \.column) == 4)
        #expect(MemoryLayout<Field>.stride == 8)
        #expect(RowFault.Code.lineNotUTF8.rawValue == 9)
        #expect(RowFault.Code.invalidJSON.rawValue == 7)
        #expect(RowFault.Code.notAnObject.rawValue == 8)
        let field = Field(.json, start: 0x1234_5678, length: 0x00AB_CDEF)
        withUnsafeBytes(of: field) { bytes in
            #expect(bytes.load(as: UInt32.self) == 0x1234_5678)
            #expect(bytes.load(fromByteOffset: 4, as: UInt32.self) == 2 << 30 | 0x00AB_CDEF)
        }
        #expect(Field(.text, start: 0, length: 0).kind.rawValue == 1)
        #expect(Field(.null, start: 0, length: 0).kind.rawValue == 3)
    }

    private func check(_ input: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        let rows = RowCollector().read([input])
        let expected = SlowRows.read(input)
        #expect(
            rows == expected, "\(String(decoding: input, as: UTF8.self))",
            sourceLocation: sourceLocation)
    }
}
