/// The place of one value of a row in the memory of its batch, and its kind.
///
/// Eight bytes of zeros are a missing value, so a cleared table is a table of missing values.
@frozen
public struct Field: Equatable, Sendable {
    /// The meaning of a field's bytes.
    public enum Kind: UInt32, Sendable {
        /// The row has no such column or key.
        case missing = 0
        /// Text in UTF-8, with quotes and escapes already taken away.
        case text = 1
        /// A JSON number, boolean, array or object, as it stood in the input.
        case json = 2
        /// A JSON `null`: counts as missing, but the key was there.
        case null = 3
    }

    @usableFromInline var start: UInt32
    /// The kind in the two highest bits, the length in the others.
    @usableFromInline var kindAndLength: UInt32

    /// Describes a value.
    /// - Parameters:
    ///   - kind: The meaning of the bytes.
    ///   - start: The offset of the first byte in the batch's memory.
    ///   - length: The number of bytes, below 2³⁰.
    @inlinable
    public init(_ kind: Kind, start: Int, length: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.kindAndLength = kind.rawValue << 30 | UInt32(truncatingIfNeeded: length)
    }

    /// No value.
    public static let missing = Field(.missing, start: 0, length: 0)

    /// The meaning of the bytes.
    @inlinable
    public var kind: Kind {
        switch kindAndLength >> 30 {
        case 0: .missing
        case 1: .text
        case 2: .json
        default: .null
        }
    }

    /// True if there is no value: no such column, or `null`.
    @inlinable
    public var isMissing: Bool {
        let kind = kindAndLength >> 30
        return kind == 0 || kind == 3
    }

    /// The offset of the first byte in the memory of the batch.
    @inlinable
    public var offset: Int { Int(start) }

    /// The number of bytes.
    @inlinable
    public var length: Int { Int(kindAndLength & 0x3FFF_FFFF) }
}
