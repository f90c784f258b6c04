import FanfareBase
import FanfareCore
import FanfareJSON
import Testing

@Suite struct GoogleErrorBodyTests {
    struct Reading: Equatable {
        var facts: GoogleErrorFacts
        var word: String
        var detail: String

        init(_ facts: GoogleErrorFacts, word: String = "", detail: String = "") {
            self.facts = facts
            self.word = word
            self.detail = detail
        }
    }

    private static let fcm = #""@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError""#
    private static let info = #""@type":"type.googleapis.com/google.rpc.ErrorInfo""#
    private static let request = #""@type":"type.googleapis.com/google.rpc.BadRequest""#

    private func read(_ text: String, with parser: inout GoogleErrorBody) -> Reading? {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            guard let content = parser.parse(bytes) else { return nil }
            return Reading(
                content.facts, word: String(decoding: parser.bytes(content.word), as: UTF8.self),
                detail: String(decoding: parser.bytes(content.detail), as: UTF8.self))
        }
    }

    private func read(_ text: String) -> Reading? {
        var parser = GoogleErrorBody()
        return read(text, with: &parser)
    }

    private func details(_ details: String) -> Reading? {
        read(#"{"error":{"status":"S","message":"M","details":[\#(details)]}}"#)
    }

    @Test func `the word is FCM's, else the reason, else the status, in any order`() {
        let code = #"{\#(Self.fcm),"errorCode":"CODE"}"#
        let reason = #"{"reason":"REASON",\#(Self.info)}"#
        let other = #"{"@type":"x/ApnsError","reason":"BadDeviceToken","errorCode":"NO"}"#
        let fcm = Reading(GoogleErrorFacts(source: .fcm), word: "CODE", detail: "M")
        let info = Reading(GoogleErrorFacts(source: .info), word: "REASON", detail: "M")
        let status = Reading(GoogleErrorFacts(source: .status), word: "S", detail: "M")
        for text in ["\(code),\(reason),\(other)", "\(other),\(reason),\(code)", code] {
            #expect(details(text) == fcm, "\(text)")
        }
        for text in ["\(other),\(reason)", "\(reason),\(other)", #"\#(reason),{\#(Self.fcm)}"#] {
            #expect(details(text) == info, "\(text)")
        }
        for text in ["", other, "{}", "null", "1", "[[1]]", #"{"errorCode":"CODE"}"#] {
            #expect(details(text) == status, "\(text)")
        }
    }

    @Test func `members of other kinds are stepped over`() {
        let nothing = Reading(GoogleErrorFacts())
        for text in [
            #"{"error":{}}"#, #"{"error":{"status":1,"message":null,"details":{}}}"#,
            #"{"error":{"status":{"status":"S"},"message":["M"],"details":"D"}}"#,
            #"{"a":[{"error":{"status":"S"}}],"error":{"inner":{"status":"S"}},"b":{"c":[]}}"#,
            #"{"error":{"details":[{\#(Self.fcm),"errorCode":7},{\#(Self.info),"reason":[1]}]}}"#,
            #"{"error":{"status":"","details":[{"@type":{},"errorCode":"X"}]}}"#,
        ] {
            #expect(read(text) == nothing, "\(text)")
        }
    }

    @Test(arguments: [
        "", " ", "{}", "[]", "null", "\"error\"", #"{"error":"invalid_grant"}"#, #"{"error":null}"#,
        #"{"error":[]}"#, #"[{"error":{"status":"S"}}]"#, #"{"error":{"status":"S"}"#,
        #"{"error":{"status":"S"}} x"#, #"{"error":{"status":"S",}}"#, "<html>", "<!DOCTYPE html>",
        "{\"error\":{\"status\":\"\u{1}\"}}", #"{"reason":"Unregistered"}"#,
    ])
    func `what is no error of a Google service is none`(text: String) {
        #expect(read(text) == nil)
    }

    @Test func `bytes that are not UTF-8 are none`() {
        var parser = GoogleErrorBody()
        let bytes = Array(#"{"error":{"status":""#.utf8) + [0xFF] + Array(#""}}"#.utf8)
        bytes.withUnsafeBufferPointer { #expect(parser.parse($0) == nil) }
    }

    @Test func `names and words may have escapes`() {
        let text = #"{"err\u006fr":{"stat\u0075s":"A\u0042\"","message":"a\/b\nc"}}"#
        #expect(
            read(text)
                == Reading(
                    GoogleErrorFacts(source: .status), word: "AB\"", detail: "a/b\u{FFFD}c"))
        let type = #"type.googleapis.com\/google.firebase.fcm.v1.Fcm\u0045rror"#
        #expect(details(#"{"@type":"\#(type)","errorCode":"CODE"}"#)?.word == "CODE")
    }

    @Test func `a part of the message is named with what is wrong`() {
        func part(_ violations: String) -> Reading? {
            details(#"{\#(Self.request),"fieldViolations":[\#(violations)]}"#)
        }
        func reading(_ part: GoogleErrorFacts.Part, _ detail: String) -> Reading {
            Reading(GoogleErrorFacts(source: .status, part: part), word: "S", detail: detail)
        }
        let ttl = #"{"field":"message.android.ttl","description":"Illegal duration"}"#
        let token = #"{"description":"Invalid registration token","field":"message.token"}"#
        #expect(part(ttl) == reading(.other, "message.android.ttl: Illegal duration"))
        #expect(part(token) == reading(.token, "message.token: Invalid registration token"))
        #expect(part(#"{"field":"message.fid"}"#) == reading(.token, "message.fid"))
        // The token counts, wherever it stands; of others the first one.
        for both in ["\(ttl),\(token)", "\(token),\(ttl)"] {
            #expect(part(both) == reading(.token, "message.token: Invalid registration token"))
        }
        #expect(part(#"\#(ttl),{"field":"message.data"}"#) == part(ttl))
        for none in ["", "{}", "1", #"{"field":""}"#, #"{"field":7}"#, #"{"description":"d"}"#] {
            #expect(part(none) == reading(.nothing, "M"), "\(none)")
        }
        // A token within other text is no field.
        #expect(part(#"{"field":"message.token.x"}"#) == reading(.other, "message.token.x"))
        // Of another type they say nothing.
        #expect(
            details(#"{"@type":"google.rpc.Help","fieldViolations":[\#(token)]}"#)
                == reading(.nothing, "M"))
    }

    @Test func `the message names the token only where no part is named`() {
        let message = #""message":"The Registration Token is not valid""#
        #expect(read(#"{"error":{\#(message)}}"#)?.facts == GoogleErrorFacts(part: .token))
        let text =
            #"{"error":{\#(message),"details":[{\#(Self.request),"fieldViolations":[{"field":"message.data"}]}]}}"#
        #expect(read(text)?.facts == GoogleErrorFacts(part: .other))
        for other in ["registration-token", "registrationtoken", "token", "registration toke"] {
            #expect(
                read(#"{"error":{"message":"\#(other)"}}"#)?.facts == GoogleErrorFacts(),
                "\(other)")
        }
    }

    @Test(arguments: [
        (#"{"subject":"device:1"}"#, GoogleErrorFacts.Quota.device),
        (#"{"subject":"project:1","quota_id":"PerDevicePerMinute"}"#, .device),
        (#"{"quotaId":"x"},{"quota_metric":"messages_per_DEVICE"}"#, .device),
        (#"{"subject":"topic:t"}"#, .topic), (#"{"subject":"project:1"}"#, .project),
        (#"{"description":"per device"}"#, .project), ("{}", .project), ("", .nothing),
        ("7", .nothing),
    ])
    func `a quota is the device's, the topic's or the project's`(
        violations: String, quota: GoogleErrorFacts.Quota
    ) {
        let type = #""@type":"type.googleapis.com/google.rpc.QuotaFailure""#
        #expect(
            details(#"{\#(type),"violations":[\#(violations)]}"#)?.facts
                == GoogleErrorFacts(source: .status, quota: quota))
    }

    @Test func `texts have a bound, and nothing in them that a terminal obeys`() throws {
        let long = String(repeating: "é", count: 5000)
        let text = #"{"error":{"status":"\u001b[31m\#(long)","message":"a\u009b\#(long)"}}"#
        let reading = try #require(read(text))
        #expect(reading.word == "\u{FFFD}[31m" + String(repeating: "é", count: 124))
        #expect(reading.detail == "a\u{FFFD}" + String(repeating: "é", count: 126))
        let ascii = String(repeating: "x", count: 300)
        #expect(read(#"{"error":{"status":"\#(ascii)"}}"#)?.word == String(ascii.prefix(256)))
    }

    @Test func `a body of thousands of details or levels is read to its end`() {
        let many = Array(repeating: #"{"@type":"x","a":[{"b":{}}]}"#, count: 3000)
        #expect(
            details((many + [#"{\#(Self.fcm),"errorCode":"CODE"}"#]).joined(separator: ","))?.word
                == "CODE")
        let deep = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
        #expect(details(deep)?.word == "S")
        let tooDeep = String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000)
        #expect(details(tooDeep) == nil)
    }

    @Test func `one parser reads bodies of all lengths, one after another`() {
        var parser = GoogleErrorBody()
        for count in [1, 10_000, 3] {
            let filler = String(repeating: " ", count: count)
            let text = #"{"error":\#(filler){"status":"S\#(count)","message":"M"}}"#
            #expect(
                read(text, with: &parser)
                    == Reading(
                        GoogleErrorFacts(source: .status), word: "S\(count)", detail: "M"))
        }
    }
}
