import FanfareBase
import FanfareCore
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Inputs in forms that people try first.
@Suite struct ForeignInputTests {
    private static let token = String(repeating: "ab", count: 32)

    private func rows(_ input: RowInput, _ options: RowOptions = RowOptions()) throws -> [String] {
        let reader = try RowReader(
            input, InputSpec(options: options, schema: RowSchema(extra: ["name"])))
        let slot = try #require(reader.head.schema.slot(named: "name"))
        let batch = RowBatch(slotCount: reader.head.schema.slotCount)
        var rows: [String] = []
        while try reader.fill(batch) {
            for index in 0..<batch.rowCount {
                let row = unsafe batch.rows[index]
                let name = String(
                    decoding: unsafe batch.value(batch.field(row: index, slot: slot)), as: UTF8.self
                )
                rows.append("\(row.line) \(row.fault.code == .none ? name : "invalid")")
            }
        }
        return rows
    }

    @Test func `a JSON array is read as lines, from memory and from files of any name`() throws {
        let json =
            "[\n{\"token\":\"\(Self.token)\",\n \"name\":\"Ann\"},\n"
            + "{\"token\":\"\(Self.token)\",\"name\":\"Bob\"}, 7]\n"
        let expected = ["1 Ann", "2 Bob", "3 invalid"]
        #expect(try rows(.text(json)) == expected)
        let folder = try TemporaryFolder()
        for name in ["rows.json", "rows.jsonl", "rows.ndjson", "rows"] {
            #expect(try rows(.file(folder.write(json, to: name))) == expected, "\(name)")
        }
        #expect(try rows(.file(folder.write("[]\n", to: "empty.ndjson"))) == [])
        var wide: [UInt8] = [0xFF, 0xFE]
        for unit in json.utf16 { wide += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        #expect(try rows(.memory(wide, name: "wide")) == expected)
    }

    @Test(arguments: [
        (
            #"[{"token":"a","name":"A"},{"token":"b","name":"B"}"#, 1,
            "does not end: it is cut off at object 2, or"
        ),
        (
            #"[{"token":"a","name":"A"},{"token":"b","#, 1,
            "does not end: it is cut off at object 2, or"
        ),
        (
            "[{\"token\":\"a\",\"name\":\"A\"}]\n[{\"token\":\"b\"}]\n", 1,
            "something else follows the end of its JSON array in line 2; if it has several arrays, "
                + "jq -s add makes one of them"
        ),
        // The quote that is left open takes the next objects along, up to the end or to another one.
        (
            #"[{"token":"a","name":"A"},{"token":"b","name":"B},{"token":"c","name":"C"},{"token":"d"}]"#,
            1, "does not end: it is cut off at object 2, or"
        ),
        (
            #"[{"token":"a","name":"A"},{"token":"b","name":"B},{"token":"c","name":C"},{"token":"d"}]"#,
            1, "object 2 of its JSON array is not JSON"
        ),
        (
            #"[{"token":"a","name":"A"},{"token":"b","name":"B"},{"token" "c"},{"token":"d"}]"#, 2,
            "object 3 of its JSON array is not JSON"
        ),
        (
            #"[{"token":"a","name":"A"},{"token":"b"} {"token":"c"}]"#, 1,
            "object 2 of its JSON array"
        ),
    ])
    func `a damaged array fails behind the rows that are whole`(
        json: String, count: Int, words: String
    ) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = try folder.write(json, to: "rows.json")
        var reading = RowReading(RowReading.source([.file(path)], required: []))
        let message = fanfareError {
            try reading.readAll(inputCapacity: 4096, rowCapacity: 64)
        }?.message
        #expect(message?.contains(words) == true, "\(message ?? "read to its end")")
        #expect(message?.contains("cannot be read on after row \(count): ") == true)
        #expect(reading.rows.map(\.token) == ["a", "b"].prefix(count).map { $0 })
    }

    /// It is JSON, though no UTF-8 says what it stands for (RFC 8259 §8.2).
    @Test func `half a character makes one row of an array invalid, and no more`() throws {
        let json = #"[{"token":"a","name":"\\u\ud83d"},{"token":"b","name":"B"}]"#
        #expect(try rows(.text(json)) == ["1 invalid", "2 B"])
    }

    @Test func `an object of an array that is too long is a fault of the array`() {
        let long = String(repeating: "x", count: Limits.rowBytesMax)
        let json = #"[{"token":"a"},{"token":"\#(long)"},{"token":"b"}]"#
        let message = fanfareError { _ = try rows(.text(json)) }?.message
        #expect(message?.contains("object 2 of its JSON array is longer than 1 MiB") == true)
    }

    @Test func `an array in a file of CSV, and a header in brackets, are CSV`() throws {
        let folder = try TemporaryFolder()
        let array = try folder.write("[{\"token\":\"aa\"}]", to: "rows.csv")
        #expect(try TextSource(.file(array), InputSpec()).isArray == false)
        let text = try TextSource(.text("[token],[name]\naa,b\n"), InputSpec())
        try text.read(toHand: 4)
        #expect(!text.isArray)
    }

