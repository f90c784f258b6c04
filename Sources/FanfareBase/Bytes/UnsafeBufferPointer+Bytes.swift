#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension UnsafeBufferPointer<UInt8> {
    /// No bytes.
    @inlinable
    package static var empty: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: nil, count: 0)
    }

    /// True if another buffer has the same bytes.
    package func hasBytes(of other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard let own = baseAddress, let others = other.baseAddress else { return true }
        return unsafe memcmp(own, others, count) == 0
    }

    /// The number that 1 to 19 decimal digits spell, and nothing else does.
    @inlinable
    package var decimal: UInt64? { unsafe decimal(0..<count) }

    /// Returns the number that the 1 to 19 decimal digits of a range spell; nil for any other text.
    @inlinable
    package func decimal(_ range: Range<Int>) -> UInt64? { unsafe span.decimal(range) }
}
