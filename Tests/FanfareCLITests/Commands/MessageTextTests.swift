import FanfareCLI
import Testing

@Suite struct MessageTextTests {
    @Test(arguments: [
        (#"{"aps":{"alert":"Hi Ada"}}"#, ["Hi Ada"]),
        (
            #"{"aps":{"alert":{"body":"The doors open at eight.","title":"Hello","subtitle":"Tonight"}}}"#,
            ["Hello", "Tonight", "The doors open at eight."]
        ),
        (
            #"{"message":{"token":"t","notification":{"title":"Hello","body":"Come in"}}}"#,
            ["Hello", "Come in"]
        ),
        (
            #"{"message":{"android":{"notification":{"title":"Hello"}},"data":{"a":"1"}}}"#,
            ["Hello"]
        ),
        (#"{"aps":{"alert":"one\ntwo"}}"#, ["one", "two"]),
    ])
    func `a person reads title, subtitle and body`(payload: String, lines: [String]) {
        #expect(MessageText.lines(of: payload, columns: 64) == lines)
    }

    @Test(arguments: [
        #"{"aps":{"content-available":1}}"#, #"{"message":{"data":{"order":"17"}}}"#,
        #"{"aps":{"alert":{"loc-key":"GREETING"}}}"#, #"{"aps":{"alert":""#,
    ])
    func `without a text it is the payload itself`(payload: String) {
        #expect(MessageText.lines(of: payload, columns: 64) == [payload])
    }

    @Test func `a long text keeps its beginning, in lines that fit a terminal`() {
        let word = String(repeating: "a", count: 9)
        // Six words of nine letters and five blanks are 59 of 64 columns.
        let line = Array(repeating: word, count: 6).joined(separator: " ")
        let body = Array(repeating: line, count: 10).joined(separator: " ")
        let payload = #"{"aps":{"alert":"\#(body)"}}"#
        #expect(
            MessageText.lines(of: payload, columns: 64) == Array(repeating: line, count: 6) + [
                "..."
            ])
        let wide = #"{"aps":{"alert":"\#(String(repeating: "b", count: 70))"}}"#
        #expect(MessageText.lines(of: wide, columns: 64).map(\.count) == [64, 6])
    }

    @Test func `a terminal is not steered, and an emoji stays whole`() {
        let payload = #"{"aps":{"alert":"a\u001b[2Jb\u202Ec 👩‍👧"}}"#
        #expect(MessageText.lines(of: payload, columns: 64) == ["a?[2Jb?c 👩‍👧"])
    }
}
