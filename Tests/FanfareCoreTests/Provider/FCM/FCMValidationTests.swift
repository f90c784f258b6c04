import FanfareCore
import Testing

@Suite struct FCMValidationTests {
    /// The message stands between two `^`.
    @Test(arguments: [
        #"{"message":^{"data":{}}^}"#,
        #"{"message":^{}^,"validate_only":false}"#,
        #"{"validate_only":false,"message":^{"token":"a,}\"","data":{"message":"x"}}^,"x":[1,{}]}"#,
        // A key that other readers may take for the same one is not taken along.
        ##"{"\u0076alidate_only":false,"message":^{"topic":"news"}^}"##,
        #"{"x":"message","y":{"message":1},"message":^["a",{"b":"]"}]^}"#,
        #"{"message":^"{{m:json}}"^,"message":{"token":"second"}}"#,
        #"{"message":^null^}"#,
    ])
    func `of a request the message alone is asked about`(marked: String) throws {
        let parts = marked.split(separator: "^", omittingEmptySubsequences: false)
            .map { Array($0.utf8) }
        try #require(parts.count == 3)
        let json = parts.flatMap(\.self)
        let start = parts[0].count
        #expect(withBytes(json, FCMValidation.message) == start..<start + parts[1].count)
        let asked = String(decoding: FCMValidation.of(json), as: UTF8.self)
        #expect(
            asked == #"{"validate_only":true,"message":"#
                + String(decoding: parts[1], as: UTF8.self)
                + "}")
    }

    @Test func `white space does not matter`() {
        let json = Array("{ \"message\" : {\n\"token\" : \"a\" }\n , \"x\" : 1 }".utf8)
        let asked = String(decoding: FCMValidation.of(json), as: UTF8.self)
        #expect(asked == "{\"validate_only\":true,\"message\": {\n\"token\" : \"a\" }\n }")
    }

    @Test(arguments: [
        "{}", #"{"validate_only":false}"#, #"{"x":{"message":{}}}"#, #"{"a":"message"}"#,
        ##"{"\u006dessage":{"token":"a"},"validate_only":false}"##, "", "{", #"{"message"#,
    ])
    func `without a message there is nothing that could be delivered`(json: String) {
        let json = Array(json.utf8)
        #expect(withBytes(json, FCMValidation.message) == nil)
        #expect(FCMValidation.of(json) == Array(#"{"validate_only":true}"#.utf8))
    }
}
