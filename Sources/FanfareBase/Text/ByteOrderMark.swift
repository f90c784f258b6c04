/// The mark that editors of Windows put before text in UTF-8, and that is no part of it.
package enum ByteOrderMark {
    /// U+FEFF.
    package static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns the number of bytes that the mark takes at the beginning of a text: 3, or 0.
    package static func count(in text: some Collection<UInt8>) -> Int {
        text.starts(with: bytes) ? bytes.count : 0
    }
}
