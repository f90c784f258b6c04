import FanfareCore
import Testing

@Suite struct UserInfoTests {
    private func userInfo(_ url: String) -> String? {
        let bytes = Array(url.utf8)
        return UserInfo.range(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    // RFC 3986 §3.2.1; the last at sign ends it, as in curl.
    @Test(arguments: [
        ("http://u:p@host:3128", "u:p"), ("u:p@host:3128", "u:p"), ("http://u@host", "u"),
        ("http://u:p@w@host", "u:p@w"), ("http://u:p%40w@host/", "u:p%40w"), ("http://@host", ""),
    ])
    func `it stands before the host`(url: String, expected: String) {
        #expect(userInfo(url) == expected)
    }

    @Test(arguments: ["http://host:3128", "host", "", "://", "http://host/a@b", "http://host?@"])
    func `an address alone has none`(url: String) {
        #expect(userInfo(url) == nil)
    }

    // RFC 3986 §2.1
    @Test(arguments: [
        ("u:p", "u:p"), ("%75%3a%70", "u:p"), ("a%2Fb%2fc", "a/b/c"), ("%25", "%"), ("%C3%BC", "ü"),
    ])
    func `percent-encoding is taken off`(text: String, expected: String) {
        #expect(UserInfo.decoded(Array(text.utf8)) == Array(expected.utf8))
    }

    @Test(arguments: ["%", "%4", "a%", "%4g", "%%41"])
    func `a percent sign without digits is a mistake`(text: String) {
        #expect(UserInfo.decoded(Array(text.utf8)) == nil)
    }
}
