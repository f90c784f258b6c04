internal import CShipped
import FanfareBase

/// A description of a provider that comes with Fanfare.
///
/// Its file is in the program itself, which is one file.
package struct ShippedProvider: Sendable {
    package let name: String
    /// The file.
    package let bytes: [UInt8]

    /// All of them, by their names.
    package static let all = (0..<shipped_count).map { index in
        // SAFETY: the C target has that many, each with its count of bytes, and they never change.
        let file = unsafe shipped_at(index)
        return unsafe ShippedProvider(
            name: String(cString: file.name),
            bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
    }

    private init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The one with a name; nil if there is none.
    package init?(named name: String) {
        guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// Reads it.
    /// - Returns: The description.
    package func file() -> ProviderFile {
        do throws(ProviderFile.Faults) {
            return try ProviderFile(bytes, name: name)
        } catch {
            preconditionFailure("BUG: \(name): \(error.list[0])")
        }
    }
}
