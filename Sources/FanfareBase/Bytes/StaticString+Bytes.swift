extension StaticString {
    /// The text's bytes, which live as long as the process.
    @inlinable
    package var bytes: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }

    /// True if this text has exactly these bytes.
    @inlinable
    package func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8CodeUnitCount == other.count else { return false }
        let own = unsafe utf8Start
        for index in 0..<other.count where unsafe own[index] != other[index] {
            return false
        }
        return true
    }
}
