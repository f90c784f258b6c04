import FanfareBase
import FanfareCompression
import FanfareCore
import Testing

@testable import Fanfare

/// Reports read back as the log of their job.
@Suite struct ReportScanTests {
    private static let header =
        "row,id,token,provider,outcome,status,reason,message_id,attempts,latency_ms,"
        + "unregistered_at,sent_at\n"
    private static let lines = [
        "3,,aa,apns,accepted,200,,x,1,12.345,,2026-01-01T00:00:00.000Z\n",
        "1,\"a\"\"b\nc\",bb,fcm,failed,503,ServiceUnavailable,x,5,1.000,,2026-01-01T00:00:00.000Z\n",
        "2,,\"z,z\",,invalid,,\"line 3: more fields than the header has, field 4\",,0,,,\n",
    ]

    private func scan(_ text: String, _ format: ReportFormat = ReportFormat(.csv)) throws
        -> ReportScan
    {
        try ReportScan(.text(text), format: format, byteCount: text.utf8.count)
    }

    @Test func `finished rows and what they add up to come back`() throws {
        let text = Self.header + Self.lines.joined()
        let scan = try scan(text)
        #expect(scan.fault == nil)
        #expect(scan.wholeBytes == text.utf8.count)
        #expect(
            [0, 1, 2, 3, 4].map { scan.rows.contains($0) } == [false, true, true, true, false])
        #expect(scan.tally.rowsRead == 3)
        #expect(scan.tally.attempts == 6)
        #expect(scan.tally.retries == 4)
        #expect(
            scan.tally.reasons == [
                .init(outcome: .accepted, status: 200, reason: "", count: 1),
                .init(outcome: .failed, status: 503, reason: "ServiceUnavailable", count: 1),
                // As the job counts it: without what is this row's own.
                .init(
                    outcome: .invalid, status: 0, reason: "more fields than the header has",
                    count: 1),
            ])
        #expect(scan.latency.count == 2)
        #expect(scan.latency.max == 12_345_000)
        #expect(scan.latency.min == 1_000_000)
    }

    @Test func `a value may have lines that look like those of a report`() throws {
        let text =
            Self.header + "4,\"\(DeceptiveTexts.line)\",dd,apns,accepted,200,,x,1,1.000,,y\n"
            + Self.lines.joined()
        let scan = try scan(text)
        #expect(scan.fault == nil)
        #expect(scan.rows.count == 4)
        #expect(scan.wholeBytes == text.utf8.count)
    }

    @Test func `a report of NDJSON comes back too`() throws {
        let text = """
            {"row":7,"id":null,"token":"aa","provider":"apns","outcome":"accepted","status":200,"reason":null,\
            "message_id":"x","attempts":2,"latency_ms":0.500,"unregistered_at":null,"sent_at":"y"}

            """
        let scan = try scan(text, ReportFormat(.ndjson))
        #expect(scan.fault == nil)
        #expect(scan.rows.contains(7))
        #expect(scan.tally.attempts == 2)
        #expect(scan.latency.max == 500_000)
        #expect(scan.wholeBytes == text.utf8.count)
    }

    @Test func `a report that is cut anywhere has the lines before the cut`() throws {
        let text = Self.header + Self.lines.joined()
        var ends = [Self.header.utf8.count]
        for line in Self.lines { ends.append(ends[ends.count - 1] + line.utf8.count) }
        let bytes = Array(text.utf8)
        for cut in 1...bytes.count {
            let scan = try ReportScan(
                .memory(Array(bytes[..<cut]), name: "r"), format: ReportFormat(.csv),
                byteCount: cut)
            let whole = ends.last { $0 <= cut } ?? 0
            #expect(scan.wholeBytes == whole, "cut at \(cut)")
            #expect(scan.rows.count == UInt64(max(0, ends.count { $0 <= cut } - 1)))
            #expect((scan.fault == nil) == (whole == cut))
        }
    }

    @Test func `parts are read as one report, each with its header`() throws {
        let parts = [
            Self.header + Self.lines[0] + Self.lines[1], Self.header + Self.lines[2],
        ]
        let ends = parts.map(\.utf8.count)
        let bytes = parts.map { Array($0.utf8) }
        func scan(_ lengths: [Int]) throws -> ReportScan {
            try ReportScan(
                parts: zip(bytes, lengths).map { (.memory(Array($0[..<$1]), name: "p"), $1) },
                format: ReportFormat(.csv))
        }
        let whole = try scan(ends)
        #expect(whole.fault == nil && whole.rows.count == 3)
        #expect(whole.wholeBytes == ends[0] + ends[1])
        // Cut in the header of the second one: it goes altogether.
        let torn = try scan([ends[0], 10])
        #expect(torn.rows.count == 2 && torn.wholeBytes == ends[0])
        // Cut in the first one: nothing behind it counts.
        let early = try scan([ends[0] - 1, ends[1]])
        #expect(early.rows.count == 1)
        #expect(early.wholeBytes == (Self.header + Self.lines[0]).utf8.count)
        #expect(early.faultName == "p")
    }

    @Test func `bytes that are no line end it`() throws {
        for rubbish in [
            "\0\0\0\0\n", "0,,a,apns,accepted,200,,,1,1.000,,\n", "4,,a,apns,splendid,200,,,1,,,\n",
        ] {
            let text = Self.header + Self.lines[0] + rubbish + Self.lines[1]
            let scan = try scan(text)
            #expect(scan.rows.count == 1)
            #expect(scan.wholeBytes == (Self.header + Self.lines[0]).utf8.count)
            #expect(scan.fault?.line == 3)
        }
    }

    // MARK: Compressed

    /// A report of members: the header, and each line.
    private func members(_ format: CompressionFormat) -> (bytes: [UInt8], ends: [Int]) {
        var compressor = Compressor(format)
        var buffer = ByteBuffer()
        var ends: [Int] = []
        for var text in [Self.header] + Self.lines {
            text.withUTF8 { compressor.append($0, to: &buffer) }
            ends.append(buffer.count)
        }
        return (Array(buffer.bytes), ends)
    }

    @Test(arguments: CompressionFormat.allCases)
    func `a compressed report is read as far as was said`(format: CompressionFormat) throws {
        let (bytes, ends) = members(format)
        for (count, end) in ends.enumerated() {
            let scan = try ReportScan(
                .memory(bytes[..<end] + [0x1F, 0x8B, 7], name: "r"), format: ReportFormat(.csv),
                compression: format, byteCount: end)
            #expect(scan.fault == nil)
            #expect(scan.rows.count == UInt64(count))
            #expect(scan.wholeBytes == end)
        }
    }

    @Test(arguments: CompressionFormat.allCases)
    func `nothing of a compressed report is believed beside a wrong line`(
        format: CompressionFormat
    ) throws {
        let bytes = members(format).bytes + members(format).bytes
        let scan = try ReportScan(
            .memory(bytes, name: "r"), format: ReportFormat(.csv), compression: format,
            byteCount: bytes.count)
        #expect(scan.fault?.line == 6)
        #expect(scan.wholeBytes == 0)
    }

    @Test(arguments: CompressionFormat.allCases)
    func `of a compressed report that is cut anywhere the whole members are found`(
        format: CompressionFormat
    ) throws {
        let (bytes, ends) = members(format)
        for cut in 0...bytes.count {
            let expected = ends.last { $0 <= cut } ?? 0
            for rubbish in [[], [0xFF, 0, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]] {
                let whole = try ReportScan.wholeMembers(
                    of: .memory(bytes[..<cut] + rubbish, name: "r"), format, within: .max)
                #expect(whole == expected, "\(cut)")
            }
            #expect(
                try ReportScan.wholeMembers(of: .memory(bytes, name: "r"), format, within: cut)
                    == expected)
        }
    }

    @Test func `a row with two lines is told, not counted twice`() throws {
        let scan = try scan(Self.header + Self.lines[0] + Self.lines[0])
        #expect(scan.rows.count == 1)
        #expect(scan.tally.rowsRead == 1)
        #expect(scan.fault?.text == "row 3 has two lines")
    }

    @Test func `a report with other columns is not this job's`() throws {
        let format = ReportFormat(.csv, carriedNames: ["row"])
        let scan = try scan(Self.header + Self.lines[0], format)
        #expect(scan.wholeBytes == 0)
        #expect(scan.fault?.line == 1)
        let earlier = try self.scan(EarlierReport.csv, ReportFormat(.csv, carriedNames: ["name"]))
        #expect(earlier.wholeBytes == 0)
        #expect(earlier.fault?.text == "it is not the header of this job's report")
    }

    @Test func `a carried column may have the name of one of the report`() throws {
        let format = ReportFormat(.csv, carriedNames: ["row", "outcome"])
        let text = format.header + "3,,aa,apns,accepted,200,,x,1,12.345,,t,99,nonsense\n"
        let scan = try scan(text, format)
        #expect(scan.fault == nil)
        #expect(scan.rows.contains(3))
        #expect(!scan.rows.contains(99))
        #expect(scan.tally.count(.accepted) == 1)
    }

    @Test func `nothing is a report of nothing`() throws {
        #expect(try scan("").rows.count == 0)
        #expect(try scan("").fault == nil)
    }
}
