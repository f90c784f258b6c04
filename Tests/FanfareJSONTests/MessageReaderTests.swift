import FanfareCore
import FanfareJSON
import Testing

@Suite struct MessageReaderTests {
    private func read(_ json: String) throws(MessageFileError) -> NeutralMessage {
        let bytes = Array(json.utf8)
        return try bytes.withUnsafeBufferPointer { bytes throws(MessageFileError) in
            try NeutralMessage(json: bytes)
        }
    }

    @Test func `every field is read`() throws {
        var expected = NeutralMessage()
        expected.title = "Say \"hi\" to {{name|my \"friend\"}}\n\u{1F389}"
        expected.subtitle = "S"
        expected.body = ""
        expected.image = "https://e.com/{{id}}.jpg"
        expected.link = "app://x"
        expected.data = [.init("z", "1"), .init("a", "{{x}}")]
        expected.badge = "3"
        expected.sound = "default"
        expected.ttl = 3600
        expected.collapse = "c"
        expected.priority = .normal
        let found = try read(
            #"""
            {
              "title": "Say \"hi\" to {{name|my \"friend\"}}\n\ud83c\udf89", "subtitle": "S",
              "body": "", "image": "https://e.com/{{id}}.jpg", "link": "app://x",
              "data": {"z": "1", "a": "{{x}}"}, "badge": 3, "sound": "default",
              "ttl": 3600, "collapse": "c", "priority": "normal"
            }
            """#)
        #expect(found == expected)
    }

    @Test func `every field can be left out`() throws {
        #expect(try read("{}") == NeutralMessage())
        let nulls = MessageField.allCases.map { "\"\($0.rawValue)\":null" }
        #expect(try read("{\(nulls.joined(separator: ","))}") == NeutralMessage())
        #expect(try read(#"{"data":{}}"#) == NeutralMessage())
        #expect(try read("\u{FEFF}{}") == NeutralMessage())
    }

    @Test func `numbers may be texts`() throws {
        #expect(try read(#"{"badge":"{{n|0}}"}"#).badge == "{{n|0}}")
        #expect(try read(#"{"badge":0}"#).badge == "0")
        #expect(try read(#"{"ttl":"1h"}"#).ttl == 3600)
        #expect(try read(#"{"ttl":"1.5m"}"#).ttl == 90)
        #expect(try read(#"{"ttl":0}"#).ttl == 0)
        #expect(try read(#"{"ttl":4294967295}"#).ttl == .max)
    }

    @Test(arguments: [
        ("", "", "is not JSON"),
        ("{\n\"title\": }", "", "at line 2"),
        ("[]", "", "is not a JSON object"),
        (#""title""#, "", "is not a JSON object"),
        (#"{"tilte":"x"}"#, "/tilte", "is no field of a message; did you mean /title?"),
        (#"{"Title":"x"}"#, "/Title", "did you mean /title?"),
        (#"{"prio":"high"}"#, "/prio", "did you mean /priority?"),
        (#"{"category":"x"}"#, "/category", "its fields are title, subtitle, body, image, link"),
        (#"{"a/b":"x"}"#, "/a~1b", "is no field"),
        (#"{"aps":{}}"#, "/aps", "is no field"),
        (#"{"title":"a","title":"b"}"#, "/title", "comes twice"),
        (#"{"title":5}"#, "/title", "is a number, and has to be a text"),
        (#"{"body":{"de":"x"}}"#, "/body", "is an object, and has to be a text"),
        (#"{"image":true}"#, "/image", "is true or false, and has to be a text"),
        (#"{"badge":1.5}"#, "/badge", "is a number, and has to be a whole number or a text"),
        (#"{"badge":[]}"#, "/badge", "is an array, and has to be a whole number or a text"),
        (#"{"data":["a"]}"#, "/data", #"is an array, and has to be an object: {"order": "17"}"#),
        (#"{"data":{"n":17}}"#, "/data/n", #"is a number, and has to be a text: "17""#),
        (#"{"data":{"n":1.50}}"#, "/data/n", #"has to be a text: "1.50""#),
        (#"{"data":{"a~":null}}"#, "/data/a~0", "is null, and has to be a text"),
        (#"{"data":{"o":{}}}"#, "/data/o", "is an object, and has to be a text"),
        (#"{"ttl":-1}"#, "/ttl", "is no number of seconds"),
        (#"{"ttl":1.5}"#, "/ttl", "is no number of seconds"),
        (#"{"ttl":4294967296}"#, "/ttl", "is no number of seconds"),
        (#"{"ttl":"3600"}"#, "/ttl", "is no number of seconds"),
        (#"{"ttl":"1.5s"}"#, "/ttl", "is no number of seconds"),
        (#"{"ttl":"{{ttl}}"}"#, "/ttl", "is no number of seconds"),
        (#"{"priority":"urgent"}"#, "/priority", "is none of high and normal"),
        (#"{"priority":10}"#, "/priority", "is none of high and normal"),
    ])
    func `a fault is named with its place`(json: String, pointer: String, part: String) throws {
        do throws(MessageFileError) {
            _ = try read(json)
            Issue.record("\(json) was read")
        } catch {
            #expect(error.pointer == pointer)
            #expect(error.description.hasPrefix(pointer))
            #expect(error.text.contains(part), "\(error)")
        }
    }

    @Test func `a key of data that comes twice is a problem of the message`() throws {
        let message = try read(#"{"data":{"a":"1","a":"2"}}"#)
        #expect(message.problems(for: .apns).map(\.pointer) == ["/data/a"])
    }
}
