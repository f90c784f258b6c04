import FanfareBase

/// The words by which programs write that there is no value, and that people would read in a message.
package enum MissingWord {
    static let words: [StaticString] = [
        "\\N", "NULL", "null", "undefined", "None", "NaN", "nan", "(null)", "<null>", "#N/A",
    ]
    @inlinable static var bytesMax: Int { 9 }

    /// Finds the word that a value is.
    /// - Parameter value: The value.
    /// - Returns: The word; `nil` if it is another value.
    @inlinable
    @inline(__always)
    package static func word(_ value: UnsafeBufferPointer<UInt8>) -> StaticString? {
        guard unsafe value.count > 1 && value.count <= bytesMax && mayBegin(value[0])
        else { return nil }
        return unsafe find(value)
    }

    /// True for the bytes that words begin with: most values begin with another one.
    @inlinable
    @inline(__always)
    static func mayBegin(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "N"), UInt8(ascii: "n"), UInt8(ascii: "u"), UInt8(ascii: "\\"),
            UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "#"):
            true
        default: false
        }
    }

    @usableFromInline
    @inline(never)
    static func find(_ value: UnsafeBufferPointer<UInt8>) -> StaticString? {
        words.first { unsafe $0.equals(value) }
    }
}
