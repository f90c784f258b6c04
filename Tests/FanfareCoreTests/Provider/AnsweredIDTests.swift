import FanfareCore
import Testing

@Suite struct AnsweredIDTests {
    private static let sent = "21def456-ad01-8db1-8000-000000000001"

    private func news(_ answered: String) -> String {
        withBytes(answered) { answered in
            withBytes(Self.sent) { sent in
                String(decoding: HeaderRules.news(inAPNsID: answered, sent: sent), as: UTF8.self)
            }
        }
    }

    @Test func `the id that was sent is no news`() {
        #expect(news(Self.sent) == "")
        #expect(news("") == "")
    }

    @Test func `another id is, whichever digit makes the difference`() {
        for place in 0..<36 where ![8, 13, 18, 23].contains(place) {
            var digits = Array(Self.sent.utf8)
            digits[place] = UInt8(ascii: "c")
            let other = String(decoding: digits, as: UTF8.self)
            #expect(news(other) == other)
        }
        #expect(news(Self.sent.uppercased()) == Self.sent.uppercased())
    }

    @Test(arguments: [
        "=cmd|'/C calc'!A0", "21def456-ad01-8db1-8000-00000000000\n",
        "21def456-ad01-8db1-8000-00000000000\u{1B}", "21def456-ad01-8db1-8000-0000000000012",
        "21def456xad01-8db1-8000-000000000001", "gggggggg-ad01-8db1-8000-000000000001",
    ])
    func `what is no id says nothing`(answered: String) {
        #expect(news(answered) == "")
    }
}
