import FanfareBase
import FanfareTestSupport
import Testing

@testable import FanfareCore

/// Rows passed over as lines, held against the rows that the parser makes.
@Suite struct LineSkipperTests {
    /// The lines of an input, which a seed chooses: most of them plain in most seeds.
    private static func text(seed: UInt64) -> String {
        var dice = Dice(seed: seed)
        let token = String(repeating: "0123456789abcdef", count: 4)
        let plain = ["\(token),Ada\n", "\(token),Łucja\n", "a,b\n", "x\n", "ü,b\n", "\(token)\n"]
        let special = [
            "\"\(token)\",Ada\n", "\(token),\"Williams, PhD\"\n", "\(token),\"two\nlines\"\n", "\n",
            "\r\n", "a,b\r\n", "\r", "a\"b,c\n", ",\n", ",,\r\n", ",b\n", "\"\",\"\"\"\"\n",
            "\"a\"b\"\n",
            "a,\"b\"\r\n",
            "a,\"b\" \"\n", "a\rb,\n", "\"\n\",\"\"\"\n\"\n", "\t,\u{0}\n", " \n",
            "\"a\"\"b\",\"c\n\n\"\n",
        ]
        let rareness = dice.pick([1.0, 0.3, 0.03, 0.0])
        var text = ""
        for _ in 0..<dice.number(0...60) {
            text += dice.chance(rareness) ? dice.pick(special) : dice.pick(plain)
        }
        return text + dice.pick(["", "", "a,b", "\"", "\r", "a,\"b"])
    }

    private static func batch(_ bytes: some Collection<UInt8>) -> RowBatch {
        let batch = RowBatch(inputCapacity: max(1, bytes.count), rowCapacity: 64, slotCount: 1)
        for (place, byte) in bytes.enumerated() { unsafe batch.bytes[place] = byte }
        batch.inputEnd = bytes.count
        return batch
    }

    private static func parser(_ quotes: CSVQuotes) -> CSVParser {
        CSVParser(
            schema: RowSchema(), columns: ["token", "name"], delimiter: UInt8(ascii: ","),
            firstLine: 2, quotes: quotes)
    }

    /// The places and the lines behind each row of a part of an input, as the parser finds them one by one.
    private static func ends(
        _ bytes: some Collection<UInt8>, _ quotes: CSVQuotes
    ) -> [(place: Int, line: UInt64)] {
        let batch = RowBatch(
            inputCapacity: max(1, bytes.count), rowCapacity: 64,
            slotCount: RowSchema().slotCount)
        for (place, byte) in bytes.enumerated() { unsafe batch.bytes[place] = byte }
        batch.inputEnd = bytes.count
        batch.rowLimit = 1
        var parser = parser(quotes)
        var ends: [(place: Int, line: UInt64)] = [(0, 2)]
        while parser.parse(batch, isFinal: false) == .batchFull {
            ends.append((batch.parsed, parser.line))
            batch.forgetRows()
        }
        return ends
    }

    /// True if a row takes a closer look: it has several lines.
    private static func isLong(_ row: ArraySlice<UInt8>) -> Bool {
        let row = row.drop { "\r\n,".utf8.contains($0) }
        return row.count { $0 == UInt8(ascii: "\n") } > 1
    }

