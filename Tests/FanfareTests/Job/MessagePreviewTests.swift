import FanfareFigures
import FanfareJSON
import Testing

@testable import Fanfare

/// Notifications as phones show them, read out of payloads.
@Suite struct MessagePreviewTests {
    private func preview(_ text: String) throws -> MessagePreview? {
        let payload = try Array(text.utf8).withUnsafeBufferPointer { try JSONValue.parse($0) }
        return MessagePreview.of(payload)
    }

    @Test func `an alert of Apple's has title, subtitle and body`() throws {
        let found = try #require(
            try preview(
                #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":3}}"#))
        #expect(found.phone == .iPhone)
        #expect(found.title == "T")
        #expect(found.subtitle == "S")
        #expect(found.body == "B")
        #expect(found.badge == 3)
        #expect(found.silence == nil)
        #expect(try preview(#"{"aps":{"alert":"only"}}"#)?.body == "only")
    }

    @Test func `texts of the app's own have their names`() throws {
        let found = try preview(
            #"{"aps":{"alert":{"title-loc-key":"SALE","loc-key":"SALE_BODY","title":""}}}"#)
        #expect(found?.title == "[SALE]")
        #expect(found?.body == "[SALE_BODY]")
    }

    @Test(arguments: [
        (
            #"{"aps":{"content-available":1}}"#,
            "Nothing is shown: the app is woken, or nothing happens."
        ),
        (#"{"aps":{"badge":0}}"#, "Only the number at the app's icon changes."),
        (
            #"{"message":{"data":{"a":"b"}}}"#,
            "Nothing is shown by itself: the app gets the data and decides."
        ),
    ])
    func `what shows nothing says so`(payload: String, silence: String) throws {
        #expect(try preview(payload)?.silence == silence)
    }

    @Test func `Android's own texts win over those of all phones`() throws {
        let found = try #require(
            try preview(
                #"{"message":{"notification":{"title":"T","body":"B"},"android":{"notification":"#
                    + #"{"body":"C","image":"https://example.com/a.png"}}}}"#))
        #expect(found.phone == .android)
        #expect(found.title == "T")
        #expect(found.body == "C")
        #expect(found.hasImage)
    }

    @Test func `another provider's payload has no known texts`() throws {
        #expect(try preview(#"{"title":"T","message":"B"}"#) == nil)
    }

    @Test func `texts are too long by characters, as people count them`() throws {
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
        let fits = String(repeating: family, count: 50)
        #expect(
            try preview(#"{"aps":{"alert":{"title":"\#(fits)"}}}"#)?.excesses == [])
        let found = try preview(
            #"{"aps":{"alert":{"title":"\#(fits)x","body":"\#(String(repeating: "b", count: 179))"}}}"#
        )
        #expect(
            found?.excesses.map { "\($0.part) \($0.characters) \($0.seen)" }
                == ["title 51 50", "body 179 178"])
        let android = try preview(
            #"{"message":{"notification":{"body":"\#(String(repeating: "b", count: 240))"}}}"#)
        #expect(android?.excesses == [])
    }
}
