import FanfareBase
import Testing

@Suite struct LabelTextTests {
    @Test(arguments: [
        "Black Friday", "Sale: 50 % off!", "Größe", "黒い金曜日", "👨‍👩‍👧 family",
        #"quotes " and \ and '"#,
    ])
    func `words on a line are fine`(text: String) {
        #expect(LabelText.fault(text, bytesMax: 200) == nil)
    }

    @Test(arguments: ["", " ", "\t \u{00A0}"])
    func `nothing is no name`(text: String) {
        #expect(LabelText.fault(text, bytesMax: 200) == "is empty")
    }

    // A line end, an escape, C1's CSI, DEL, the override of direction, the separator of lines.
    @Test(arguments: [
        "a\nb", "a\u{1B}[2J", "a\u{9B}2J", "a\u{7F}", "a\u{202E}b", "a\u{2028}b", "a\0b",
    ])
    func `what a terminal would obey is refused`(text: String) {
        #expect(
            LabelText.fault(text, bytesMax: 200)
                == "has a character in it that cannot be shown, such as a line end")
    }

    @Test func `the bound counts bytes of UTF-8`() {
        #expect(LabelText.fault(String(repeating: "ü", count: 100), bytesMax: 200) == nil)
        #expect(
            LabelText.fault(String(repeating: "ü", count: 100) + "a", bytesMax: 200)
                == "has 201 bytes, and may have 200")
    }
}
