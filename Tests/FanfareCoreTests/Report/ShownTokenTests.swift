import Testing

@testable import FanfareCore

@Suite struct ShownTokenTests {
    @Test(
        arguments: [
            ("", ""), ("a", ""), ("ab", "a"), ("0123456789abcdef", "01234567"),
            ("0123456789abcdef0123", "01234567"),
            // Half of the bytes, and no half of a character.
            ("é", ""), ("aé", "a"), ("éé", "é"), ("€€", "€"), ("€a", ""),
        ] as [(String, String)])
    func `at most eight bytes and half of a token are shown`(token: String, shown: String) {
        let beginning = Array(token.utf8).withUnsafeBufferPointer {
            String(decoding: ReportFormat.shown($0), as: UTF8.self)
        }
        #expect(beginning == shown)
    }
}
