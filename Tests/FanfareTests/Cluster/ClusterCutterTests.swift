import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Cuts made by the parsers, and rows read from the middle of a file.
struct ClusterCutterTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func inputs(_ texts: [String], _ ending: String = "csv") throws -> ClusterInputs {
        var spec = InputSpec()
        spec.schema = RowSchema()
        var files: [RowInput] = []
        for (index, text) in texts.enumerated() {
            files.append(.file(try folder.write(text, to: "rows\(index).\(ending)")))
        }
        let source = RowSource(files, spec)
        try source.openFirst()
        return try ClusterInputs(source)
    }

    private func cuts(_ inputs: ClusterInputs, rows: UInt64) throws -> [ClusterCut] {
        var cutter = ClusterCutter(inputs, cutRows: rows)
        var cuts: [ClusterCut] = []
        repeat {
            let row = cuts.last?.endRow ?? 0
            // The engine is told of several cuts at a time, so it does not know the last one.
            #expect(cutter.isAt(row), "\(row)")
            cuts.append(try cutter.cut(at: row))
        } while cuts.last?.isLast == false
        return cuts
    }

    private func row(_ number: Int) -> String { Self.token(number) + "\n" }
    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    @Test func `cuts end after so many rows, at the bytes where they end`() throws {
        // A header of 6 bytes, and rows of 65.
        let inputs = try inputs(["token\n" + (1...5).map(row).joined()])
        let cuts = try cuts(inputs, rows: 2)
        #expect(cuts.map(\.firstRow) == [0, 2, 4])
        #expect(cuts.map(\.endRow) == [2, 4, 5])
        #expect(cuts.map(\.place.offset) == [6, 136, 266])
        #expect(cuts.map(\.place.line) == [2, 4, 6])
        #expect(cuts.map(\.byteCount) == [130, 130, 65])
        #expect(cuts.map(\.isLast) == [false, false, true])
    }

    @Test func `an input that ends with a cut has an empty last one`() throws {
        let cuts = try cuts(try inputs(["token\n" + (1...4).map(row).joined()]), rows: 2)
        #expect(cuts.map(\.firstRow) == [0, 2, 4])
        #expect(cuts.map(\.endRow) == [2, 4, 4])
        #expect(cuts.map(\.isLast) == [false, false, true])
    }

    @Test func `no cut has rows of two inputs`() throws {
        let inputs = try inputs([
            "token\n" + (1...3).map(row).joined(), "token\n", "token\n" + row(4),
        ])
        let cuts = try cuts(inputs, rows: 2)
        #expect(cuts.map(\.endRow) == [2, 3, 4])
        #expect(cuts.map(\.place.input) == [0, 0, 2])
        #expect(cuts.map(\.place.line) == [2, 4, 2])
    }

    @Test(arguments: [1, 3, 7] as [UInt64])
    func `a quoted field keeps its lines, and each place gives the same rows`(
        rows: UInt64
    ) throws {
        let text =
            "\u{FEFF}token,note\r\n"
            + (1...20).map { number in
                let note = number % 3 == 0 ? "\"two\nlines, \"\"here\"\"\"" : "plain"
                let blank = number % 5 == 0 ? "\r\n" : ""
                return "\(Self.token(number)),\(note)\r\n\(blank)"
            }.joined()
        let inputs = try inputs([text])
        // Read in one go.
        var whole: [UInt64: UInt64] = [:]
        try read(inputs.reader(at: inputs.beginning(ofInput: 0), rowsBefore: 0), into: &whole)
        #expect(whole.count == 20)
        for cut in try cuts(inputs, rows: rows) {
            var part: [UInt64: UInt64] = [:]
            try read(inputs.reader(at: cut.place, rowsBefore: cut.firstRow), into: &part)
            for (row, line) in part { #expect(whole[row] == line, "row \(row)") }
            #expect(part.count == 20 - Int(cut.firstRow))
        }
    }

    /// Lines of CSV behind its header, and of NDJSON, that are rows, blank, or only seem to be.
    private static let pieces = [
        "csv": [
            "a,b\n", "a,\"b\nc\"\n", "\n", "a,b\r\n", "\r\n", "a\"b,c\n", ",\n", "\"\",\"\"\"\"\n",
            " \n",
            "a,\"b\"\n", "a,b,c\n", "a\rb,\n",
        ],
        "ndjson": [
            "{}\n", "\n", " \n", "{\"token\":\"a\"}\r\n", "\r\n", "[]\n", "{\n", " {}\n", "x\n",
            "{\"\n",
        ],
    ]

    @Test(arguments: (UInt64(1)...30).flatMap { [("csv", $0), ("ndjson", $0)] })
    func `cuts are those that the parsers make`(
        ending: String, seed: UInt64
    ) throws {
        var dice = SplitMix64(seed: seed)
        let pieces = try #require(Self.pieces[ending])
        var text = ending == "csv" ? "token,note\n" : ""
        // Plain lines in most seeds, so that many of them are passed over at once.
        let kinds = seed % 3 == 0 ? pieces.count : 2
        for _ in 0..<40 { text += pieces[Int(dice.next() % UInt64(kinds))] }
        if seed % 2 == 0 { text += ending == "csv" ? "a,b" : "{}" }
        let inputs = try inputs([text], ending)
        var whole: [UInt64: UInt64] = [:]
        try read(inputs.reader(at: inputs.beginning(ofInput: 0), rowsBefore: 0), into: &whole)
        let cuts = try cuts(inputs, rows: 1 + seed % 5)
        #expect(cuts.last?.endRow == UInt64(whole.count))
        for (cut, next) in zip(cuts, cuts.dropFirst()) {
            #expect(cut.place.offset + cut.byteCount == next.place.offset)
            #expect(cut.place.line + cut.lineCount == next.place.line)
        }
        for cut in cuts {
            var part: [UInt64: UInt64] = [:]
            try read(inputs.reader(at: cut.place, rowsBefore: cut.firstRow), into: &part)
            #expect(part == whole.filter { $0.key > cut.firstRow })
        }
    }

    /// Rows of many chunks of input: quoted fields, some of several lines, wherever a chunk happens to end.
    @Test(arguments: UInt64(1)...4)
    func `cuts of a long input are those that the parser makes`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        var text = "token,note\r\n"
        for number in 1...6_000 {
            let kind = dice.next() % (seed % 2 == 0 ? 20 : 200)
            let note = String(repeating: "n", count: Int(dice.next() % 40))
            let field =
                switch kind {
                case 0: "\"\(note), \"\"\(note)\"\"\""
                case 1: "\"two\n\nlines, \"\"\(note)\"\"\""
                case 2: "\"\(note)\" \(note)\""
                case 3: "x\(note)\"\(note)"
                default: note
                }
            text += "\(Self.token(number)),\(field)\(kind < 6 ? "\r\n" : "\n")"
            if kind == 7 { text += "\n\r\n" }
        }
        let inputs = try inputs([text])
        var whole: [UInt64: UInt64] = [:]
        try read(inputs.reader(at: inputs.beginning(ofInput: 0), rowsBefore: 0), into: &whole)
        #expect(whole.count == 6_000)
        let cuts = try cuts(inputs, rows: 700)
        #expect(cuts.map(\.endRow) == [700, 1400, 2100, 2800, 3500, 4200, 4900, 5600, 6000])
        for (cut, next) in zip(cuts, cuts.dropFirst()) {
            #expect(cut.place.offset + cut.byteCount == next.place.offset)
            #expect(cut.place.line + cut.lineCount == next.place.line)
        }
        for cut in cuts {
            var part: [UInt64: UInt64] = [:]
            try read(inputs.reader(at: cut.place, rowsBefore: cut.firstRow), into: &part)
            #expect(part == whole.filter { $0.key > cut.firstRow })
        }
    }

    @Test func `a cut that was summed here counts for the file that was summed, and no other`()
        throws
    {
        let text = "token\n" + (1...4).map(row).joined()
        let inputs = try inputs([text])
        let cut = try #require(try cuts(inputs, rows: 2).first)
        #expect(try inputs.has(cut))
        var other = cut
        other.sum &+= 1
        #expect(try !inputs.has(other))
        // Another file of the same length takes its name.
        try folder.write(text.replacing(Self.token(1), with: Self.token(9)), to: "rows0.csv")
        #expect(try !inputs.has(cut))
        try folder.write(text, to: "rows0.csv")
        #expect(try inputs.has(cut))
    }

    /// Notes the line of each row.
    private func read(_ reader: RowReader, into lines: inout [UInt64: UInt64]) throws {
        let batch = RowBatch(slotCount: RowSchema().slotCount)
        while try reader.fill(batch) {
            for index in 0..<batch.rowCount {
                lines[batch.firstRow + UInt64(index)] = batch.rows[index].line
            }
        }
    }

    @Test func `a cutter that takes over makes the same cuts`() throws {
        let inputs = try inputs([
            "token\n" + (1...5).map(row).joined(), "token\n" + (6...9).map(row).joined(),
        ])
        let cuts = try cuts(inputs, rows: 2)
        for (last, next) in zip(cuts, cuts.dropFirst()) {
            var other = ClusterCutter(inputs, cutRows: 2)
            #expect(!other.isAt(last.endRow))
            try other.move(behind: last)
            #expect(other.isAt(last.endRow))
            #expect(try other.cut(at: last.endRow) == next)
        }
    }

    @Test func `a byte that differs changes the sum of its cut alone`() throws {
        let text = "token\n" + (1...6).map(row).joined()
        let before = try cuts(try inputs([text]), rows: 2)
        let after = try cuts(
            try inputs([text.replacing(Self.token(3), with: Self.token(13))]), rows: 2)
        #expect(zip(before, after).map { $0.sum == $1.sum } == [true, false, true, true])
    }

    @Test func `compressed files and other encodings are refused with advice`() throws {
        let compressed = try folder.write([0x1F, 0x8B, 8, 0], to: "rows.csv")
        let source = RowSource([.file(compressed)], InputSpec())
        #expect(throws: FanfareError.self) { try ClusterInputs(source) }
    }
}
