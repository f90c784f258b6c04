import FanfareBase
import FanfareCore
import Testing

@Suite struct TerminalTextTests {
    /// Characters that terminals obey or that are near those, and some that they show.
    private static let scalars: [Unicode.Scalar] =
        (0...0xA0).compactMap(Unicode.Scalar.init)
        + [
            0x061C, 0x200D, 0x200E, 0x200F, 0x2027, 0x2028, 0x2029, 0x202A, 0x202E, 0x2065, 0x2066,
            0x2069, 0x206A, 0xFFFD, 0x1F600,
        ].compactMap { Unicode.Scalar($0 as UInt32) }

    private static func random(_ generator: inout SplitMix64) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<60, using: &generator) {
            text.append(scalars.randomElement(using: &generator) ?? "a")
            // The beginnings of sequences, so that there are some.
            if Int.random(in: 0..<4, using: &generator) == 0 {
                text.append(contentsOf: "\u{1B}[".unicodeScalars)
                text.append(
                    contentsOf: ["0m", "1;31m", "2J", "8m", "1;", "31"]
                        .randomElement(using: &generator)?.unicodeScalars ?? "".unicodeScalars)
            }
        }
        return String(text)
    }

    /// ECMA-48: C0, DEL and C1; Unicode's Bidi_Control and the separators of lines and paragraphs.
    private static func mayStand(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n"
            || (scalar.properties.generalCategory != .control
                && scalar.properties.generalCategory != .lineSeparator
                && scalar.properties.generalCategory != .paragraphSeparator
                && !scalar.properties.isBidiControl)
    }

    @Test func `nothing is left that a terminal would obey`() {
        var generator = SplitMix64(seed: 14)
        for _ in 0..<5_000 {
            let text = Self.random(&generator)
            let shown = TerminalText.printable(text)
            #expect(shown.unicodeScalars.allSatisfy(Self.mayStand), "\(text.debugDescription)")
            #expect(shown.unicodeScalars.count == text.unicodeScalars.count)
        }
    }

    @Test func `of styles only our own are left`() {
        var generator = SplitMix64(seed: 15)
        for _ in 0..<5_000 {
            let text = Self.random(&generator)
            let shown = TerminalText.printable(text, keepsStyles: true)
            // By scalars: a joiner behind the m would make one character of both.
            let style = /\u{1B}\[(0|1|2|31|32|33)(;(0|1|2|31|32|33))?m/
            let bare = shown.replacing(style.matchingSemantics(.unicodeScalar), with: "")
            #expect(bare.unicodeScalars.allSatisfy(Self.mayStand), "\(text.debugDescription)")
        }
    }

    @Test(arguments: [
        ("plain\ntext", "plain\ntext"), ("é 😀 👨\u{200D}👩", "é 😀 👨\u{200D}👩"),
        ("\u{1B}[1;31mStopped\u{1B}[0m\n", "\u{1B}[1;31mStopped\u{1B}[0m\n"),
        ("\u{1B}[8mhidden", "?[8mhidden"), ("\u{1B}]0;title\u{7}", "?]0;title?"),
        ("\u{1B}[2A\u{1B}[2K", "?[2A?[2K"), ("\u{9B}31m", "?31m"), ("a\rb\u{8}", "a?b?"),
        ("\u{202E}gpj.exe", "?gpj.exe"), ("\u{1B}[", "?["), ("\u{1B}[1", "?[1"),
        ("\u{1B}[m", "?[m"),
    ])
    func `what is ours stays, and what is not does not`(text: String, shown: String) {
        #expect(TerminalText.printable(text, keepsStyles: true) == shown)
    }
}
