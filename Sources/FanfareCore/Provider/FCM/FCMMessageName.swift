import FanfareBase

/// Reads the name that FCM gives an accepted message: `{"name":"projects/p/messages/0:17…%31…"}`.
///
/// On the way of every accepted row, so it knows this one form and its white space. Of anything else there
/// is no name; the row is accepted all the same.
package enum FCMMessageName {
    /// The longest name that is kept; real ones have some 70 bytes.
    private static let bytesMax = 256

    /// The name in the body of a 200.
    /// - Parameter body: The whole body.
    /// - Returns: The name's bytes within the body, visible ASCII without quotes and backslashes; empty if
    ///   there is none.
    package static func read(_ body: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let none = unsafe UnsafeBufferPointer<UInt8>.empty
        var at = 0
        guard unsafe take("{", body, &at), unsafe take("\"name\"", body, &at),
            unsafe take(":", body, &at), unsafe take("\"", body, &at)
        else { return unsafe none }
        let start = at
        while at < body.count, unsafe isPlain(body[at]) { at += 1 }
        let end = at
        guard end > start, end - start <= bytesMax, end < body.count,
            unsafe body[end] == UInt8(ascii: "\"")
        else { return unsafe none }
        at += 1
        guard unsafe take("}", body, &at) else { return unsafe none }
        unsafe skipSpace(body, &at)
        guard at == body.count else { return unsafe none }
        return unsafe UnsafeBufferPointer(rebasing: body[start..<end])
    }

    /// Takes a token and the white space before it.
    private static func take(
        _ token: StaticString, _ body: UnsafeBufferPointer<UInt8>, _ at: inout Int
    ) -> Bool {
        unsafe skipSpace(body, &at)
        let end = at + token.utf8CodeUnitCount
        guard end <= body.count,
            unsafe token.equals(UnsafeBufferPointer(rebasing: body[at..<end]))
        else { return false }
        at = end
        return true
    }

    private static func skipSpace(_ body: UnsafeBufferPointer<UInt8>, _ at: inout Int) {
        while at < body.count,
            unsafe body[at] == 0x20 || body[at] == 0x0A || body[at] == 0x0D || body[at] == 0x09
        {
            at += 1
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x21...0x7E ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
