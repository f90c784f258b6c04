import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

@Suite struct RowSourceTests {
    @Test func `inputs follow each other with one count of rows and their own lines`() throws {
        let rows = try RowReading.rows([
            .text("token\naa\nbb\n"),
            .text(#"{"token":"cc"}"# + "\n\n" + #"{"token":"dd"}"#),
            .text("token;id\nee;1\n"),
        ])
        #expect(
            rows == [
                ReadRow(number: 1, input: 0, line: 2, token: "aa"),
                ReadRow(number: 2, input: 0, line: 3, token: "bb"),
                ReadRow(number: 3, input: 1, line: 1, token: "cc"),
                ReadRow(number: 4, input: 1, line: 3, token: "dd"),
                ReadRow(number: 5, input: 2, line: 2, token: "ee"),
            ])
    }

    @Test func `inputs without rows are passed over`() throws {
        let rows = try RowReading.rows([
            .text("token\n"), .text("token"), .text("token\n\n\n"), .text("token\naa\n"),
        ])
        #expect(rows == [ReadRow(number: 1, input: 3, line: 2, token: "aa")])
    }

    @Test func `generated rows are those of the generator, batch after batch`() throws {
        let source = RowReading.source([.generated(seed: 7)])
        try source.openFirst()
        var generator = RowGenerator(seed: 7)
        var text = ByteBuffer()
        generator.appendRows(count: 10_000, format: .csv, into: &text)
        let expected = String(text.bytes).split(separator: "\n").map { $0.prefix { $0 != "," } }
        var tokens: [String] = []
        let batch = RowBatch(
            inputCapacity: 64 * 1024, rowCapacity: 4096, slotCount: source.schema.slotCount)
        while tokens.count < expected.count {
            try #require(try source.fill(batch))
            for row in 0..<batch.rowCount {
                tokens.append(
                    String(
                        batch.value(batch.field(row: row, slot: RowSchema.Known.token.slot))))
            }
        }
        #expect(tokens.prefix(expected.count).elementsEqual(expected.map(String.init)))
    }

    @Test func `no inputs are no rows`() throws {
        #expect(try RowReading.rows([]).isEmpty)
    }

    @Test(arguments: [1, 3, 100], [32, 250, 4096])
    func `every row comes once, with batches of any size`(
        rowCapacity: Int, inputCapacity: Int
    ) throws {
        // Blank lines, CRLF and quotes with line breaks: lines and rows are not the same count.
        var csv = "id,token\r\n"
        var ndjson = ""
        var expected: [ReadRow] = []
        var line: UInt64 = 2
        for number in 1...200 {
            if number % 7 == 0 {
                csv += "\r\n"
                line += 1
            }
            let isQuoted = number % 5 == 0
            csv += isQuoted ? "\"a\nb\",\"t\(number)\"\r\n" : "\(number),t\(number)\r\n"
            expected.append(ReadRow(number: UInt64(number), line: line, token: "t\(number)"))
            line += isQuoted ? 2 : 1
        }
        line = 1
        for number in 201...400 {
            if number % 9 == 0 {
                ndjson += " \n"
                line += 1
            }
            ndjson += #"{"id":"\u00e4","token":"t\#(number)"}"# + "\n"
            expected.append(
                ReadRow(number: UInt64(number), input: 1, line: line, token: "t\(number)"))
            line += 1
        }
        let rows = try RowReading.rows(
            [.text(csv), .text(ndjson)], inputCapacity: inputCapacity, rowCapacity: rowCapacity)
        #expect(rows == expected)
    }

    @Test func `a file larger than any buffer is read to its last row`() throws {
        let folder = try TemporaryFolder()
        let text = "token\n" + (1...60_000).map { "t\($0)\n" }.joined()
        let path = try folder.write(text, to: "rows.csv")
        let source = RowReading.source([.file(path)])
        var reading = RowReading(source)
        try reading.readAll(inputCapacity: 64 * 1024, rowCapacity: 4096)
        let isExact = reading.rows.enumerated().allSatisfy { index, row in
            row.number == UInt64(index + 1) && row.token == "t\(index + 1)"
                && row.line == UInt64(index + 2)
        }
        #expect(reading.rows.count == 60_000)
        #expect(isExact)
    }

    // MARK: Long rows

    @Test(arguments: [64, 4096, 2_000_000])
    func `a row beyond 1 MiB is given up and its neighbors are read`(inputCapacity: Int) throws {
        let long = String(repeating: "x", count: 1024 * 1024 + 1)
        let rows = try RowReading.rows(
            [
                .text("token,id\naa,1\nbb,\(long)\ncc,3\n"),
                .text(#"{"token":"dd"}"# + "\n" + #"{"token":"ee","id":"\#(long)"}"#),
                .text(#"{"token":"ff"}"#),
            ], inputCapacity: inputCapacity)
        #expect(rows.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(rows.map(\.line) == [2, 3, 4, 1, 2, 1])
        if inputCapacity < 1024 * 1024 {
            #expect(rows.map(\.token) == ["aa", nil, "cc", "dd", nil, "ff"])
            #expect(
                rows.map(\.fault) == [.none, .rowTooLong, .none, .none, .lineTooLong, .none])
        }
    }

    @Test func `a row of almost 1 MiB is read`() throws {
        let long = String(repeating: "x", count: 1024 * 1024 - 100)
        let rows = try RowReading.rows([.text("token,id\naa,1\nbb,\(long)\ncc,3\n")])
        #expect(rows.map(\.token) == ["aa", "bb", "cc"])
        #expect(rows.allSatisfy { $0.fault == .none })
    }

    // MARK: Failures on the way

    @Test func `rows before an input that is missing are handed out`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path("missing.csv")
        let source = RowReading.source([.text("token\naa\nbb\n"), .file(missing)])
        let batch = RowBatch(
            inputCapacity: 4096, rowCapacity: 8, slotCount: source.schema.slotCount)
        #expect(try source.fill(batch))
        #expect(batch.rowCount == 2)
        let error = fanfareError { _ = try source.fill(batch) }
        #expect(error?.code == .input)
        #expect(
            error?.message == "\(missing) cannot be read: no such file or directory")
        #expect(source.rowCount == 2)
    }
}
