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
            #expect(reading == Reading(reason: String(repeating: "é", count: count), timestamp: 12))
        }
    }
}
