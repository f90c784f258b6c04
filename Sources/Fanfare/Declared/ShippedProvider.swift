import FanfareBase

/// A description of a provider that comes with Fanfare.
///
/// The texts are in the program itself, which is one file; `dev/embed-providers` puts them there.
package struct ShippedProvider: Sendable {
    package let name: String
    private let text: StaticString

    init(_ name: String, _ text: StaticString) {
        self.name = name
        self.text = text
    }

    /// The one with a name; nil if there is none.
    package init?(named name: String) {
        guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The file.
    package var bytes: [UInt8] { unsafe Array(text.bytes) }

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
