import FanfareBase

/// Tokens one behind the other, each behind its length in two bytes.
enum TokenList {
    static func append(_ token: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(truncatingIfNeeded: token.count >> 8))
        buffer.append(UInt8(truncatingIfNeeded: token.count))
        unsafe buffer.append(token)
    }

    /// Lends the tokens that `append` has written, one after another.
    static func each(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var index = 0
        while index + 2 <= bytes.count {
            let count = unsafe Int(bytes[index]) << 8 | Int(bytes[index + 1])
            unsafe body(bytes.extracting((index + 2)..<(index + 2 + count)))
            index += 2 + count
        }
    }

    /// The number of tokens that `append` has written.
    static func count(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        unsafe each(bytes) { _ in count += 1 }
        return count
    }

    /// The tokens that `append` has written.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> [[UInt8]] {
        var tokens: [[UInt8]] = []
        unsafe each(bytes) { unsafe tokens.append(Array($0)) }
        return tokens
    }
}
