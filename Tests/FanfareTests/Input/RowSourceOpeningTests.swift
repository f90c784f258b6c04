import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The kind of an input, and its faults before its first row.
@Suite struct RowSourceOpeningTests {
    private func failure(
        _ input: RowInput, _ change: (inout RowOptions) -> Void = { _ in },
        required: [(column: String, by: Statement)] = [("token", "every row needs")]
    ) -> FanfareError? {
        let source = RowReading.source([input], change, required: required)
        return fanfareError { try source.openFirst() }
    }

    @Test func `a message shows no whole token of a file without a header`() throws {
        let token = String(repeating: "a1", count: 32)
        let csv = try #require(failure(.text("\(token),Ann\n\(token),Bo\n")))
        #expect(csv.message.contains("its columns: \(token.prefix(32))…, Ann. "))
        #expect(csv.message.contains("RowOptions.hasHeader = false RowOptions.columns"))
        let json = try #require(failure(.text(#"{"token":"\#(token)"}"#)) { $0.format = .csv })
        #expect(!csv.message.contains(token) && !json.message.contains(token))
    }

    // MARK: Format

    @Test(arguments: ["rows.csv", "rows.CSV", "rows.tsv", "rows"])
    func `a name or a first byte says CSV`(name: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("token\tid\naa\t1\n", to: name)
        #expect(try RowReading.rows([.file(path)]).map(\.token) == ["aa"])
    }

    @Test(arguments: ["rows.ndjson", "rows.jsonl", "rows.JSONL", "rows"])
    func `a name or a first byte says NDJSON`(name: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"token":"aa"}"#, to: name)
        #expect(try RowReading.rows([.file(path)]).map(\.token) == ["aa"])
    }

    @Test func `a name wins over the first bytes, and the option over the name`() throws {
        let folder = try TemporaryFolder()
        let csv = try folder.write("{odd},token\n1,aa\n", to: "rows.csv")
        #expect(try RowReading.rows([.file(csv)]).map(\.token) == ["aa"])
        let ndjson = try folder.write("token\naa\n", to: "rows.ndjson")
        #expect(try RowReading.rows([.file(ndjson)]).map(\.fault) == [.invalidJSON, .invalidJSON])
        #expect(try RowReading.rows([.file(ndjson)]) { $0.format = .csv }.map(\.token) == ["aa"])
    }

    @Test(arguments: ["", "\u{FEFF}", "\u{FEFF} \r\n\t\n", String(repeating: "\n", count: 70_000)])
    func `what is blank before the first brace is no sign of CSV`(_ blank: String) throws {
        let rows = try RowReading.rows([.text(blank + #"{"token":"aa"}"#)])
        #expect(rows.map(\.token) == ["aa"])
    }

    // MARK: Header and columns

    @Test func `a byte order mark is no part of the first column`() throws {
        #expect(try RowReading.rows([.text("\u{FEFF}token\naa\n")]).map(\.token) == ["aa"])
        let headless = try RowReading.rows([.text("\u{FEFF}aa\nbb\n")]) {
            $0.hasHeader = false
            $0.columns = ["token"]
        }
        #expect(headless.map(\.token) == ["aa", "bb"])
        #expect(headless.map(\.line) == [1, 2])
    }

    @Test func `columns are named by the caller when there is no header`() throws {
        let rows = try RowReading.rows([.text("1|aa\n2|bb\n"), .text("3|cc\n")]) {
            $0.hasHeader = false
            $0.columns = ["id", "token"]
            $0.delimiter = UInt8(ascii: "|")
        }
        #expect(rows.map(\.token) == ["aa", "bb", "cc"])
        #expect(rows.map(\.line) == [1, 2, 1])
    }

    @Test func `a mapping finds columns under another name in both formats`() throws {
        let rows = try RowReading.rows([
            .text("token,device\nno,aa\n"), .text(#"{"device":"bb","token":"no"}"#),
        ]) { $0.mapping = ["token": "device"] }
        #expect(rows.map(\.token) == ["aa", "bb"])
    }

    @Test func `a column that is missing is named with those there are`() {
        let error = failure(.text("device,name\naa,b\n", name: "list.csv"))
        #expect(error?.code == .input)
        #expect(
            error?.message == "list.csv has no column 'token', which every row needs; its columns: "
                + "device, name. To use one under another name: RowOptions.mapping = [\"token\": "
                + "\"NAME\"]")
    }

    @Test func `a mapped column that is missing is named as the input should have it`() {
        let error = failure(.text("token\naa\n")) { $0.mapping = ["token": "device"] }
        #expect(error?.message.hasPrefix("input has no column 'device', which every row") == true)
    }

    @Test func `a wanted column may not come twice, another one may`() throws {
        let error = failure(.text("token,id,token\naa,1,bb\n"))
        #expect(error?.message == "input has 2 columns named 'token'")
        let rows = try RowReading.rows([.text("token,x,x\naa,1,2\n")])
        #expect(rows.map(\.token) == ["aa"])
    }

    @Test func `every later input has to have the columns, too`() throws {
        let source = RowReading.source([.text("token\naa\n"), .text("device\nbb\n", name: "two")])
        var reading = RowReading(source)
        let error = fanfareError { try reading.readAll(inputCapacity: 64, rowCapacity: 8) }
        #expect(error?.message.hasPrefix("two has no column 'token'") == true)
        #expect(reading.rows.map(\.token) == ["aa"])
    }

    @Test func `no header and no columns are told as missing columns`() {
        let error = failure(.text("aa\n")) { $0.hasHeader = false }
        #expect(error?.message.contains("its columns: none") == true)
    }

    @Test func `NDJSON has no header to ask for columns`() throws {
        #expect(try RowReading.rows([.text(#"{"id":"1"}"#)]).map(\.token) == [nil])
    }

    // MARK: Not an input

    @Test(arguments: ["", " \n\t\r\n", "\u{FEFF}\n"])
    func `an input with nothing in it is an error`(text: String) {
        let error = failure(.text(text, name: "standard input"))
        #expect(error?.code == .input)
        #expect(
            error?.message
                == "standard input is empty: neither a CSV header nor a row is in it")
    }

    @Test func `an empty file is an error as CSV and no rows as NDJSON`() throws {
        let folder = try TemporaryFolder()
        let csv = try folder.write("", to: "rows.csv")
        #expect(
            failure(.file(csv))?.message
                == "\(csv) has no usable header: it is empty")
        let ndjson = try folder.write("", to: "rows.ndjson")
        #expect(try RowReading.rows([.file(ndjson)]).isEmpty)
    }

    @Test func `a directory and a missing file are told apart`() throws {
        let folder = try TemporaryFolder()
        let directory = failure(.file(folder.path))
        #expect(directory?.code == .input)
        #expect(directory?.message.contains("directory") == true)
        let missing = folder.path("none")
        #expect(
            failure(.file(missing))?.message
                == "\(missing) cannot be read: no such file or directory")
    }

    @Test func `a header without an end is none`() {
        let endless = failure(.text("token,\"" + String(repeating: "x", count: 1_200_000)))
        #expect(endless?.code == .input)
    }
}
