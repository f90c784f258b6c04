import FanfareBase
import FanfareCore
import Foundation
import Testing

@Suite struct ForeignTextTests {
    private func guess(_ rows: [[UInt8]]) -> TextEncoding? {
        var text = ForeignText()
        for row in rows { row.withUnsafeBufferPointer { text.add($0) } }
        return text.encoding
    }

    private func guess(_ text: String, _ encoding: String.Encoding) throws -> TextEncoding? {
        guess([[UInt8](try #require(text.data(using: encoding)))])
    }

    @Test(arguments: [
        "abc,Müller,Köln", "Zoë", "José,São Paulo", "Don’t miss it", "50 € – today", "Ægir Þór Åse",
        "l’été à Noël;“now”", "Špela Žižek", "intel·ligència col·lecció", "ÖZGÜR ÇELIK",
        "œuvre, cœur", "¡Hola! ¿Qué tal?", "Übergröße für Großväter",
    ])
    func `text of Western Europe looks like Windows-1252`(text: String) throws {
        #expect(try guess(text, .windowsCP1252) == .windows1252)
    }

    @Test(arguments: [
        ("Иван Петров", String.Encoding.windowsCP1251), ("Γιώργος", .windowsCP1253),
        ("山田太郎", .shiftJIS), ("安室奈美恵", .shiftJIS),
    ])
    func `other texts look like nothing that can be read`(
        text: String, encoding: String.Encoding
    ) throws {
        #expect(try guess(text, encoding) == nil)
    }

    /// Code page 850: ö is 0x94, ü 0x81 and ä 0x84.
    @Test func `text of DOS looks like nothing that can be read`() {
        #expect(guess([Array("J".utf8) + [0x94] + Array("rg".utf8)]) == nil)
        #expect(guess([Array("M".utf8) + [0x81] + Array("ller".utf8)]) == nil)
        #expect(
            guess([Array("M".utf8) + [0x84] + Array("der".utf8), Array("Ren".utf8) + [0x82]]) == nil
        )
        #expect(guess([]) == nil)
        #expect(guess([Array("plain".utf8)]) == nil)
    }
}
