import FanfareBase
import FanfareCore
import FanfareJSON
import Testing

@Suite struct PlacedJSONParserTests {
    private func read(_ text: String) throws -> PlacedJSON {
        try Array(text.utf8).withUnsafeBufferPointer { try PlacedJSONParser().file($0) }
    }

    private func answer(_ text: String, _ pointers: String...) -> String? {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            PlacedJSONParser().answer(bytes, decoding: pointers.compactMap { JSONPointer($0) })
                .map { String(decoding: $0.json, as: UTF8.self) }
        }
    }

    @Test func `each value and each key knows its place`() throws {
        let text = "{\n  \"a\": [1, \"é\"],\n  \"b\" : {\"c\":null}\n}"
        let value = try read(text)
        let bytes = Array(text.utf8)
        func rest(_ offset: Int) -> String { String(decoding: bytes[offset...], as: UTF8.self) }
        #expect(value.offset == 0)
        let members = try #require(value.members)
        #expect(members.map(\.key) == ["a", "b"])
        #expect(rest(members[0].keyOffset).hasPrefix("\"a\": ["))
        #expect(rest(members[0].value.offset).hasPrefix("[1, "))
        let elements = try #require(members[0].value.elements)
        #expect(rest(elements[0].offset).hasPrefix("1, "))
        #expect(rest(elements[1].offset).hasPrefix("\"é\"]"))
        #expect(rest(members[1].keyOffset).hasPrefix("\"b\" :"))
        #expect(rest(try #require(value["b"]?["c"]).offset).hasPrefix("null}"))
    }

    @Test func `what is read is what the other reader reads`() throws {
        for text in JSONValidatorTests.valid {
            let value = try read(text)
            let json = String(decoding: value.json, as: UTF8.self)
            let again = try read(json)
            #expect(again.json == value.json)
            guard text != "1e400" else { continue }
            let other = try Array(text.utf8).withUnsafeBufferPointer {
                bytes throws(JSONError) in try JSONValue.parse(bytes)
            }
            let same = try Array(json.utf8).withUnsafeBufferPointer {
                bytes throws(JSONError) in try JSONValue.parse(bytes)
            }
            #expect(same == other, "\(text)")
        }
    }

    @Test func `a number is kept as it was written`() throws {
        let numbers = "1e400,-0.10,123456789012345678901234567890"
        #expect(answer("[\(numbers)]") == "[\(numbers)]")
    }

    @Test func `nesting has an end`() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deep = { (count: Int) in
                String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
            }
            _ = try read(deep(64))
            let error = #expect(throws: JSONError.self) { try read(deep(65)) }
            #expect(error?.message == "nested more than 64 deep")
            #expect(error?.line == 1 && error?.column == 1 + 65 * open.utf8.count)
            #expect(answer(deep(65)) == nil)
            #expect(answer(deep(100_000)) == nil)
            // The value behind it is read as it should be.
            #expect(throws: JSONError.self) { try read("[\(deep(70)), {\"x\": 2}]") }
        }
    }

    @Test(arguments: ["", " ", "{", "[1,]", "nul", "\"\u{1}\"", "<html>", "{}{}", "{\"a\":1"])
    func `what is no JSON is no answer`(text: String) {
        #expect(answer(text) == nil)
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test func `JSON inside of a text is put in its place`() {
        #expect(answer(#"{"msg":"{\"a\":[1]}"}"#, "/msg") == #"{"msg":{"a":[1]}}"#)
        #expect(
            answer(#"{"msg":"{\"a\":\"[1]\"}"}"#, "/msg", "/msg/a") == #"{"msg":{"a":[1]}}"#)
        #expect(answer(#"[["1"]]"#, "/0/0") == "[[1]]")
        // A value that is no JSON, or no text, stays.
        for text in [#"{"msg":"Success"}"#, #"{"msg":5}"#, #"{"other":"1"}"#, #""1""#] {
            #expect(answer(text, "/msg") == text)
        }
        let deep = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
        #expect(answer(#"{"msg":"\#(deep)"}"#, "/msg") == #"{"msg":"\#(deep)"}"#)
    }
}
