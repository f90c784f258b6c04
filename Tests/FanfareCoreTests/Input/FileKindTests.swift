import FanfareCore
import FanfareTestSupport
import Testing

@Suite struct FileKindTests {
    private func kind(_ bytes: [UInt8]) -> FileKind? {
        bytes.withUnsafeBufferPointer { unsafe FileKind(of: $0) }
    }

    /// A zip archive whose first entry has a name: the local header has 26 bytes behind its mark.
    private func zip(_ name: String) -> [UInt8] {
        Array("PK".utf8) + [3, 4] + [UInt8](repeating: 0, count: 26) + Array(name.utf8)
    }

    @Test func `files that are no text are known by their first bytes`() {
        #expect(kind(zip("[Content_Types].xml")) == .excelWorkbook)
        #expect(kind(zip("rows.csv")) == .zip)
        #expect(
            kind(zip("mimetypeapplication/vnd.oasis.opendocument.spreadsheet")) == .openDocument)
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
    }

    @Test(arguments: ["token,name\n", "PK,token\n", "{\"token\":1}", "", "\u{FEFF}token", "BZh,a"])
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
