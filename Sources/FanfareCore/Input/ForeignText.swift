/// Rows that are not UTF-8, and what encoding they look like.
///
/// It takes whole rows, whose first and last bytes have no letter beside them.
package struct ForeignText: Sendable {
    /// The bytes beyond ASCII.
    private var count = 0
    /// Those that mean nothing in Windows-1252.
    private var undefinedCount = 0
    /// Those that are signs there, such as `„`, and stand within a word.
    private var oddCount = 0
    /// Those between two others: in a language of Western Europe words are mostly ASCII.
    private var enclosedCount = 0

    /// Begins without any rows.
    package init() {}

    /// Takes a row.
    package mutating func add(_ row: UnsafeBufferPointer<UInt8>) {
        for index in row.indices where unsafe row[index] >= 0x80 {
            let byte = unsafe row[index]
            let before = unsafe index > 0 ? row[index - 1] : 0
            let after = unsafe index + 1 < row.count ? row[index + 1] : 0
            count += 1
            if Self.isUndefined(byte) { undefinedCount += 1 }
            if before >= 0x80 && after >= 0x80 { enclosedCount += 1 }
            if Self.isNoPartOfWords(byte), Self.isInWord(before), Self.isInWord(after) {
                oddCount += 1
            }
        }
    }

    /// The encoding that the rows look like, if it is one that can be read.
    ///
    /// Without bytes from 0x80 to 0x9F, ISO 8859-1 is the same text. Every byte means something there,
    /// so that it fits everything and is no guess. Cyrillic, Greek and Asian texts have long runs of
    /// bytes beyond ASCII; those of DOS have their letters where Windows-1252 has signs.
    package var encoding: TextEncoding? {
        guard count > 0, undefinedCount == 0, 4 * enclosedCount <= count, 8 * oddCount <= count
        else { return nil }
        return .windows1252
    }

    /// - Returns: True for the five bytes without a character.
    private static func isUndefined(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x81, 0x8D, 0x8F, 0x90, 0x9D: true
        default: false
        }
    }

    /// - Returns: False for letters and for signs that words have: apostrophes, dashes, the dot of
    ///   `col·lecció`, blanks and hyphens.
    private static func isNoPartOfWords(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC0...: false
        case 0x8A, 0x8C, 0x8E, 0x9A, 0x9C, 0x9E, 0x9F, 0xAA, 0xBA: false
        case 0x91, 0x92, 0x96, 0x97, 0xA0, 0xAD, 0xB4, 0xB7: false
        default: true
        }
    }

    private static func isInWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
