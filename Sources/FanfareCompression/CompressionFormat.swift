/// A compression format, which is detected by its first bytes.
package enum CompressionFormat: String, Sendable, CaseIterable {
    /// RFC 1952.
    case gzip
    /// RFC 8878.
    case zstd

    /// The bytes that `init(head:)` wants to see, unless there are not as many.
    package static let headBytes = 4

    /// Looks at the bytes that something begins with.
    /// - Returns: Nothing if they are not compressed in a way that is known here.
    package init?(head: UnsafeBufferPointer<UInt8>) {
        if unsafe head.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else if unsafe head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
            self = .zstd
        } else if unsafe head.count >= 4 && head[0] & 0xF0 == 0x50
            && head[1...3].elementsEqual([0x2A, 0x4D, 0x18])
        {
            // A skippable frame, which some tools put in front (RFC 8878 §3.1.2).
            self = .zstd
        } else {
            return nil
        }
    }

    /// The ending of the names of files that are compressed in this way.
    package var ending: String {
        switch self {
        case .gzip: ".gz"
        case .zstd: ".zst"
        }
    }

    /// Takes the ending off a file's name.
    /// - Returns: The format that it tells, if any, and the name without it.
    package static func split(
        _ path: String
    ) -> (format: CompressionFormat?, name: String) {
        let lowercased = path.lowercased()
        for format in allCases where lowercased.hasSuffix(format.ending) {
            return (format, String(path.dropLast(format.ending.count)))
        }
        return (nil, path)
    }
}
