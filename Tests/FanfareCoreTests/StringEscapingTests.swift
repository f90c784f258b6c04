import FanfareBase
import Testing

/// Text with quotes, where a mark makes one grapheme of a quote and something else.
@Suite struct StringEscapingTests {
    private func expect(_ text: String, _ expected: String) {
        #expect(Array(text.utf8) == Array(expected.utf8), "\(text)")
    }

    @Test(
        arguments: ["", "\u{600}", "\u{D4E}", "\u{111C2}", "x"], ["", "\u{301}", "\u{200D}", "y"])
    func `each character is escaped, whatever stands beside it`(before: String, behind: String) {
        expect(
            "\(before)'\(behind)&\(before)&\(behind)".escaping(["'": "''", "&": "&amp;"]),
            "\(before)''\(behind)&amp;\(before)&amp;\(behind)")
        expect("\(before)\"\(behind)".quoted(doubling: "\""), "\"\(before)\"\"\(behind)\"")
        expect("\(before)'\(behind)".singleQuoted, "'\(before)'\\''\(behind)'")
    }

    @Test func `what has taken a character's place is not escaped again`() {
        expect("<&>".escaping(["&": "&amp;", "<": "&lt;"]), "&lt;&amp;>")
        expect("\r\n".escaping(["\n": "\\n"]), "\r\\n")
    }

    /// U+037E and U+1FEF are the same as these for those who compare texts as Unicode does.
    @Test func `another character stays, even if it is equivalent`() {
        expect("\u{37E}\u{1FEF}é".escaping([";": "", "`": ""]), "\u{37E}\u{1FEF}é")
    }

    @Test(arguments: [
        ("a=b", "a", "b"), ("=", "", ""), ("a=b=c", "a", "b=c"),
        ("a\u{600}=\u{301}b", "a\u{600}", "\u{301}b"),
    ])
    func `a text is parted at a separator with a mark`(text: String, first: String, second: String)
        throws
    {
        let parts = try #require(text.parts(at: "="))
        expect(parts.0, first)
        expect(parts.1, second)
        #expect("ab".parts(at: "=") == nil)
        #expect("a:/b".parts(at: "://") == nil)
    }

    @Test(arguments: [("a/b", "b"), ("b", "b"), ("a/", ""), ("in\u{600}/\u{301}b", "\u{301}b")])
    func `a name begins behind the last slash`(path: String, name: String) {
        expect(String(path[path.nameIndex...]), name)
    }
}
