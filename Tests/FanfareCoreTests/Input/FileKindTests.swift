import FanfareCore
import FanfareTestSupport
import Testing

@Suite struct FileKindTests {
    private func kind(_ bytes: [UInt8]) -> FileKind? {
        bytes.withUnsafeBufferPointer { unsafe FileKind(of: $0) }
    }

    /// A zip archive with entries: a local header has the length of its name at 26, and the name at 30
    /// (APPNOTE.TXT §4.3.7).
    private func zip(_ names: String..., content: String = "") -> [UInt8] {
        var bytes: [UInt8] = []
        for name in names {
            bytes += Array("PK".utf8) + [3, 4]
            bytes += [UInt8](repeating: 0, count: 22)
            bytes += [UInt8(name.utf8.count), 0, 0, 0]
            bytes += Array((name + content).utf8)
        }
        return bytes
    }

    @Test func `files that are no text are known by their first bytes`() {
        #expect(kind(zip("[Content_Types].xml")) == .excelWorkbook)
        #expect(kind(zip("rows.csv")) == .zip)
        #expect(
            kind(zip("mimetype", content: "application/vnd.oasis.opendocument.spreadsheet"))
                == .openDocument)
        #expect(
            kind(zip("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml")) == .excelWorkbook)
        for (name, words) in [
            ("word/document.xml", "a Word document"),
            ("ppt/presentation.xml", "a PowerPoint presentation"),
        ] {
            #expect(kind(zip("[Content_Types].xml", "_rels/.rels", name)) == .other(words))
        }
        #expect(kind(zip("pixl/a.csv", "my_rels/.rels.csv", content: "xl/")) == .zip)
        #expect(kind(Array("PK".utf8) + [3, 4]) == .zip)
        #expect(
            kind([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0, 0]) == .oldExcelWorkbook)
        #expect(kind(Array("SQLite format 3\0\u{10}".utf8)) == .sqlite)
        #expect(kind(Array("PAR1\u{15}".utf8)) == .parquet)
        #expect(kind(Array("%PDF-1.7\n".utf8)) == .pdf)
        #expect(kind([0xFD] + Array("7zXZ\0".utf8)) == .compressed("xz"))
        #expect(kind([0x1F, 0x8B, 8, 0]) == .compressed("gzip"))
        #expect(kind(Array("\r\n<!DOCTYPE HTML><p>".utf8)) == .html)
        let tar = Array("rows.csv".utf8) + [UInt8](repeating: 0, count: 249) + Array("ustar".utf8)
        #expect(kind(tar) == .tar)
        // The beginning of Python's bz2.compress(b"x", 1), and the versions of the other formats.
        #expect(kind(Array("BZh11AY&SYwI".utf8)) == .compressed("bzip2"))
        #expect(kind(Array("BZh51AY&SY".utf8)) == .compressed("bzip2"))
        #expect(kind(Array("ARROW1\0\0".utf8)) == .other("an Arrow file"))
        #expect(kind(Array("PGDMP\u{1}\u{10}".utf8)) == .other("a dump of PostgreSQL"))
        #expect(kind(Array("ORC\n\u{3}\0\0\0".utf8)) == .other("an ORC file"))
    }

    @Test(arguments: [
        "token,name\n", "PK,token\n", "{\"token\":1}", "", "\u{FEFF}token", "BZh,a",
        "PAR1abcdefgh:APA91b\n", "ARROW1\nabc\n", "PGDMP1234\n", "BZh1abcdef\n", "BZh9zzz\n",
        "ORC\nabc\n",
        String(repeating: "a", count: 257) + "ustar\n",
    ])
    func `text is none of them`(text: String) {
        #expect(kind(Array(text.utf8)) == nil)
    }

    @Test func `zeros tell UTF-16 without a mark`() {
        func guess(_ bytes: [UInt8]) -> TextEncoding? {
            bytes.withUnsafeBufferPointer { unsafe TextEncoding(zerosIn: $0) }
        }
        let text = "token,näme\r\naa,Ł\n"
        let units = Array(text.utf16)
        #expect(guess(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == .utf16LittleEndian)
        #expect(guess(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) == .utf16BigEndian)
        #expect(guess(Array(text.utf8)) == nil)
        #expect(guess(Array("token,a\0b\0\n".utf8)) == nil)
    }
}
