import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Rows in other encodings than UTF-8.
@Suite struct EncodedInputTests {
    private static let text =
        "name;token\r\n" + (1...300).map { "Zoë ÿ £\($0);t\($0)\r\n" }.joined()

    private static let cases: [(RowEncoding?, String.Encoding, mark: [UInt8])] = [
        (nil, .utf16LittleEndian, [0xFF, 0xFE]), (nil, .utf16BigEndian, [0xFE, 0xFF]),
        (.utf16, .utf16LittleEndian, [0xFF, 0xFE]), (.utf16, .utf16BigEndian, []),
        (.utf16LittleEndian, .utf16LittleEndian, []),
        (.utf16LittleEndian, .utf16LittleEndian, [0xFF, 0xFE]),
        (.utf16BigEndian, .utf16BigEndian, []), (.latin1, .isoLatin1, []),
        (.windows1252, .windowsCP1252, []), (.utf8, .utf8, []), (nil, .utf8, [0xEF, 0xBB, 0xBF]),
    ]

    /// Each row at each place of a batch's end: lines, offsets and values as in UTF-8.
    @Test(arguments: cases.indices)
    func `rows are those of the same text in UTF-8`(index: Int) throws {
        let (encoding, reference, mark) = Self.cases[index]
        let bytes = mark + (try #require(Self.text.data(using: reference)))
        var expected: [ReadRow] = []
        for number: UInt64 in 1...300 {
            expected.append(ReadRow(number: number, line: number + 1, token: "t\(number)"))
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "rows.csv")
        for capacity in [33, 64, 4096] {
            let rows = try RowReading.rows(
                [.file(path)], inputCapacity: capacity, rowCapacity: 7
            ) { $0.encoding = encoding }
            #expect(rows == expected)
        }
    }

    @Test func `a value comes out as UTF-8, compressed or not`() throws {
        let token = String(repeating: "ab", count: 32)
        let text = "token,name\n\(token),€ Zoë\n"
        var configuration = Preparation.configuration("", payload: #"{"aps":{"alert":"{{name}}"}}"#)
        for (encoding, reference) in [
            (RowEncoding.windows1252, String.Encoding.windowsCP1252),
            (.utf16BigEndian, .utf16BigEndian),
        ] {
            let bytes = [UInt8](try #require(text.data(using: reference)))
            configuration.rows.encoding = encoding
            configuration.inputs = [.memory(bytes, name: "rows")]
            let rows = try Preparation.rows(configuration)
            #expect(rows.map(\.payload) == [#"{"aps":{"alert":"€ Zoë"}}"#])
        }
    }

    @Test func `what means nothing spoils its own row`() throws {
        let token = String(repeating: "ab", count: 32)
        // A high half of a pair stands alone in the second row.
        var bytes: [UInt8] = [0xFF, 0xFE]
        for line in ["token,name", "\(token),a", "\(token),?", "\(token),b"] {
            for byte in (line + "\n").utf8 {
                bytes += byte == UInt8(ascii: "?") ? [0x00, 0xD8] : [byte, 0]
            }
        }
        var configuration = Preparation.configuration("", payload: #"{"aps":{"alert":"{{name}}"}}"#)
        configuration.inputs = [.memory(bytes, name: "rows")]
        let rows = try Preparation.rows(configuration)
        #expect(rows.map(\.isReady) == [true, false, true])
        #expect(rows[1].problem == "line 3: not UTF-8, field 2")
        configuration.report.path = Rehearsal.noReport
        let result = try Rehearsal(configuration).run()
        #expect(result.hints.count == 1)
        #expect(result.hints.first?.description.contains("RowOptions.encoding") == true)
    }

    @Test func `UTF-16 without a mark is recognized by its zeros`() throws {
        let bytes = [UInt8](try #require("token,id\nab,1\n".data(using: .utf16LittleEndian)))
        let error = fanfareError { _ = try RowReading.rows([.memory(bytes, name: "rows")]) }
        #expect(error?.message.contains("RowOptions.encoding = .utf16LittleEndian") == true)
        let marked = fanfareError {
            _ = try RowReading.rows([.memory([0xFF, 0xFE] + bytes, name: "rows")]) {
                $0.encoding = .utf8
            }
        }
        #expect(marked?.message.contains("the input is UTF-16") == true)
    }

    /// A caller that asks a compressed pipe whether there is more may learn of its end before it is
    /// read.
    @Test(arguments: [[0x41], [0x3D, 0xD8]] as [[UInt8]])
    func `half a character at the end of a compressed pipe is no UTF-8`(half: [UInt8]) throws {
        var bytes: [UInt8] = [0xFF, 0xFE]
        for byte in "token\na\nb\nc".utf8 { bytes += [byte, 0] }
        var compressor = Compressor(.gzip)
        var packed = ByteBuffer()
        (bytes + half).withUnsafeBufferPointer { compressor.append($0, to: &packed) }
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(packed.bytes))
        try pipe.fileHandleForWriting.close()
        let input = RowInput.file("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        let source = TextSource(try ByteSource(input) { false }, encoding: nil)
        var (text, space) = ([UInt8](), [UInt8](repeating: 0, count: 7))
        while !source.isAtEnd {
            _ = source.wouldWait
            let count = try space.withUnsafeMutableBytes { try source.read(into: $0) }
            text += space[..<count]
        }
        #expect(text.starts(with: "token\na\nb\nc".utf8))
        #expect(text.count > 11 && String(validating: text, as: UTF8.self) == nil)
    }
}
