import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

@Suite struct ReportExtractTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static let text =
        "row,id,token,provider,outcome,status,reason,message_id,attempts,latency_ms,"
        + "unregistered_at,sent_at,name,token\n"
        + "1,a,t1,apns,accepted,200,,x1,1,1.000,,2026-01-01T00:00:00.000Z,\"A, B\",z\n"
        + "3,c,t3,fcm,unregistered,410,Unregistered,x3,1,2.500,2025-01-01T00:00:00.000Z,"
        + "2026-01-01T00:00:00.000Z,,z\n"
        + "2,,t2,,invalid,,line 3: no token,,0,,,,05,z\n"

    static let ndjson =
        #"{"row":7,"id":null,"token":"t7","provider":"fcm","outcome":"failed","status":503,"reason":"R","#
        + #""message_id":"x","attempts":2,"latency_ms":0.500,"unregistered_at":null,"sent_at":"y","#
        + #""name":{"first":"Å\"b"},"n":5}"# + "\n"

    private func extract(
        _ texts: [String] = [text], to name: String = "out.csv",
        adjust: (inout ReportExtract.Settings) throws -> Void = { _ in }
    ) throws -> String {
        var settings = ReportExtract.Settings()
        settings.path = folder.path(name)
        try adjust(&settings)
        _ = try ReportExtract.write(texts.map { .text($0, name: "r") }, settings)
        return try folder.read(name)
    }

    @Test func `lines and columns that are wanted are written, the columns as asked for`() throws {
        let text = try extract {
            $0.filters = [try ReportFilter("outcome=unregistered,invalid")]
            $0.columns = ["unregistered_at", "token", "name"]
        }
        #expect(text == "unregistered_at,token,name\n2025-01-01T00:00:00.000Z,t3,\n,t2,05\n")
    }

    /// As Python's `csv.writer` writes them: its readers skip lines with nothing on them.
    @Test func `an empty value that stands alone on its line is written as quotes`() throws {
        let text = try extract { $0.columns = ["unregistered_at"] }
        #expect(text == "unregistered_at\n\"\"\n2025-01-01T00:00:00.000Z\n\"\"\n")
    }

    /// In countries with a decimal comma a spreadsheet ends cells with semicolons, and knows no quote within a cell.
    @Test(arguments: [
        ("=1", "'=1"), ("\n=1", "\"'\n'=1\""), ("\0=1", "'\0=1"), ("1;=2+2", "1;'=2+2"),
        ("1;\"=2", "\"1;\"\"'=2\""), ("a\t@b", "a\t'@b"), ("a\r\n-b", "\"a\r\n'-b\""),
        ("1;2=2", "1;2=2"),
        ("\"=1", "\"\"\"=1\""), ("a-b", "a-b"), (";;+1", ";;'+1"), ("\u{600};=1", "\u{600};'=1"),
        ("", ""),
    ])
    func `a spreadsheet finds no formula, whatever ends a cell`(value: String, field: String) throws
    {
        let line = "1,,t,apns,accepted,200,,x,1,1.000,,y,\(value.quoted(doubling: "\""))\n"
        let header = ReportFormat.columns.joined(separator: ",") + ",n\n"
        let text = try extract([header + line]) {
            $0.columns = ["row", "n"]
            $0.isForSpreadsheets = true
        }
        #expect(text == "row,n\n1,\(field)\n")
    }

    @Test func `lines stand in the order of their rows when that is asked for`() throws {
        let text = try extract([Self.text, Self.ndjson]) {
            $0.columns = ["row", "token"]
            $0.isOrdered = true
        }
        #expect(text == "row,token\n1,t1\n2,t2\n3,t3\n7,t7\n")
        let other = try extract([Self.ndjson, Self.text], to: "out.ndjson") {
            $0.columns = ["row"]
            $0.filters = [try ReportFilter("row!=2")]
            $0.isOrdered = true
        }
        #expect(other == "{\"row\":1}\n{\"row\":3}\n{\"row\":7}\n")
    }

    @Test func `what can be read only once cannot be put in order`() throws {
        var settings = ReportExtract.Settings()
        settings.path = folder.path("out.csv")
        settings.isOrdered = true
        for input in [RowInput.standardInput, .file("/dev/null")] {
            #expect(throws: (any Error).self) { try ReportExtract.write([input], settings) }
            settings.overwrites = true
        }
    }

    @Test func `a line has to fit every filter`() throws {
        let text = try extract {
            $0.filters = [try ReportFilter("outcome!=accepted"), try ReportFilter("status=410")]
            $0.columns = ["row"]
        }
        #expect(text == "row\n3\n")
    }

    @Test func `without columns all are written, each name once`() throws {
        let text = try extract { $0.filters = [try ReportFilter("row=1")] }
        let header = ReportFormat.columns.joined(separator: ",") + ",name\n"
        #expect(
            text == header
                + "1,a,t1,apns,accepted,200,,x1,1,1.000,,2026-01-01T00:00:00.000Z,\"A, B\"\n")
    }

    @Test func `numbers of ours are numbers in NDJSON, and nothing is null`() throws {
        let text = try extract(to: "out.ndjson") {
            $0.columns = ["row", "id", "status", "latency_ms", "reason", "name"]
        }
        #expect(
            text == """
                {"row":1,"id":"a","status":200,"latency_ms":1.000,"reason":null,"name":"A, B"}
                {"row":3,"id":"c","status":410,"latency_ms":2.500,"reason":"Unregistered","name":""}
                {"row":2,"id":null,"status":null,"latency_ms":null,"reason":"line 3: no token","name":"05"}

                """)
    }

    @Test func `values of NDJSON stay what they are`() throws {
        let same = try extract([Self.ndjson], to: "out.ndjson") {
            $0.columns = ["row", "id", "latency_ms", "name", "n"]
        }
        #expect(
            same == #"{"row":7,"id":null,"latency_ms":0.500,"name":{"first":"Å\"b"},"n":5}"# + "\n")
        let csv = try extract([Self.ndjson]) { $0.columns = ["row", "id", "name", "n"] }
        #expect(csv == "row,id,name,n\n7,,\"{\"\"first\"\":\"\"Å\\\"\"b\"\"}\",5\n")
    }

    @Test func `a whole report survives the way to NDJSON and back`() throws {
        let lines = ReportReaderTests.text
        let ndjson = try extract([lines], to: "a.ndjson")
        let back = try extract([ndjson], to: "b.csv")
        #expect(back == lines)
    }

    @Test(arguments: ["out.csv.gz", "out.ndjson.zst"])
    func `a compressed file is one even if nothing is in it`(_ name: String) throws {
        var settings = ReportExtract.Settings()
        settings.path = folder.path(name)
        settings.filters = [try ReportFilter("outcome=skipped")]
        _ = try ReportExtract.write([.text(Self.text, name: "r")], settings)
        let digest = try ReportDigest.reading([.file(settings.path)])
        #expect(digest.rows.count == 0 && digest.files[0].torn == nil)
    }

    @Test func `an unknown column is told with those that there are`() throws {
        for input in [Self.text, Self.ndjson] {
            do {
                _ = try extract([input], to: "x.csv") {
                    $0.columns = ["row", "nmae"]
                    $0.overwrites = true
                }
                Issue.record("there is no such column")
            } catch let ReportExtract.Failure.unknownColumn(column, name, known) {
                #expect(column == "nmae" && name == "r")
                #expect(known.contains("name") && known.contains("sent_at"))
            }
        }
    }

    @Test func `a file that is there stays, unless it may be replaced`() throws {
        try folder.write("mine", to: "out.csv")
        do {
            _ = try extract()
            Issue.record("it was replaced")
        } catch let ReportExtract.Failure.failed(error) {
            #expect(
                error.code == .configuration && error.message.contains("ReportOptions.overwrites"))
        }
        #expect(try folder.read("out.csv") == "mine")
        #expect(try extract { $0.overwrites = true }.hasPrefix("row,"))
    }

    @Test(arguments: [false, true])
    func `a folder is no file, and nothing replaces it`(overwrites: Bool) throws {
        var settings = ReportExtract.Settings()
        settings.path = folder.path
        settings.overwrites = overwrites
        do {
            _ = try ReportExtract.write([.text(Self.text, name: "r")], settings)
            Issue.record("a folder was written to")
        } catch ReportExtract.Failure.failed(let error) {
            #expect(error.code == .configuration)
            #expect(
                error.message == "\(folder.path) is a folder, which nothing replaces; "
                    + "ReportExtract.Settings.path names a file")
        }
    }

    @Test func `a report is never replaced by its own lines`() throws {
        let path = try folder.write(Self.text, to: "r.csv")
        var settings = ReportExtract.Settings()
        settings.path = path
        settings.overwrites = true
        #expect(throws: ReportExtract.Failure.self) {
            _ = try ReportExtract.write([.file(path)], settings)
        }
        #expect(try folder.read("r.csv") == Self.text)
    }
}
