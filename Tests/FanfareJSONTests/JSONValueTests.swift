import FanfareJSON
import Testing

@Suite struct JSONValueTests {
    func parse(_ text: String) throws -> JSONValue {
        try Array(text.utf8).withUnsafeBufferPointer { bytes throws(JSONError) in
            try JSONValue.parse(bytes)
        }
    }

    @Test func `every kind of value is read`() throws {
        let text = """
            {"a": [1, -2.5, 1e2, 9223372036854775807, 9223372036854775808], "b": {"c": null},
             "d": true, "e": false, "é\\n\\ud83d\\ude00": "x\\"y", "f": [], "g": {}, "h": [[], [{}]], "a": ""}
            """
        let expected = JSONValue.object([
            (
                "a",
                .array([
                    .integer(1), .number(-2.5, text: nil), .number(100, text: nil), .integer(.max),
                    .number(9_223_372_036_854_775_808, text: nil),
                ])
            ),
            ("b", .object([("c", .null)])), ("d", .bool(true)), ("e", .bool(false)),
            ("é\n😀", .string("x\"y")), ("f", .array([])), ("g", .object([])),
            ("h", .array([.array([]), .array([.object([])])])), ("a", .string("")),
        ])
        let value = try parse(text)
        #expect(value == expected)
        #expect(value["a"] == .string(""))
        #expect(value["b"]?["c"] == .null)
        #expect(value["z"] == nil)
    }

    @Test func `scalars stand alone`() throws {
        #expect(try parse(" \"a\" ") == .string("a"))
        #expect(try parse("-0.5e-1\n") == .number(-0.05, text: nil))
        guard case .number(_, let text) = try parse("1.50") else {
            throw JSONError(message: "", line: 0, column: 0)
        }
        #expect(text == "1.50")
    }

    @Test func `an error says where`() {
        #expect(throws: JSONError(message: "not valid JSON", line: 2, column: 7)) {
            try parse("{\"a\":1,\n \"b\": tru}")
        }
        #expect(throws: JSONError(message: "number out of range", line: 1, column: 2)) {
            try parse("[1e999]")
        }
        #expect(throws: JSONError.self) { try parse("") }
        #expect(throws: JSONError.self) { try parse("{} {}") }
        #expect(
            "\(JSONError(message: "not valid JSON", line: 2, column: 8))"
                == "not valid JSON at line 2, byte 8")
    }
}
