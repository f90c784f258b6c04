import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Inputs whose beginning is not in the encoding that they are read in.
@Suite struct OtherEncodingTests {
    private static let token = String(repeating: "ab", count: 32)

    /// CSV whose names are bytes in any encoding.
    private static func csv(_ names: [[UInt8]]) -> [UInt8] {
        Array("token,name\n".utf8)
            + names.flatMap { Array("\(token),".utf8) + $0 + Array("\n".utf8) }
    }

    private static let ann = Array("Ann".utf8)
    private static let zoe: [UInt8] = Array("Zo".utf8) + [0xEB]
    private static let zoeOfUTF8 = Array("Zoë".utf8)

    private func look(
        _ input: RowInput, _ encoding: RowEncoding? = nil
    ) throws -> RowReader.OtherEncoding? {
        var options = RowOptions()
        options.encoding = encoding
        return try RowReader(input, InputSpec(options: options)).otherEncoding()
    }

    private func look(_ bytes: [UInt8], _ encoding: RowEncoding? = nil) throws
        -> RowReader.OtherEncoding?
    {
        try look(.memory(bytes, name: "rows"), encoding)
    }

    @Test func `the line and the encoding are told, for programs and on the command line`() throws {
        let other = try #require(try look(Self.csv([Self.ann, Self.ann, Self.zoe])))
        #expect(
            other.error(in: "rows.csv").message
                == "rows.csv: line 4 is not UTF-8; this looks like windows-1252: "
                + "RowOptions.encoding = .windows1252")
        #expect(!other.isMixture)
        // As ISO 8859-1 it is the same text.
        #expect(try look(Self.csv([Self.zoe]), .windows1252) == nil)
        #expect(try look(Self.csv([Self.zoe]), .latin1) == nil)
    }

    @Test func `a quoted field of several lines and NDJSON have the line of the byte`() throws {
        let quoted = Array("\"a\nb\n".utf8) + Self.zoe + Array("\"".utf8)
        #expect(try look(Self.csv([Self.ann, quoted]))?.line == 5)
        let line = Array(#"{"token":"aa","name":""#.utf8)
        let end = Array("\"}\n".utf8)
        let bytes = line + Self.ann + end + Array("\n".utf8) + line + Self.zoe + end
        let other = try #require(try look(bytes))
        #expect(other.line == 3 && other.encoding == .windows1252)
    }

    @Test func `a text in UTF-8 with damaged rows is UTF-8`() throws {
        #expect(try look(Self.csv([Self.zoeOfUTF8, Self.zoe])) == nil)
        #expect(try look(Self.csv([Self.zoeOfUTF8, Self.zoe, Self.zoe])) != nil)
        #expect(try look(Self.csv([Self.ann])) == nil)
        #expect(try look(Self.csv([])) == nil)
    }

    @Test func `a mixture is told as one, and a name that was spoiled before makes none`() throws {
        let mixed = try #require(
            try look(Self.csv([Self.zoeOfUTF8, Self.zoe, Self.zoe])))
        #expect(mixed.isMixture)
        let message = mixed.error(in: "rows").message
        #expect(message.hasPrefix("rows: line 3 is not UTF-8, but other lines"))
        #expect(message.contains("RowOptions.encoding = .utf8"))
        let many = [[UInt8]](repeating: Self.zoe, count: 10)
        #expect(try look(Self.csv(many + [Self.zoeOfUTF8]))?.isMixture == false)
    }

    @Test func `one who names UTF-8 has been asked`() throws {
        #expect(try look(Self.csv([Self.zoe]), .utf8) == nil)
    }

    @Test func `what no encoding fits names none`() throws {
        let other = try #require(
            try look(Self.csv([Array("M".utf8) + [0x81] + Array("ller".utf8)])))
        #expect(other.encoding == nil)
        #expect(other.error(in: "rows").message.contains("iconv -f ENCODING -t UTF-8"))
    }

    /// 1 MiB of rows of 69 bytes are 15,197 rows.
    @Test func `the first mebibyte is looked at, and a character is not cut at its end`() throws {
        let many = [[UInt8]](repeating: Self.ann, count: 30_000)
        #expect(try look(Self.csv(many + [Self.zoe])) == nil)
        #expect(
            try look(Self.csv(Array(many[..<15_000]) + [Self.zoe] + many))?.line == 15_002)
        for shift in 0..<6 {
            let first = [UInt8](repeating: UInt8(ascii: "a"), count: shift)
            let wide = [[UInt8]](repeating: Array("ëëë€😀".utf8), count: 14_000)
            #expect(try look(Self.csv([first] + wide)) == nil)
        }
    }

    @Test func `a compressed text is looked at, and one with a mark of UTF-16 is not`() throws {
        var compressor = Compressor(.gzip)
        var packed = ByteBuffer()
        Self.csv([Self.ann, Self.zoe]).withUnsafeBufferPointer {
            compressor.append($0, to: &packed)
        }
        #expect(try look(Array(packed.bytes))?.line == 3)
        var wide: [UInt8] = [0xFF, 0xFE]
        for byte in Self.csv([Self.ann]) { wide += [byte, 0] }
        #expect(try look(wide + [0x00, 0xD8, 0x0A, 0x00]) == nil)
    }

    @Test(arguments: ["", "more, and not the end"])
    func `of a pipe the rows that are there are looked at, and not taken`(end: String) throws {
        let bytes = Self.csv([Self.ann, Self.zoe, Self.zoe]) + Array(end.utf8)
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
        if end.isEmpty { try pipe.fileHandleForWriting.close() }
        let input = RowInput.file("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        let spec = InputSpec()
        let text = try TextSource(input, spec)
        let reader = RowReader(try InputHead(of: text, spec), text, spec)
        #expect(reader.otherEncodingAtHand()?.line == 3)
        let batch = RowBatch(rowCapacity: 3, slotCount: reader.head.schema.slotCount)
        #expect(try reader.fill(batch))
        #expect(batch.rowCount == 3)
    }

    @Test func `a header that is not UTF-8 is told with the encoding that fits`() throws {
        let bytes = Array("token,Gr".utf8) + [0xFC] + Array("n\n\(Self.token),a\n".utf8)
        let error = fanfareError { _ = try look(bytes) }
        #expect(
            error?.message
                == "rows has no usable header: column 2 of the header is not UTF-8; this looks like "
                + "windows-1252: RowOptions.encoding = .windows1252")
    }

    @Test func `neither a check nor a job begins, and a job leaves nothing behind`() throws {
        let folder = try TemporaryFolder()
        let first = try folder.write(Self.csv([Self.ann]), to: "first.csv")
        let second = try folder.write(Self.csv([Self.ann, Self.zoe]), to: "second.csv")
        var configuration = Preparation.configuration("", payload: #"{"aps":{"alert":"{{name}}"}}"#)
        configuration.inputs = [.file(first), .file(second)]
        configuration.report.path = folder.path("report.csv")
        let says = "second.csv: line 3 is not UTF-8; this looks like windows-1252: "
        for resumes in [false, true] {
            configuration.report.resumes = resumes
            let error = fanfareError { _ = try JobOpening.open(configuration) }
            #expect(error?.code == .input)
            #expect(error?.message.contains(says) == true)
            #expect(error?.message.hasSuffix(". Nothing was sent") == true)
            #expect(!folder.exists("report.csv") && !folder.exists("report.csv.checkpoint"))
        }
        configuration.report.resumes = false
        configuration.report.path = Rehearsal.noReport
        let error = fanfareError { _ = try Rehearsal(configuration) }
        #expect(error?.message.contains(says) == true)
        configuration.rows.encoding = .windows1252
        #expect(try Rehearsal(configuration).run().summary.tally.rowsRead == 3)
    }
}
