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

    /// `openssl pkcs12 -nodes` writes attributes before each part, in lines that begin with blanks.
    @Test func `only what stands between BEGIN and END counts`() {
        let attributes =
            "Bag Attributes\n    friendlyName: a\\b\n    localKeyID: 54 69\nKey Attributes: <No Attributes>\n"
        let text = Self.lines.joined(separator: "\n") + "\n"
        #expect(fault(attributes + text + attributes + text + "  end\n") == nil)
        #expect(fault(attributes) == nil)
        #expect(fault(attributes + "  " + text)?.hasPrefix("its lines begin with blanks") == true)
        let indented = Self.lines.joined(separator: "\n\t")
        #expect(fault(text + attributes + indented)?.hasPrefix("its lines begin") == true)
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
