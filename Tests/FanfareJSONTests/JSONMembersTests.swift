import FanfareBase
import FanfareJSON
import Testing

@Suite struct JSONMembersTests {
    /// The members as texts, with the kind of what is no text.
    private func find(_ text: String, _ names: [String]) -> [String]? {
        let bytes = Array(text.utf8)
        var scratch = [UInt8](repeating: 0, count: bytes.count)
        let members = JSONMembers(names)
        let fields = bytes.withUnsafeBufferPointer { bytes in
            scratch.withUnsafeMutableBufferPointer { members.find(in: bytes, scratch: $0) }
        }
        let all = bytes + scratch
        return fields?.map { field in
            let text = String(
                decoding: all[field.offset..<field.offset + field.length], as: UTF8.self)
            switch field.kind {
            case .text: return text
            case .json: return "json \(text)"
            case .null: return "null"
            case .missing: return "missing"
            }
        }
    }

    @Test func `members come in the order of their names`() {
        let text = #"{"b":"B","a":"A","c":{"d":"D","e":[1]},"f":1.5,"g":null}"#
        #expect(
            find(text, ["a", "b", "c.d", "c.e", "f", "g", "h", "c"])
                == [
                    "A", "B", "D", "json [1]", "json 1.5", "null", "missing",
                    #"json {"d":"D","e":[1]}"#,
                ])
    }

    @Test func `strings with escapes lie behind the text`() {
        #expect(
            find(#"{"a":"x\ny","b":"\u00e9","c":"z"}"#, ["a", "b", "c"]) == ["x\ny", "é", "z"])
    }

    @Test(arguments: ["", "[]", "1", "{", #"{"a":}"#, #"{"a":"b"} x"#])
    func `what is no object has none`(text: String) {
        #expect(find(text, ["a"]) == nil)
    }

    @Test func `without names there is nothing to find but an object`() {
        #expect(find("{}", []) == [])
    }
}
