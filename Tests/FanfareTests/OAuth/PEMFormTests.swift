import FanfareBase
import FanfareTLS
import Testing

/// Keys that lost the form of PEM on their way through a variable or a template.
@Suite struct PEMFormTests {
    private static let lines = [
        "-----BEGIN PRIVATE KEY-----", "MIGTAgEAMBMGByqGSM49AgEGCCqGSM49", "AwEHBHkwdwIBAQQg",
        "-----END PRIVATE KEY-----",
    ]

    private func fault(_ text: String) -> String? {
        PEMForm.fault(of: Secret(Array(text.utf8)))
    }

    @Test(arguments: ["\n", "\r\n"])
    func `a text in lines has no fault`(end: String) {
        let text = Self.lines.joined(separator: end)
        #expect(fault(text) == nil && fault(text + end) == nil && fault("\n" + text) == nil)
        #expect(fault("") == nil)
    }

    @Test func `lost line ends, quotes and blanks are told apart`() {
        let (escaped, lines) = (Self.lines.joined(separator: #"\n"#), Self.lines)
        let cases: [(String, String)] = [
            (escaped, #"it has \n in two characters"#),
            (escaped + "\n", #"it has \n in two characters"#),
            (lines.joined(separator: " "), "its lines have become one"),
            (lines.joined() + "\n", "its lines have become one"),
            ("\"" + lines.joined(separator: "\n") + "\"", "it has quotes around it"),
            (lines.joined(separator: "\n  "), "its lines begin with blanks"),
        ]
        for (text, words) in cases {
            #expect(fault(text)?.hasPrefix(words) == true, "\(text)")
        }
    }
}
