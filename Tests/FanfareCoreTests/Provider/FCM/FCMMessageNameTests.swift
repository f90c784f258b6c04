import FanfareBase
import FanfareCore
import Testing

@Suite struct FCMMessageNameTests {
    private static let known = "projects/p/messages/0:1717673451795380%31bd1c9631bd1c96"

    private func name(_ body: String) -> String {
        withBytes(Array(body.utf8)) { String(decoding: FCMMessageName.read($0), as: UTF8.self) }
    }

    @Test(arguments: [
        #"{"name":"\#(known)"}"#, "{\n  \"name\": \"\(known)\"\n}\n",
        " {\r\n\t\"name\" :\"\(known)\" } ",
    ])
    func `it is found with any white space`(body: String) {
        #expect(name(body) == Self.known)
    }

    @Test(arguments: [
        "projects/p/messages/1234567890",
        "projects/1/messages/5b5ea5b2-9a86-4a8f-8b1d-4a3b5e7f1c2d",
        "projects/p/messages/fake_message_id", String(repeating: "n", count: 256),
    ])
    func `names of all forms are taken as they stand`(expected: String) {
        #expect(name(#"{"name":"\#(expected)"}"#) == expected)
    }

    @Test func `a body that is cut off has none, wherever it is`() {
        let body = #"{ "name" : "abc" }"#
        #expect(name(body) == "abc")
        for count in 0..<body.utf8.count {
            #expect(name(String(body.prefix(count))) == "", "\(count)")
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "<html>", #"{"name":1}"#, #"{"name":""}"#, #"{"name":null}"#,
        #"{"nome":"a"}"#, #"{"name":"a"} x"#, #"{"name":"a","b":"c"}"#, #"{"name":"a b"}"#,
        #"{"name":"a "}"#, #"{"name":" a"}"#, "{\"name\":\"a\n\"}",
        #"{"name":"a\"b"}"#, #"{"name":"a\u0062"}"#, "{\"name\":\"a\u{1b}[31m\"}",
        #"{"name":"é"}"#, #"{"name":"\#(String(repeating: "n", count: 257))"}"#,
    ])
    func `other bodies have none`(body: String) {
        #expect(name(body) == "")
    }
}
