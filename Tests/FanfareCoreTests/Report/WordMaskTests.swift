import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct WordMaskTests {
    private func cleaned(_ text: String, of word: String, shortest: Int = 8) -> String {
        var mask = WordMask()
        let (text, word) = (Array(text.utf8), Array(word.utf8))
        let result = text.withUnsafeBufferPointer { text in
            word.withUnsafeBufferPointer {
                mask.removing($0, from: text, shortest: shortest, as: "[token]")
            }
        }
        return String(decoding: result ?? text, as: UTF8.self)
    }

    private static let token = "cA9x1bXn/f3:APA91bH-q_Z0"

    @Test(arguments: [
        token, token.uppercased(), token.lowercased(),
        "cA9x1bXn%2Ff3%3AAPA91bH-q_Z0", "cA9x1bXn%2ff3%3aAPA91bH-q%5fZ0",
        "cA9x1bXn\\/f3:APA91bH-q_Z0", "cA9x1bXn\\u002ff3\\u003AAPA91bH-q_Z0",
        "cA9x1bXn\\x2ff3:APA91bH-q_Z0",
        // Cut off at either end.
        "cA9x1bXn/f3:APA9", "A91bH-q_Z0", "cA9x1bXn",
    ])
    func `a piece of a token is found in every form`(_ form: String) {
        #expect(cleaned(form, of: Self.token) == "[token]")
        #expect(cleaned("no user \(form)!", of: Self.token) == "no user [token]!")
        #expect(cleaned("<\(form)> <\(form)>", of: Self.token) == "<[token]> <[token]>")
        // A combining mark makes one Character of two, and hides nothing.
        #expect(cleaned("\(form)\u{301}", of: Self.token) == "[token]\u{301}")
    }

    @Test func `pieces that are cut in the middle are found each`() {
        #expect(cleaned("cA9x1bXn/f3...91bH-q_Z0", of: Self.token) == "[token]...[token]")
    }

    @Test(arguments: ["NotRegistered", "cA9x1bX", "device token not for topic", "%", "\\u00", ""])
    func `other words stay`(_ text: String) {
        #expect(cleaned(text, of: Self.token) == text)
    }

    @Test func `a word with a percent sign of its own is found as it is`() {
        let word = "https://push.example/%41%42%43"
        #expect(cleaned("gone: \(word)", of: word) == "gone: [token]")
    }

    @Test func `a short word is found as a whole, if it is asked for`() {
        #expect(cleaned("key s3cr is bad", of: "s3cr") == "key s3cr is bad")
        #expect(cleaned("key s3cr is bad", of: "s3cr", shortest: 4) == "key [token] is bad")
        #expect(cleaned("key s3c is bad", of: "s3cr", shortest: 4) == "key s3c is bad")
    }
}
