/// A text with `*` for anything: `*registration token*`.
///
/// The whole text has to fit; letters of ASCII fit in either case.
package struct LikePattern: Equatable, Sendable {
    /// The text as it was written.
    package let text: String
    private let bytes: [UInt8]

    private static let star = UInt8(ascii: "*")

    package init(_ text: String) {
        self.text = text
        bytes = text.utf8.map(Self.lowercased)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }

    /// True if a text fits.
    /// - Complexity: The product of the lengths at most.
    package func fits(_ text: String) -> Bool {
        let text = text.utf8.map(Self.lowercased)
        var (here, there) = (0, 0)
        // Where to go on when what follows the last star does not fit.
        var retry: (here: Int, there: Int)?
        while there < text.count {
            if here < bytes.count, bytes[here] == Self.star {
                retry = (here, there)
                here += 1
            } else if here < bytes.count, bytes[here] == text[there] {
                here += 1
                there += 1
            } else if let last = retry {
                retry = (last.here, last.there + 1)
                (here, there) = (last.here + 1, last.there + 1)
            } else {
                return false
            }
        }
        return bytes[here...].allSatisfy { $0 == Self.star }
    }
}
