import FanfareJSON
import Testing

@Suite struct JSONValueTextTests {
    private func parse(_ text: String) throws -> JSONValue {
        try Array(text.utf8).withUnsafeBufferPointer { try JSONValue.parse($0) }
    }

    @Test(
        "a value is written as it was read",
        arguments: [
            "null", "true", "false", "0", "-9223372036854775808", "1.50", "1e3", "\"\"",
            #""a\"b\\c""#, "\"é😀\"", "[]", "{}", #"[1, [2, "x"], {"a": null}]"#,
            #"{"b": 1, "a": {"b": [true, false]}, "b": 2}"#,
        ])
    func text(_ text: String) throws {
        #expect(try parse(text).text == text)
    }

    @Test func `a control character is escaped, and comes back`() throws {
        let value = JSONValue.string("a\u{0}\n\u{1B}\u{7F}\u{2028}z")
        #expect(try parse(value.text) == value)
        #expect(!value.text.contains("\n"))
    }

    @Test func `members stand on lines of their own`() throws {
        let text = JSONValue.lines([("a\"", .integer(1)), ("b", .array([.integer(2), .null]))])
        #expect(text == "{\n  \"a\\\"\": 1,\n  \"b\": [2, null]\n}\n")
        #expect(JSONValue.lines([]) == "{}\n")
    }
}