    @Test(arguments: ["sep=;\r\n", "SEP=;\n", "\"sep=;\"\r\n", "\u{FEFF}sep=;\r\n"])
    func `the line that tells Excel the delimiter is no header`(line: String) throws {
        let text = line + "token;name\r\n\(Self.token);a,b,c\r\n"
        #expect(try rows(.text(text)) == ["3 a,b,c"])
        var options = RowOptions()
        options.hasHeader = false
        options.columns = ["token", "name"]
        #expect(try rows(.text(line + "\(Self.token);a,b\r\n"), options) == ["2 a,b"])
        let blanks = line + "\r\n\n" + "token;name\r\n\(Self.token);a,b,c\r\n"
        #expect(try rows(.text(blanks)) == ["5 a,b,c"])
    }

    @Test(arguments: ["", "\n", "\u{FEFF}"])
    func `nor is it a token of a list`(start: String) throws {
        var spec = InputSpec()
        spec.isTokenList = true
        let text = "\(start)sep=;\r\n\(Self.token)\r\n\(Self.token)\r\n"
        let reader = try RowReader(.text(text), spec)
        let batch = RowBatch(slotCount: reader.head.schema.slotCount)
        #expect(try reader.fill(batch) && batch.rowCount == 2)
        let first = unsafe batch.value(of: .token, row: 0)
        #expect(String(decoding: first, as: UTF8.self) == Self.token)
        #expect(unsafe batch.rows[0].line == (start == "\n" ? 3 : 2))
    }

    @Test func `Excel's empty lines are no rows`() throws {
        #expect(
            try rows(.text("token;name;\r\n\(Self.token);Ann;\r\n;;\r\n;Bob;\r\n;;\r\n;;"))
                == ["2 Ann", "4 Bob"])
    }

    private func message(_ bytes: [UInt8], list: Bool = false) -> String? {
        var spec = InputSpec()
        spec.isTokenList = list
        return fanfareError { _ = try RowReader(.memory(bytes, name: "rows"), spec) }?.message
    }

    @Test func `a file that is no text says what it is`() {
        var workbook = Array("PK".utf8) + [3, 4] + [UInt8](repeating: 0, count: 22)
        workbook += [19, 0, 0, 0] + Array("[Content_Types].xml".utf8)
        for list in [false, true] {
            #expect(
                message(workbook, list: list)
                    == "rows is an Excel workbook: save it as CSV, in Excel as CSV UTF-8")
        }
        #expect(
            message(Array("SQLite format 3\0".utf8))
                == "rows is an SQLite database: RowInput.sqlite reads it, with SQLiteSelection.table "
                + "or SQLiteSelection.query")
        #expect(
            message(Array("SQLite format 3\0".utf8), list: true)
                == "rows is an SQLite database: write its tokens to a file, one a line "
                + "(sqlite3 FILE 'SELECT token FROM …')")
        #expect(
            message(Array("PAR1\u{15}\u{04}".utf8))
                == "rows is a Parquet file: rows are CSV or NDJSON")
        #expect(
            message([1, 2, 0xFF, 0, 3, 13, 0, 10]) == "rows is no text: rows are CSV or NDJSON")
        var wide: [UInt8] = []
        for unit in "token,name\r\naa,b\r\n".utf16 {
            wide += [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
        #expect(
            message(wide)
                == "rows looks like UTF-16 without a byte order mark: RowOptions.encoding = "
                + ".utf16LittleEndian")
    }

    @Test func `an array under the name of CSV is told how it is read`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"[{"token":"aa"}]"#, to: "rows.csv")
        let source = RowReading.source([.file(path)])
        let message = fanfareError { try source.openFirst() }?.message
        #expect(
            message?.hasSuffix(
                "That looks like a JSON array, which is read if it has objects, as in "
                    + "[{\"token\":\"…\"}], and if neither its name nor RowOptions.format says that it "
                    + "is CSV") == true, "\(message ?? "read")")
    }

    /// As of a pipe, whose first rows are parsed where they are.
    @Test func `the look at the rows at hand cleans tokens as the reading does`() throws {
        var spec = InputSpec()
        spec.cleaning = .ofAPNs
        let written = "<" + Array(repeating: "abababab", count: 8).joined(separator: " ") + ">"
        let reader = try RowReader(.text("token\n\(written)\n\" \(Self.token)\"\n"), spec)
        var tokens: [String] = []
        reader.surveyAtHand { batch in
            for index in 0..<batch.rowCount {
                let token = unsafe batch.value(of: .token, row: index)
                tokens.append(String(decoding: token, as: UTF8.self))
            }
        }
        #expect(tokens == [Self.token, Self.token])
    }
}
