/// Compressed bytes that other implementations have made.
///
/// ```
/// gzip   │ gzip 1.12 -n -9 │ Python's gzip, level 9, with a name │ gzip of nothing │ Python, stored │
/// zstd   │ zstd 1.5.4 -19 │ --no-check │ skippable frame │ zstd of nothing │ -1 │
/// ```
package enum CompressedVectors {
    /// The content of both, in pieces of 40, 50, 0 and 31 bytes.
    package static let text =
        "token,name\n"
        + (0..<12).map { "0" + String($0, radix: 16) + ",Ann \($0)\n" }.joined()

    package static let gzip = bytes(
        """
        1f8b08000000000002032bc9cf4ecdd3c94bcc4de53230d071cccb5330e0323004330cb90c8cc00c232e0363004f31eebe28000000
        1f8b08080100000002ff726f77732e63737600d371cccb5330e63230d101314cb80c4cc10c532e033330c38ccbc01ccc30e732b000330059e4adfc32000000
        1f8b080000000000000303000000000000000000
        1f8b0800000000000403011f00e0ff380a30392c416e6e20390a30612c416e6e2031300a30622c416e6e2031310af460d12b1f000000
        """)

    package static let zstd = bytes(
        """
        28b52ffd0468410100746f6b656e2c6e616d650a30302c416e6e20300a30312c416e6e20310a30322c416e6e20320a30337c1b7cb4
        28b52ffd00586d010034022c416e6e20330a30342c416e6e20340a3035350a3036360a3037370a30382c416e6e20030402800082250c
        5a2a4d180300000078797a
        28b52ffd240001000099e9d851
        28b52ffd0448f90000380a30392c416e6e20390a30612c416e6e2031300a30622c416e6e2031310aebc3aa94
        """)

    /// The bytes of each member, and how much of the text is in it.
    package static let gzipParts = [(53, 40), (63, 50), (20, 0), (54, 31)]

    /// The bytes of each frame, and how much of the text is in it.
    package static let zstdParts = [(53, 40), (54, 50), (11, 0), (13, 0), (44, 31)]

    /// Ten times `a`, by `zstd --long=27`, 28 and 31.
    package static let windows = [
        27: bytes("28b52ffd0488510000616161616161616161614ff8b577"),
        28: bytes("28b52ffd0490510000616161616161616161614ff8b577"),
        31: bytes("28b52ffd04a81d00005161004ff8b577"),
    ]

    /// A frame of one byte over and over, put together by RFC 8878: blocks of 128 KiB, four bytes each.
    package static func zstdBomb(_ byte: UInt8, blocks: Int) -> [UInt8] {
        // The magic number; no checksum and no size; a window of 2¹⁷ bytes.
        var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
        for block in 1...blocks {
            let header = (block == blocks ? 1 : 0) | 1 << 1 | 128 * 1024 << 3
            frame += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16), byte]
        }
        return frame
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
