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

    @Test func `the deepest nesting is read`() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text =
                String(repeating: open, count: 1024) + "1" + String(repeating: close, count: 1024)
            var value: JSONValue? = try parse(text)
            for _ in 0..<1024 {
                guard let outer = value else { break }
                if case .array(let elements) = outer {
                    value = elements.first
                } else {
                    value = outer["a"]
                }
            }
            #expect(value == .integer(1))
            #expect(throws: JSONError.self) { try parse(open + text + close) }
        }
    }

    @Test func `what is read agrees with the slow reading`() throws {
        for text in JSONValidatorTests.valid where text != "1e400" {
            let value = try parse(text)
            switch (value, ReferenceJSON.parse(Array(text.utf8))) {
            case (.string(let string), .string(let expected)):
                #expect(Array(string.utf8) == expected)
            case (.null, .null), (.array, .array): break
            case (.object(let members), .object(_, let expected)):
                #expect(members.map { Array($0.key.utf8) } == expected.map(\.key))
            case (.bool(let bool), .other(let raw)):
                #expect("\(bool)" == String(decoding: raw, as: UTF8.self))
            case (.integer(let integer), .other(let raw)):
                #expect(integer == Int64(String(decoding: raw, as: UTF8.self)))
            case (.number(let number, let written), .other(let raw)):
                #expect(written == String(decoding: raw, as: UTF8.self))
                #expect(number == Double(String(decoding: raw, as: UTF8.self)))
            default: Issue.record("\(text) was read as \(value)")
            }
        }
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