    @Test(arguments: [true, false], [CSVQuotes.trusted, .ignored])
    func `each row that is passed over is one of the parser's`(isWide: Bool, quotes: CSVQuotes) {
        guard !isWide || LineSkipper.hasWideVectors else { return }
        for seed in UInt64(1)...1_500 {
            let all = Array(Self.text(seed: seed).utf8)
            var dice = Dice(seed: seed ^ 0xC07)
            let bytes = all.prefix(dice.chance(0.5) ? all.count : dice.number(0...all.count))
            let ends = Self.ends(bytes, quotes)
            let most = dice.chance(0.5) ? dice.number(1...20) : 1_000
            let batch = Self.batch(bytes)
            var skipper = LineSkipper()
            skipper.skip(
                batch, .csv(delimiter: UInt8(ascii: ","), quotes: quotes), most: most,
                isWide: isWide)
            guard skipper.rows < ends.count else {
                Issue.record("seed \(seed): \(skipper.rows) rows of \(ends.count - 1)")
                continue
            }
            let (place, line) = ends[skipper.rows]
            let blank = bytes[place..<max(place, batch.parsed)]
            #expect(
                batch.parsed >= place
                    && blank.allSatisfy { "\r\n,".utf8.contains($0) }
                    && 2 + skipper.lines == line + UInt64(blank.count { $0 == UInt8(ascii: "\n") }),
                "seed \(seed)")
            if skipper.rows == most { #expect(blank.isEmpty, "seed \(seed)") }
            // It stops only before a row of several lines.
            if skipper.rows < min(most, ends.count - 1) {
                #expect(
                    Self.isLong(bytes[place..<ends[skipper.rows + 1].place]), "seed \(seed)")
            }
        }
    }

    private static func fill(_ batch: RowBatch, _ text: String) {
        for byte in text.utf8 {
            unsafe batch.bytes[batch.inputEnd] = byte
            batch.inputEnd += 1
        }
    }

    @Test func `rows that a parser passes over are lines to it, and it reads those behind`() {
        let slots = RowSchema().slotCount
        let batch = RowBatch(inputCapacity: 64, rowCapacity: 8, slotCount: slots)
        Self.fill(batch, "a,b\nc,d\ne,f\n")
        var parser = Self.parser(.trusted)
        #expect(parser.skip(in: batch, most: 2) == 2)
        // The header is on line 1, and the rows are on lines 2 and 3.
        #expect(parser.line == 4)
        _ = parser.parse(batch, isFinal: true)
        #expect(batch.rowCount == 1)
        #expect(batch.rows[0].line == 4)
        #expect(String(decoding: batch.rawRow(0), as: UTF8.self) == "e,f")
    }

    @Test func `the rest of a row that is too long is none to pass over`() {
        let slots = RowSchema().slotCount
        let batch = RowBatch(inputCapacity: 8, rowCapacity: 8, slotCount: slots)
        Self.fill(batch, "aaaaaaaa")
        var parser = Self.parser(.trusted)
        #expect(parser.parse(batch, isFinal: false) == .needsInput)
        #expect(parser.abandonRow(in: batch) == nil)
        let next = RowBatch(inputCapacity: 64, rowCapacity: 8, slotCount: slots)
        Self.fill(next, "aaaa,b\nc,d\n")
        #expect(parser.skip(in: next, most: 8) == 0)
        _ = parser.parse(next, isFinal: true)
        #expect(next.rowCount == 1)
        #expect(next.rows[0].line == 3)
    }

    @Test(arguments: [true, false])
    func `a line of NDJSON is a row if it has anything but white space`(isWide: Bool) {
        guard !isWide || LineSkipper.hasWideVectors else { return }
        let pieces = [
            "{\"token\":\"00112233445566778899aabbccddeeff\",\"name\":\"Ada\"}\n", "{}\n", "x\n",
            "\n", " \t\r\n", "\r\n", " {}\n", "{\"\n", "[]\r\n",
        ]
        for seed in UInt64(1)...500 {
            var dice = Dice(seed: seed)
            let kinds = dice.chance(0.6) ? 1 : pieces.count - 1
            let lines = (0..<dice.number(0...40)).map { _ in
                pieces[dice.chance(0.7) ? 0 : dice.number(0...kinds)]
            }
            let batch = Self.batch(Array((lines.joined() + "{").utf8))
            var skipper = LineSkipper()
            skipper.skip(batch, .json, most: 1_000, isWide: isWide)
            let rows = lines.count { line in
                !line.utf8.allSatisfy { " \t\r\n".utf8.contains($0) }
            }
            #expect(skipper.rows == rows)
            #expect(skipper.lines == UInt64(lines.count))
            #expect(batch.parsed == batch.inputEnd - 1)
        }
    }
}
