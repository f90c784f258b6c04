import FanfareBase
import FanfareCore

/// Lends a string's bytes.
func withBytes<R>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    var text = text
    return try text.withUTF8(body)
}

/// Lends bytes, in memory of exactly their size, so that a read beyond them is found.
func withBytes<R>(
    _ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws -> R
) rethrows -> R {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    defer { copy.deallocate() }
    _ = copy.initialize(from: bytes)
    return try body(UnsafeBufferPointer(copy))
}

/// The text that a function appends to a buffer.
func appended(_ body: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer(capacity: 16)
    body(&buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
}
