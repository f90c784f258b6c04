import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Reports read back as people have them: whole, torn, compressed, in pieces, or none at all.
@Suite struct ReportReaderTests {
    static let header =
        "row,id,token,provider,outcome,status,reason,message_id,attempts,latency_ms,"
        + "unregistered_at,sent_at\n"
    static let lines = [
        "3,,aa,apns,accepted,200,,x,1,12.345,,2026-01-01T00:00:02.000Z\n",
        "1,\"a\"\"b\nc\",bb,fcm,failed,503,ServiceUnavailable,x,5,1.000,,2026-01-01T00:00:00.000Z\n",
        "2,,\"z,z\",,invalid,,\"line 3: more fields than the header has, field 4\",,0,,,\n",
    ]
    static let text = header + lines.joined()

    private func digest(_ texts: String...) throws -> ReportDigest {
        try ReportDigest.reading(texts.map { .text($0, name: "r.csv") })
    }

    @Test func `the lines add up`() throws {
        let digest = try digest(Self.text)
        #expect(digest.files == [.init(name: "r.csv", lines: 3)])
        #expect(digest.tally.finished == 3 && digest.tally.attempts == 6)
        #expect(digest.tally.retries == 4)
        #expect(
            digest.tally.reasons.map(\.reason) == [
                "", "ServiceUnavailable", "more fields than the header has",
            ])
        #expect(digest.latency.count == 2 && digest.latency.max == 12_345_000)
        // 2026-01-01T00:00:00Z is 1,767,225,600.
        #expect(digest.sent == 1_767_225_600_000...1_767_225_602_000)
        #expect(digest.durationMilliseconds == 2012)
        #expect(digest.rowsByAttempts[0] == 1 && digest.rowsByAttempts[5] == 1)
        #expect(digest.rowsByStatus[503] == 1 && digest.rowsByStatus[0] == 1)
        #expect(digest.missingRows == 0 && digest.repeatedLines == 0)
    }

    /// Many providers answer 200, with a verdict for each row.
    @Test func `a reason counts whatever the status is`() throws {
        let rows = [
            "1,,aa,beacon,unregistered,200,2002 no longer registered,,1,1.000,,2026-01-01T00:00:00.000Z\n",
            "2,,bb,beacon,accepted,200,,,1,1.000,,2026-01-01T00:00:00.000Z\n",
            "3,,cc,beacon,unregistered,200,2002 no longer registered,,1,1.000,,2026-01-01T00:00:00.000Z\n",
        ]
        let reasons = try digest(Self.header + rows.joined()).tally.reasons
        #expect(reasons.map(\.reason) == ["", "2002 no longer registered"])
        #expect(reasons.map(\.count) == [1, 2])
        #expect(reasons.map(\.status) == [200, 200])
    }

    @Test func `a value may have lines that look like those of a report`() throws {
        let line =
            "4,\"\(DeceptiveTexts.line)\",dd,apns,accepted,200,,x,1,1.000,,2026-01-01T00:00:03.000Z\n"
        let digest = try digest(Self.header + line + Self.lines.joined())
        #expect(digest.files == [.init(name: "r.csv", lines: 4)])
        #expect(digest.rows.count == 4 && digest.repeatedLines == 0)
    }

    @Test func `several files are one job`() throws {
        let digest = try digest(
            Self.header + Self.lines[0], Self.header + Self.lines[2],
            Self.header + Self.lines[1])
        #expect(digest.files.map(\.lines) == [1, 1, 1])
        #expect(digest.rows.count == 3 && digest.tally.finished == 3)
    }

    @Test func `rows with two lines, and rows without one, are told`() throws {
        let digest = try digest(
            Self.header + Self.lines[0], Self.header + Self.lines[0] + Self.lines[2])
        #expect(digest.repeatedLines == 1)
        #expect(digest.missingRows == 1)
    }

    @Test func `NDJSON comes back, under any name`() throws {
        let line = """
            {"row":7,"id":null,"token":"aa","provider":"apns","outcome":"accepted","status":200,"reason":null,\
            "message_id":"x","attempts":2,"latency_ms":0.500,"unregistered_at":null,\
            "sent_at":"2026-01-01T00:00:00.000Z"}

            """
        let digest = try ReportDigest.reading([.text(line, name: "report")])
        #expect(digest.rows.contains(7))
        #expect(digest.tally.attempts == 2)
        #expect(digest.tally.reasons.map(\.reason) == [""])
        #expect(digest.latency.max == 500_000)
        #expect(digest.sent == 1_767_225_600_000...1_767_225_600_000)
    }

    @Test func `a report that is cut anywhere has the lines before the cut`() throws {
        let bytes = Array(Self.text.utf8)
        var ends = [Self.header.utf8.count]
        for line in Self.lines { ends.append(ends[ends.count - 1] + line.utf8.count) }
        for cut in ends[0]...bytes.count {
            let digest = try ReportDigest.reading([.memory(Array(bytes[..<cut]), name: "r.csv")])
            #expect(digest.files[0].lines == UInt64(ends.count { $0 <= cut } - 1), "cut at \(cut)")
            #expect((digest.files[0].torn == nil) == ends.contains(cut), "cut at \(cut)")
        }
    }

    @Test(arguments: CompressionFormat.allCases)
    func `a compressed report that is cut has the blocks before the cut`(
        format: CompressionFormat
    ) throws {
        var compressor = Compressor(format)
        var buffer = ByteBuffer()
        var ends: [Int] = []
        for var text in [Self.header] + Self.lines {
            text.withUTF8 { compressor.append($0, to: &buffer) }
            ends.append(buffer.count)
        }
        let bytes = Array(buffer.bytes)
        for cut in ends[0]...bytes.count {
            let digest = try ReportDigest.reading([
                .memory(Array(bytes[..<cut]), name: "r.csv.x")
            ])
            let whole = UInt64(ends.count { $0 <= cut } - 1)
            // Lines may come out of a block that is not whole.
            #expect(digest.files[0].lines >= whole, "cut at \(cut)")
            #expect((digest.files[0].torn == nil) == ends.contains(cut), "cut at \(cut)")
        }
    }

    @Test(arguments: [
        ("0,,a,apns,accepted,200,,,1,1.000,,\n", "line 3"),
        ("4,,a,apns,splendid,200,,,1,,,\n", "line 3"), ("nonsense\n", "line 3"),
    ])
    func `a line in the middle that is none is told with its place`(
        _ rubbish: String, _ place: String
    ) throws {
        let text = Self.header + Self.lines[0] + rubbish + Self.lines[1]
        let error = fanfareError { _ = try digest(text) }
        #expect(error?.code == .input)
        #expect(error?.message.contains("r.csv, \(place), is no line of a report") == true)
    }

    @Test(arguments: [
        "token,name\naa,b\n", "", "{\"a\":1}\n{\"a\":1}\n", "row,outcome\n1,accepted\n",
    ])
    func `a file that is no report is refused`(_ text: String) throws {
        let error = fanfareError { _ = try ReportDigest.reading([.text(text, name: "rows")]) }
        #expect(error?.code == .input)
        #expect(error?.message.hasPrefix("rows") == true)
    }

    @Test func `a report may be larger than what is read at once`() throws {
        var text = Self.header
        let count = 20_000
        for row in 1...count {
            text += "\(row),,aa,apns,accepted,200,,x,1,1.000,,2026-01-01T00:00:00.000Z\n"
        }
        let digest = try digest(text)
        #expect(digest.files[0].lines == UInt64(count) && digest.files[0].torn == nil)
        #expect(digest.rows.count == UInt64(count) && digest.missingRows == 0)
    }
}
