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
        let workbook =
            Array("PK".utf8) + [3, 4] + [UInt8](repeating: 0, count: 26)
            + Array("[Content_Types].xml".utf8)
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
}
