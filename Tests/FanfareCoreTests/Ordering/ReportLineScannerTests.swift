import Testing

@testable import FanfareCore

@Suite struct ReportLineScannerTests {
    private struct Found: Equatable {
        var row: UInt64?
        var line: String
    }

    /// Scans a text that comes in pieces.
    private func scan(
        _ pieces: [ArraySlice<UInt8>], _ kind: ReportFormat.Kind
    ) -> (lines: [Found], rest: Int) {
        var scanner = ReportLineScanner(kind)
        var lines: [Found] = []
        for piece in pieces {
            scanner.space(piece.count).copyBytes(from: piece)
            scanner.commit(piece.count)
            while scanner.next() {
                lines.append(
                    Found(
                        row: scanner.row, line: String(decoding: scanner.line, as: UTF8.self)))
            }
        }
        return (lines, scanner.restBytes)
    }

    /// Scans it whole, in two pieces cut everywhere, and byte by byte.
    private func expect(
        _ text: String, _ kind: ReportFormat.Kind, _ expected: [Found], rest: Int = 0
    ) {
        let bytes = Array(text.utf8)
        var cuts = (0...bytes.count).map { [bytes[..<$0], bytes[$0...]] }
        cuts.append(bytes.indices.map { bytes[$0...$0] })
        for pieces in cuts {
            let found = scan(pieces, kind)
            #expect(found.lines == expected, "cut at \(pieces[0].count)")
            #expect(found.rest == rest)
        }
    }

    @Test func `lines of CSV end with a line break outside of quotes`() {
        expect(
            "row,id\n7,,\"a \"\"b\"\"\n c\",x\n12,\"\n\",,,,,,,,,,,,,,,\n8,last\n", .csv,
            [
                .init(row: nil, line: "row,id\n"),
                .init(row: 7, line: "7,,\"a \"\"b\"\"\n c\",x\n"),
                .init(row: 12, line: "12,\"\n\",,,,,,,,,,,,,,,\n"),
                .init(row: 8, line: "8,last\n"),
            ])
    }

    @Test func `lines of NDJSON end with a line break, with any quotes`() {
        expect(
            #"{"row":18446744,"id":"\""}"# + "\n" + #"{"row":2,"token":"\n"}"# + "\n", .ndjson,
            [
                .init(row: 18_446_744, line: #"{"row":18446744,"id":"\""}"# + "\n"),
                .init(row: 2, line: #"{"row":2,"token":"\n"}"# + "\n"),
            ])
    }

    @Test func `a line without its end is none yet`() {
        expect("1,a\n2,\"b\n", .csv, [.init(row: 1, line: "1,a\n")], rest: 5)
        expect("", .csv, [])
    }

    @Test(arguments: ["a,1\n", ",\n", "0,\n", "1\n", "-1,\n", "99999999999999999999,\n", "\n"])
    func `what does not begin with a row number has none`(line: String) {
        expect(line, .csv, [.init(row: nil, line: line)])
    }
}
