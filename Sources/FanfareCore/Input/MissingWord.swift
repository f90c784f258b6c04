import FanfareBase

/// The words by which programs write that there is no value, and that people would read in a message.
package enum MissingWord {
    private static let words: [StaticString] = [
        "\\N", "NULL", "null", "undefined", "None", "NaN", "nan", "(null)", "<null>", "#N/A",
    ]
    private static let bytesMax = 9
    /// For each byte, true if a word begins with it: most values begin with another one.
    private static let beginnings = {
        var beginnings = Array(repeating: false, count: 256)
        for word in words { unsafe beginnings[Int(word.bytes[0])] = true }
        return beginnings
    }()

    /// Finds the word that a value is.
    /// - Parameter value: The value.
    /// - Returns: The word; `nil` if it is another value.
    @inline(__always)
    package static func word(_ value: UnsafeBufferPointer<UInt8>) -> StaticString? {
        guard unsafe !value.isEmpty && value.count <= bytesMax && beginnings[Int(value[0])]
        else { return nil }
        return unsafe find(value)
    }

    @inline(never)
    private static func find(_ value: UnsafeBufferPointer<UInt8>) -> StaticString? {
        words.first { unsafe $0.equals(value) }
    }
}
