import FanfareBase
import FanfareTLS
import Testing

@testable import Fanfare

@Suite struct AccessTokenTests {
    private func read(_ text: String) throws -> AccessToken {
        try AccessTokenFile.read(Secret(text), file: "token")
    }

    @Test(arguments: [
        "ya29.a0-_~+/==", "ya29.a0-_~+/==\n", "ya29.a0-_~+/==\r\n\n", "  \t\nya29.a0-_~+/== \n ",
    ])
    func `white space around the token is left out`(text: String) throws {
        let token = try read(text)
        #expect(token.secret.told == "ya29.a0-_~+/==" && token.life == nil)
        #expect(token.authorization.told == "Bearer ya29.a0-_~+/==")
    }

    @Test(arguments: [
        ("", "is empty"), (" \n\t", "is empty"), ("a\nb", "has several lines"),
        ("a\rb", "has several lines"), ("a\n\nb\n", "has several lines"),
        ("Bearer abc", "begins with 'Bearer'"), ("a b", "has blanks in its line"),
        (#"{"access_token":"a"}"#, "is JSON"), ("a\u{0}b", "has characters that no token has"),
        ("a\u{7f}", "has characters that no token has"),
        ("a\tb", "has characters that no token has"),
        ("é", "has characters that no token has"),
        ("\u{FEFF}abc", "has characters that no token has"),
        (String(repeating: "a", count: 8193), "is longer than an access token can be"),
    ])
    func `anything else in the file is refused, and not repeated`(text: String, what: String) {
        let error = fanfareError { _ = try read(text) }
        #expect(error?.message.hasPrefix("token \(what)") == true)
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("access_token") == false)
    }

    @Test func `the longest token is taken`() throws {
        let text = String(repeating: "a", count: 8192)
        #expect(try read(text).secret.told == text)
    }

    @Test func `no way of printing shows it`() throws {
        let token = try read("opensesame")
        var dumped = ""
        dump(token, to: &dumped)
        for shown in ["\(token)", String(reflecting: token), dumped] {
            #expect(!shown.contains("opensesame"))
        }
    }
}
