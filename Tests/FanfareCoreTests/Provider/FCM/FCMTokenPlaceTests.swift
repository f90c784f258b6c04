import FanfareCore
import Testing

@Suite struct FCMTokenPlaceTests {
    /// A `^` stands where the token goes.
    @Test(arguments: [
        (#"{"message":{^"data":{}}}"#, false),
        (#"{"message":{^}}"#, true),
        ("{ \"message\" : {^ \n } }", true),
        ("{\n \"a\": [{\"message\": {}}], \"message\": {^\n\"data\": {\"token\": \"x\"}}}", false),
        (#"{"validate_only":true,"message":{^"notification":{"title":"token\":"}}}"#, false),
        (#"{"x":"message","y":{"a":1},"message":{^"data":{"topic":"t"}}}"#, false),
        (#"{"x":{"message":{"a":1}},"message":{^"b":["token",{"token":1}]}}"#, false),
        (#"{"\\":"\\\"{","message":{^"b":"}"}}"#, false),
    ])
    func `the token goes behind the brace of the message`(marked: String, isLast: Bool) throws {
        let parts = marked.split(separator: "^").map { Array($0.utf8) }
        try #require(parts.count == 2)
        let json = parts[0] + parts[1]
        #expect(withBytes(json, FCMTokenPlace.find) == .at(parts[0].count, isLast: isLast))
        let member = isLast ? #""token":"{{token}}""# : #""token":"{{token}}","#
        #expect(FCMTokenPlace.filled(json) == parts[0] + Array(member.utf8) + parts[1])
    }

    @Test(arguments: ["token", "topic", "condition", "fid"])
    func `a message that says whom it goes to has no place`(key: String) {
        for json in [
            #"{"message":{"\#(key)":"x"}}"#, #"{"message":{"data":{"a":"b"},"\#(key)" : "x"}}"#,
        ] {
            #expect(withBytes(Array(json.utf8), FCMTokenPlace.find) == .given)
            #expect(FCMTokenPlace.filled(Array(json.utf8)) == Array(json.utf8))
        }
    }

    @Test(arguments: [
        "{}", #"{"message":"x"}"#, #"{"message":[{"token":"x"}]}"#, #"{"message":null,"x":{}}"#,
        #"{"x":{"message":{}}}"#, #"{"a":"message"}"#,
    ])
    func `without a message there is no place`(json: String) {
        #expect(withBytes(Array(json.utf8), FCMTokenPlace.find) == .noMessage)
        #expect(FCMTokenPlace.filled(Array(json.utf8)) == Array(json.utf8))
    }
}
