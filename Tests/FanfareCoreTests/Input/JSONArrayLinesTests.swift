import FanfareBase
import FanfareCore
import Testing

@Suite struct JSONArrayLinesTests {
    /// Converts an array that comes in pieces of so many bytes.
    private func convert(
        _ json: String, pieces size: Int, _ lines: inout JSONArrayLines, into text: inout ByteBuffer
    ) {
        let bytes = Array(json.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBufferPointer {
                lines.convert($0, into: &text)
            }
        }
    }

    /// The lines of an array.
    private func lines(_ json: String, pieces size: Int) -> [String] {
        var lines = JSONArrayLines()
        var text = ByteBuffer(capacity: 16)
        convert(json, pieces: size, &lines, into: &text)
        return String(decoding: Array(text.bytes), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test(arguments: [1, 2, 3, 1_000])
    func `each object is on the line of its number`(size: Int) {
        let json = """
            \u{FEFF}[
              {"token": "aa", "name": "a, [b] {c} \\"]\\\\"},
              {"token":"bb",
               "data":{"x":[1,
            2]}}
              ,5, {"token":"cc"}
            ]
            """
        #expect(
            lines(json, pieces: size) == [
                #"{"token": "aa", "name": "a, [b] {c} \"]\\"}"#,
                #"{"token":"bb", "data":{"x":[1, 2]}}"#, "5", #"{"token":"cc"}"#, "",
            ])
    }

    private func fault(_ json: String, pieces size: Int) -> JSONArrayLines.Fault? {
        var lines = JSONArrayLines()
        var text = ByteBuffer(capacity: 16)
        convert(json, pieces: size, &lines, into: &text)
        lines.finish()
        return lines.fault
    }

    @Test(
        arguments: [
            ("[{\"a\":1},\n{\"b\":2}]\r\n\t ", nil), ("[]", nil),
            ("[{\"a\":1}", .isCutOff(object: 1)), ("[{\"a\":1},", .isCutOff(object: 2)),
            ("[{\"a\":[1,2},{\"b\":2}]", .isCutOff(object: 1)),
            ("[{\"a\":1},{\"b\":\"]", .isCutOff(object: 2)),
            ("[{\"a\":1}]\n\n[{\"b\":2}]", .isFollowed(line: 3)),
            ("\n[{\"a\":\n1},{}],", .isFollowed(line: 3)),
            ("[{}]\u{FEFF}[{}]", .isFollowed(line: 1)),
        ] as [(String, JSONArrayLines.Fault?)])
    func `what does not end, or does not end there, has a fault`(
        json: String, expected: JSONArrayLines.Fault?
    ) {
        for size in [1, 2, 3, 1_000] { #expect(fault(json, pieces: size) == expected, "\(json)") }
    }

    @Test func `an array is told from other text`() {
        func isArray(_ text: String) -> Bool? {
            Array(text.utf8).withUnsafeBufferPointer { JSONArrayLines.isArray($0) }
        }
        #expect(isArray("[ \r\n\t{") == true)
        #expect(isArray("\u{FEFF}\n[]") == true)
        for text in ["[token],[name]\n", "[1]", #"["aa"]"#, "{\"a\":[", "token\n[{"] {
            #expect(isArray(text) == false, "\(text)")
        }
        for text in ["", "\n", " [", "[\n"] { #expect(isArray(text) == nil, "\(text)") }
    }
}
