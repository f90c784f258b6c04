/// A kind of file that is no text, as its first bytes tell.
package enum FileKind: Equatable, Sendable {
    case excelWorkbook
    case oldExcelWorkbook
    case openDocument
    case zip
    case sqlite
    case parquet
    case pdf
    case tar
    case html
    /// Compressed in a form that is not unpacked here.
    case compressed(String)
    /// Other content with a name.
    case other(String)

    /// Finds the kind of a file; `nil` if it may be text.
    /// - Parameter head: Its first bytes; 512 are enough.
    package init?(of head: UnsafeBufferPointer<UInt8>) {
        func begins(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
            unsafe head.dropFirst(offset).starts(with: bytes)
        }
        if begins(Array("PK".utf8) + [3, 4]) || begins(Array("PK".utf8) + [5, 6]) {
            self = unsafe Self.kind(ofZip: head)
            return
        }
        // A tar archive has its mark behind the name of the first file.
        if begins(Array("ustar".utf8), at: 257) {
            self = .tar
            return
        }
        if unsafe Self.isPage(head) {
            self = .html
            return
        }
        guard let found = Self.marks.first(where: { begins($0.bytes) }) else { return nil }
        self = found.kind
    }

    /// The bytes that files begin with, from the descriptions of their formats.
    private static let marks: [(bytes: [UInt8], kind: FileKind)] = [
        (Array("SQLite format 3\0".utf8), .sqlite),
        ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], .oldExcelWorkbook),
        (Array("PAR1".utf8), .parquet), (Array("%PDF-".utf8), .pdf),
        ([0x1F, 0x8B, 8], .compressed("gzip")), ([0x28, 0xB5, 0x2F, 0xFD], .compressed("zstd")),
        (Array("BZh".utf8) + [0x31], .compressed("bzip2")),
        (Array("BZh".utf8) + [0x39], .compressed("bzip2")),
        ([0xFD] + Array("7zXZ\0".utf8), .compressed("xz")),
        ([0x04, 0x22, 0x4D, 0x18], .compressed("LZ4")),
        (Array("7z".utf8) + [0xBC, 0xAF, 0x27, 0x1C], .other("a 7z archive")),
        (Array("Rar!".utf8) + [0x1A, 7], .other("a RAR archive")),
        (Array("ORC".utf8) + [0x0A], .other("an ORC file")),
        (Array("Obj".utf8) + [1], .other("an Avro file")),
        (Array("ARROW1".utf8), .other("an Arrow file")),
        (Array("PGDMP".utf8), .other("a dump of PostgreSQL")),
        ([0x89] + Array("PNG".utf8), .other("a picture")),
        ([0xFF, 0xD8, 0xFF], .other("a picture")),
        (Array("{\\rtf".utf8), .other("an RTF document")),
        ([0x7F] + Array("ELF".utf8), .other("a program")),
    ]

    /// An archive names its first files.
    private static func kind(ofZip head: UnsafeBufferPointer<UInt8>) -> FileKind {
        func holds(_ text: String) -> Bool {
            let wanted = Array(text.utf8)
            guard head.count >= wanted.count else { return false }
            return (0...head.count - wanted.count).contains {
                unsafe head.dropFirst($0).starts(with: wanted)
            }
        }
        if holds("application/vnd.oasis.opendocument") { return .openDocument }
        let isOffice = holds("[Content_Types].xml") || holds("_rels/.rels") || holds("xl/")
        return isOffice ? .excelWorkbook : .zip
    }

    private static func isPage(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = unsafe head.prefix(32).drop { $0 <= 0x20 || $0 >= 0x80 }
        let text = unsafe String(decoding: start, as: UTF8.self).lowercased()
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }

    /// The kind with its article, for a sentence.
    package var name: String {
        switch self {
        case .excelWorkbook: "an Excel workbook"
        case .oldExcelWorkbook: "an Excel workbook of the old form"
        case .openDocument: "an OpenDocument file"
        case .zip: "a zip archive"
        case .sqlite: "an SQLite database"
        case .parquet: "a Parquet file"
        case .pdf: "a PDF document"
        case .tar: "a tar archive"
        case .html: "a page of HTML"
        case .compressed(let form): "compressed with \(form)"
        case .other(let name): name
        }
    }
}

/// Text in UTF-16 without a mark, as its zeros tell.
extension TextEncoding {
    /// Finds the encoding of a text by the zeros in its first characters, which are mostly ASCII: one of the
    /// two forms of UTF-16, or `nil` if it is in neither.
    /// - Parameter head: Its first bytes.
    package init?(zerosIn head: UnsafeBufferPointer<UInt8>) {
        let count = min(head.count, 64) & ~1
        guard count >= 4 else { return nil }
        var zeros = (even: 0, odd: 0)
        for index in stride(from: 0, to: count, by: 2) {
            if unsafe head[index] == 0 { zeros.even += 1 }
            if unsafe head[index + 1] == 0 { zeros.odd += 1 }
        }
        // Most units have a zero in one place, and none in the other.
        let wanted = count / 2 * 3 / 4
        if zeros.odd >= wanted && zeros.even == 0 {
            self = .utf16LittleEndian
        } else if zeros.even >= wanted && zeros.odd == 0 {
            self = .utf16BigEndian
        } else {
            return nil
        }
    }
}
