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
        // A tar archive has its mark behind the name of the first file, which ends in a zero.
        if begins(Array("ustar".utf8), at: 257), unsafe head.prefix(257).contains(0) {
            self = .tar
            return
        }
        if unsafe Self.isPage(head) {
            self = .html
            return
        }
        if begins(Array("BZh".utf8)), begins(Array("1AY&SY".utf8), at: 4) {
            self = .compressed("bzip2")
            return
        }
        if begins(Array("ORC".utf8)),
            unsafe head.dropFirst(3).prefix(16).contains(where: { $0 < 0x09 })
        {
            self = .other("an ORC file")
            return
        }
        guard let found = Self.marks.first(where: { begins($0.bytes) }) else { return nil }
        self = found.kind
    }

    /// The bytes that files begin with, from the descriptions of their formats.
    ///
    /// Where they begin with letters and digits, as a token may, a byte that no text has follows.
    private static let marks: [(bytes: [UInt8], kind: FileKind)] = [
        (Array("SQLite format 3\0".utf8), .sqlite),
        ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], .oldExcelWorkbook),
        // The header of a page begins with a field of type i32 (Apache Thrift, compact protocol).
        (Array("PAR1".utf8) + [0x15], .parquet), (Array("%PDF-".utf8), .pdf),
        ([0x1F, 0x8B, 8], .compressed("gzip")), ([0x28, 0xB5, 0x2F, 0xFD], .compressed("zstd")),
        ([0xFD] + Array("7zXZ\0".utf8), .compressed("xz")),
        ([0x04, 0x22, 0x4D, 0x18], .compressed("LZ4")),
        (Array("7z".utf8) + [0xBC, 0xAF, 0x27, 0x1C], .other("a 7z archive")),
        (Array("Rar!".utf8) + [0x1A, 7], .other("a RAR archive")),
        (Array("Obj".utf8) + [1], .other("an Avro file")),
        (Array("ARROW1".utf8) + [0, 0], .other("an Arrow file")),
        (Array("PGDMP".utf8) + [1], .other("a dump of PostgreSQL")),
        ([0x89] + Array("PNG".utf8), .other("a picture")),
        ([0xFF, 0xD8, 0xFF], .other("a picture")),
        (Array("{\\rtf".utf8), .other("an RTF document")),
        ([0x7F] + Array("ELF".utf8), .other("a program")),
    ]

    /// An archive names its first files, each in a header of 30 bytes in front of its name (APPNOTE.TXT
    /// §4.3.7).
    private static func kind(ofZip head: UnsafeBufferPointer<UInt8>) -> FileKind {
        let mark = Array("PK".utf8) + [3, 4]
        var isPackage = false
        var at = 0
        while let start = (at..<max(at, head.count - 29)).first(where: {
            unsafe head[$0] == mark[0] && head.dropFirst($0).starts(with: mark)
        }) {
            let length = unsafe Int(head[start + 26]) | Int(head[start + 27]) << 8
            let name = unsafe head.dropFirst(start + 30).prefix(length)
            func begins(_ text: String) -> Bool { unsafe name.starts(with: text.utf8) }
            if begins("xl/") { return .excelWorkbook }
            if begins("word/") { return .other("a Word document") }
            if begins("ppt/") { return .other("a PowerPoint presentation") }
            if begins("mimetype"), length == 8 {
                let content = unsafe head.dropFirst(start + 38).prefix(64)
                let isOpen = unsafe content.starts(
                    with: "application/vnd.oasis.opendocument".utf8)
                if isOpen { return .openDocument }
            }
            if begins("[Content_Types].xml") || begins("_rels/.rels") { isPackage = true }
            at = start + 30
        }
        // The names that tell may be further behind; of the packages of Office, workbooks have rows.
        return isPackage ? .excelWorkbook : .zip
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
