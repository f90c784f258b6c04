import FanfareTLS
import Testing

@testable import Fanfare

@Suite struct FormTextTests {
    /// The result of Python's `urllib.parse.urlencode` for the same.
    @Test(arguments: [
        ("é ü*-._~!'()", "%C3%A9+%C3%BC%2A-._~%21%27%28%29"), ("", ""), ("azAZ09", "azAZ09"),
        ("a&b=c+d/e:%", "a%26b%3Dc%2Bd%2Fe%3A%25"), ("\u{0}\u{7f}\n", "%00%7F%0A"),
    ])
    func `values are escaped`(text: String, expected: String) {
        #expect(FormText.escaped(text) == expected)
        #expect(
            FormText.encoded([("a", Secret(text)), ("b c", Secret("d"))]).told
                == "a=\(expected)&b+c=d")
    }

    @Test func `no field is an empty form`() {
        #expect(FormText.encoded([]).told == "")
    }
}
