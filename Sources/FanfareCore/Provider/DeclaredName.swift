import FanfareBase
import Synchronization

/// The name of a provider that a file describes.
///
/// A number that stands for the text in this process, so that it is trivial: no row counts a reference.
package struct DeclaredName: Hashable, Sendable {
    private static let texts = Mutex<[String]>([])
    /// The texts' bytes by their numbers, which stay as long as the process.
    ///
    /// Each row's line copies them without a lock. Memory that is not written to costs nothing.
    nonisolated(unsafe) private static let table = UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>
        .allocate(capacity: Int(UInt16.max))

    private let number: UInt16

    /// Takes a name; the same text has the same number each time.
    /// - Parameter text: The text as `DeclaredReader` allows it: short, and with nothing that has
    ///   to be quoted.
    package init(_ text: String) {
        number = Self.texts.withLock { texts in
            if let known = texts.firstIndex(of: text) { return UInt16(known) }
            precondition(texts.count < UInt16.max, "BUG: more providers than there are numbers")
            let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
            _ = unsafe bytes.initialize(from: text.utf8)
            unsafe (Self.table + texts.count).initialize(to: UnsafeBufferPointer(bytes))
            texts.append(text)
            return UInt16(texts.count - 1)
        }
    }

    /// Makes the name of a provider that was read already; nil for any other text.
    package init?(known text: String) {
        guard let known = Self.texts.withLock({ $0.firstIndex(of: text) }) else { return nil }
        number = UInt16(known)
    }

    /// The name.
    package var text: String { Self.texts.withLock { $0[Int(number)] } }

    /// The name in UTF-8, which the table had before this value was made.
    package var bytes: UnsafeBufferPointer<UInt8> { unsafe Self.table[Int(number)] }
}
