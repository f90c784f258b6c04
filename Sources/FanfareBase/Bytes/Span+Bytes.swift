extension Span<UInt8> {
    /// Returns the number that the 1 to 19 decimal digits of a range spell; nil for any other text.
    @inlinable
    package func decimal(_ range: Range<Int>) -> UInt64? {
        // 19 digits always fit into 64 bits.
        guard !range.isEmpty, range.count <= 19 else { return nil }
        var value: UInt64 = 0
        for index in range {
            let digit = self[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        return value
    }
}
