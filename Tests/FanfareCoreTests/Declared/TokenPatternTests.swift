import FanfareCore
import Foundation
import Testing

@Suite struct TokenPatternTests {
    private func fits(_ token: String, _ pattern: TokenPattern) -> Bool {
        withBytes(Array(token.utf8)) { pattern.fits($0) }
    }

    @Test(arguments: [
        ("[0-9a-f]{1,4}", ["0", "9f", "abcd"], ["", "abcde", "g", "A", "0 "]),
        (".{1,3}", ["a", "~~~", " x"], ["", "abcd", "a\n", "é"]),
        (
            "Expo(nent)?PushToken\\[.+\\]",
            ["ExpoPushToken[a]", "ExponentPushToken[a]]", "ExpoPushToken[[x]"],
            ["ExpoPushToken[]", "ExpoPushToken[a", "expopushtoken[a]", "ExponentExpoPushToken[a]"]
        ),
        ("[-_A-Za-z0-9]{1,64}", ["-", "_a-Z9"], ["", "a b", "ä", "a.b"]),
        ("a|bc|", ["a", "bc", ""], ["b", "abc", "c"]),
        ("(a|b)*c", ["c", "abbac"], ["", "ab", "cc"]),
        ("(?:ab){2,}", ["abab", "ababab"], ["ab", "abaab", ""]),
        ("a?b?c?", ["", "a", "ac", "abc"], ["ca", "aa"]),
        ("[^a-c]+", ["def", "]^-"], ["dea", "", "é"]),
        ("[]a]+", ["]a]"], ["[", "b"]), ("[a-]+", ["a-a"], ["b"]),
        (#"\d{2}\w\."#, ["12_.", "00a."], ["1a_.", "12-.", "12_x"]),
        (#"[\d\]-]+"#, ["1]-"], ["[", "a"]),
        // The neighbors of letters and digits in ASCII, which may stand behind a backslash, and those of `@`.
        (#"[\`\{\@\[\/\:]+"#, ["`{@[/:"], ["a", "z", "A", "Z", "0", "9", "\\"]),
        ("[>-A]+", [">?@A"], ["=", "B"]),
        ("a{3}", ["aaa"], ["aa", "aaaa"]), ("a{0,1}b", ["b", "ab"], ["aab"]),
        ("x{0,}y", ["y", "xxxy"], ["x"]), ("((a))", ["a"], ["", "aa"]),
        ("[ab]{2}|[ab]{4}", ["ab", "abba"], ["a", "aba", "ababa", "ac", ""]),
        ("[a-z]+", ["a", String(repeating: "z", count: 2000)], ["", "é", "aÿ"]),
        ("(a?){3}a", ["a", "aaaa"], ["", "aaaaa"]), (".*", ["", "a"], ["é", "\n"]),
        (#"\\\{\}\?\*\+\(\)\|\.\^\$"#, [#"\{}?*+()|.^$"#], ["x"]),
    ])
    func `the whole token has to fit`(
        text: String, good: [String], bad: [String]
    ) throws {
        let pattern = try TokenPattern(text)
        for token in good { #expect(fits(token, pattern), "\(token)") }
        for token in bad { #expect(!fits(token, pattern), "\(token)") }
    }

    /// The same as Foundation's, which is another implementation.
    @Test func `what fits is what fits elsewhere`() throws {
        let patterns = [
            "a(b|c)*d?", "[ab]{2,4}c", "(ab|a)(bc|c)", "(a*b)+", "((a|b)c?){1,3}", "a.c", "[^a]b*",
        ]
        var tokens = [""]
        for _ in 0..<5 { tokens += tokens.flatMap { token in "abcd".map { token + String($0) } } }
        for text in patterns {
            let pattern = try TokenPattern(text)
            let other = try NSRegularExpression(pattern: "^(?:\(text))$")
            for token in Set(tokens) {
                let range = NSRange(location: 0, length: token.utf16.count)
                let expected = other.firstMatch(in: token, range: range) != nil
                #expect(fits(token, pattern) == expected, "\(text): \(token)")
            }
        }
    }

    @Test(arguments: [
        ("", "is empty"), ("^a$", "leave it out, the whole token"), ("a$", "has $"),
        ("*a", "nothing before it"), ("a**", "two counts"), ("a+?", "two counts"),
        ("(a", "( without its )"), ("a)", ") without its ("), ("[a", "[ without its ]"),
        ("[", "[ without its ]"), ("a]", "a lone ]"), ("a}", "a lone }"),
        ("a{", "a count that is none"), ("a{,3}", "a count that is none"),
        ("a{3", "a count that is none"), ("a{5,3}", "backwards"), ("a{0}", "{0}"),
        ("a{2000}", "too large"), ("(a{40}){40}", "too large"), ("(?=a)", "(?, which is not known"),
        ("(?<n>a)", "(?, which is not known"), ("\\b", "\\b, which is not known"),
        ("(a)\\1", "\\1, which is not known"), ("a\\", "ends with a \\"),
        ("[z-a]", "backwards"), ("[[:alpha:]]", "[:, which is not known"),
        ("[\\s]", "\\s in a class"), ("[\\a]", "\\a in a class"), ("[\\z]", "\\z in a class"),
        ("[\\A]", "\\A in a class"), ("[\\Z]", "\\Z in a class"), ("[\\0]", "\\0 in a class"),
        ("[\\9]", "\\9 in a class"), ("é", "beyond ASCII"), ("(){3}", "repeats what is empty"),
        ("[^ -~]", "takes no character"),
    ])
    func `what is not known is told`(text: String, words: String) {
        let fault = #expect(throws: TokenPatternFault.self) { try TokenPattern(text) }
        #expect(fault?.text.contains(words) == true, "\(String(describing: fault))")
    }

    /// A matcher that goes back and forth would take 2³⁰⁰ steps.
    @Test func `a hostile token takes no longer than another one`() throws {
        let pattern = try TokenPattern("(a|a)*(a?){300}(a+)+b")
        #expect(!fits(String(repeating: "a", count: 1000), pattern))
        #expect(fits(String(repeating: "a", count: 1000) + "b", pattern))
    }

    @Test func `groups may be deep, and not without end`() throws {
        let deep = { String(repeating: "(", count: $0) + "a" + String(repeating: ")", count: $0) }
        #expect(fits("a", try TokenPattern(deep(32))))
        #expect(throws: TokenPatternFault.self) { try TokenPattern(deep(100_000)) }
    }

    @Test(arguments: [
        (
            "*registration token*", ["The Registration Token is bad", "registration token"],
            ["token"]
        ),
        ("a*b*c", ["abc", "aXbYc", "abbcc"], ["acb", "ab", "xabc"]),
        ("", [""], ["a"]), ("*", ["", "a\nb"], []), ("**a**", ["a", "ba"], ["b"]),
    ])
    func `a text is like a pattern in either case`(text: String, good: [String], bad: [String]) {
        let pattern = LikePattern(text)
        for text in good { #expect(pattern.fits(text), "\(text)") }
        for text in bad { #expect(!pattern.fits(text), "\(text)") }
    }
}
