import Testing

@testable import Fanfare

/// Payloads that are shown to a person.
@Suite struct ShownPayloadTests {
    /// U+0600 and the quote behind it are one grapheme, as are a quote and U+0301 behind it.
    @Test(arguments: [
        ("0123456789", #"{"token":"0123456789"}"#, #"{"token":"01234567…"}"#),
        ("0123456789\u{600}", "{\"token\":\"0123456789\u{600}\"}", #"{"token":"01234567…"}"#),
        ("\u{301}23456789", "{\"token\":\"\u{301}23456789\"}", "{\"token\":\"\u{301}2345678…\"}"),
        (
            "01234567\"9", #"{"token":"01234567\"9","form":"01234567"9"}"#,
            #"{"token":"01234567…","form":"01234567…"}"#
        ),
        ("", "{}", "{}"),
    ])
    func `no more of the token is shown than its beginning`(
        token: String, payload: String, shown: String
    ) {
        let bytes = Array(token.utf8).withUnsafeBufferPointer {
            ExchangeRecorder.shown(Array(payload.utf8), token: $0)
        }
        #expect(bytes == Array(shown.utf8))
    }
}
