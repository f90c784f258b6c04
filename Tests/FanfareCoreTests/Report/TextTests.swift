import FanfareBase
import FanfareCore
import Testing

@Suite struct ReportTextTests {
    @Test(
        arguments: [
            ("", ""), ("plain", "plain"), (" blanks ", " blanks "), ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""), ("two\nlines", "\"two\nlines\""),
            ("cr\r", "\"cr\r\""), ("größe", "größe"), ("日本,語", "\"日本,語\""), ("👋🏽", "👋🏽"),
            ("=1+1", "=1+1"), ("a;b\tc", "a;b\tc"),
        ])
    func `a CSV field has quotes only if it needs them`(text: String, field: String) {
        #expect(withBytes(text) { text in appended { $0.appendCSVField(text) } } == field)
    }

    @Test func `a byte that is not visible, or that JSON escapes, is found at each place`() {
        for count in 1...20 {
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    var text = [UInt8](repeating: UInt8(ascii: "~"), count: count)
                    text[place] = byte
                    let isVisible = withBytes(text) { TextScan.isVisible($0) }
                    let expected = (0x21...0x7E).contains(byte) && byte != 0x22 && byte != 0x5C
                    if isVisible != expected { Issue.record("\(byte) at \(place) of \(count)") }
                    let isPlain = withBytes(text) { TextScan.isPlainToken($0) }
                    if isPlain != (expected && byte != 0x2C) {
                        Issue.record("\(byte) at \(place) of \(count) is no plain token")
                    }
                }
            }
        }
        #expect(withBytes([UInt8]()) { TextScan.isVisible($0) })
        #expect(!withBytes([UInt8]()) { TextScan.isPlainToken($0) })
    }

    @Test func `a special character is found at each place of a field`() {
        for count in 1...70 {
            for place in 0..<count {
                for special in Array("\",\r\n".utf8) {
                    var field = [UInt8](repeating: UInt8(ascii: "x"), count: count)
                    field[place] = special
                    let written = withBytes(field) { field in
                        appended { $0.appendCSVField(field) }
                    }
                    if !written.hasPrefix("\"") {
                        Issue.record("\(special) at \(place) of \(count)")
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("q\"", #""q\"""#), ("b\\", #""b\\""#),
            ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#), ("\0\u{1f}", #""\u0000\u001f""#),
            ("\u{7f}", "\"\u{7f}\""), ("größe 👋🏽", #""größe 👋🏽""#), ("a/b", #""a/b""#),
        ])
    func `a JSON string has the escapes it needs`(text: String, json: String) {
        #expect(withBytes(text) { text in appended { $0.appendJSONString(text) } } == json)
    }

    @Test func `a character to escape is found at each place of a string`() {
        for count in 1...70 {
            for place in 0..<count {
                for special in [0, 0x1F, 0x22, 0x5C] as [UInt8] {
                    var text = [UInt8](repeating: UInt8(ascii: "x"), count: count)
                    text[place] = special
                    let written = withBytes(text) { text in
                        appended { $0.appendJSONString(text) }
                    }
                    if !written.contains("\\") {
                        Issue.record("\(special) at \(place) of \(count)")
                    }
                }
            }
        }
    }

    /// Each is not UTF-8: RFC 3629 §4 and §10.
    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF], [0xE2, 0x82],
            [0xC3], [0xF0, 0x9F, 0x91], [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func `what is not UTF-8 is replaced, in CSV and in JSON`(bytes: [UInt8]) {
        let text = Array("a".utf8) + bytes + Array("z".utf8)
        // One character for each byte that begins no sequence.
        let expected =
            "a"
            + bytes.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "\u{FFFD}" }.joined() + "z"
        #expect(withBytes(text) { text in appended { $0.appendCSVField(text) } } == expected)
        #expect(
            withBytes(text) { text in appended { $0.appendJSONString(text) } } == "\"\(expected)\"")
    }

    @Test func `every character of Unicode passes unchanged`() {
        for value in UInt32(0x80)...0x10FFFF {
            guard let scalar = UnicodeScalar(value) else { continue }
            let text = String(scalar)
            let written = withBytes(text) { text in appended { $0.appendCSVField(text) } }
            // Compared as bytes: strings would compare canonically, and slowly.
            if !written.utf8.elementsEqual(text.utf8) { Issue.record("U+\(value)") }
        }
    }
}
