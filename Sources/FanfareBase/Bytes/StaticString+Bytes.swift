extension StaticString {
    /// The text's bytes, which live as long as the process.
    @inlinable
    package var bytes: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }

    /// True if this text has exactly these bytes.
    package func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe bytes.hasBytes(of: other)
    }
}
