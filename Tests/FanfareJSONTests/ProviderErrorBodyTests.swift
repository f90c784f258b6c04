import FanfareJSON
import Testing

@Suite struct ProviderErrorBodyTests {
    struct Reading: Equatable {
        var reason: String
        var timestamp: Int64?
    }

    func read(_ text: String, with parser: inout ProviderErrorBody) -> Reading? {
        guard let content = Array(text.utf8).withUnsafeBufferPointer({ parser.parse($0) }) else {
            return nil
        }
        return Reading(
            reason: String(decoding: parser.reason(content), as: UTF8.self),
            timestamp: content.timestamp)
    }

    @Test func `reason and timestamp are read in any order`() {
        var parser = ProviderErrorBody()
        let cases: [(String, Reading?)] = [
            (
                #"{"reason":"Unregistered","timestamp":1700000000000}"#,
                Reading(reason: "Unregistered", timestamp: 1_700_000_000_000)
            ),
            (
                #"{"timestamp":1700000000000,"x":[{"reason":1}],"reason":"Unregistered"}"#,
                Reading(reason: "Unregistered", timestamp: 1_700_000_000_000)
            ),
            (#"{"reason":"BadDeviceToken"}"#, Reading(reason: "BadDeviceToken", timestamp: nil)),
            (" {\r\n \"reason\" : \"A\" } \n", Reading(reason: "A", timestamp: nil)),
            (#"{"reason":"a\"b\u00e9\\"}"#, Reading(reason: "a\"bé\\", timestamp: nil)),
            (#"{"re\u0061son":"A","timestamp":"1"}"#, Reading(reason: "A", timestamp: nil)),
            (#"{"reason":"A","timestamp":1.5}"#, Reading(reason: "A", timestamp: nil)),
            (
                #"{"reason":"A","timestamp":9223372036854775807}"#,
                Reading(reason: "A", timestamp: .max)
            ),
            (
                #"{"reason":"A","timestamp":9223372036854775808}"#,
                Reading(reason: "A", timestamp: nil)
            ),
            (#"{"reason":"A","timestamp":-1}"#, Reading(reason: "A", timestamp: nil)),
            (#"{"reason":"A","timestamp":null}"#, Reading(reason: "A", timestamp: nil)),
            (#"{"reason":"A","reason":"B"}"#, Reading(reason: "B", timestamp: nil)),
            (#"{"reason":""}"#, nil), (#"{"reason":null}"#, nil), (#"{"reason":1}"#, nil),
            (#"{}"#, nil), ("", nil),
            (#"[{"reason":"A"}]"#, nil), (#""reason""#, nil), (#"{"reason":"Unregis"#, nil),
            (#"{"reason":"A"} x"#, nil), ("<html><body>502 Bad Gateway</body></html>", nil),
        ]
        for (text, expected) in cases {
            #expect(read(text, with: &parser) == expected, "\(text)")
        }
    }

    @Test func `a longer body than before is read too`() {
        var parser = ProviderErrorBody()
        for count in [10, 1000, 5000, 100_000] {
            let reason = String(repeating: "\\u00e9", count: count)
            let reading = read("{\"reason\":\"\(reason)\",\"timestamp\":12}", with: &parser)
            #expect(
                reading
                    == Reading(
                        reason: String(repeating: "é", count: min(count, 128)), timestamp: 12))
        }
    }

    /// Texts that a report, a terminal and grep(1) take as text.
    @Test(arguments: [
        (#"a\u0000b\u001b[31m\u007f\u009b31m"#, "a\u{FFFD}b\u{FFFD}[31m\u{FFFD}\u{FFFD}31m"),
        (#"two\nlines\r\tand\u2028more"#, "two\u{FFFD}lines\u{FFFD}\u{FFFD}and\u{FFFD}more"),
        (#"\u202egpj"#, "\u{FFFD}gpj"), ("héllo 😀", "héllo 😀"),
    ])
    func `control characters and line breaks of a reason are replaced`(
        reason: String, kept: String
    ) {
        var parser = ProviderErrorBody()
        let body = #"{"reason":"\#(reason)","timestamp":17}"#
        #expect(read(body, with: &parser) == Reading(reason: kept, timestamp: 17))
    }

    @Test func `a reason is cut at a character`() throws {
        var parser = ProviderErrorBody()
        for (character, bytes) in [("a", 1), ("é", 2), ("€", 3), ("😀", 4)] {
            let reason = String(repeating: character, count: 900 / bytes)
            let kept = try #require(read(#"{"reason":"\#(reason)"}"#, with: &parser)?.reason)
            #expect(kept == String(repeating: character, count: 256 / bytes))
        }
    }
}
