import FanfareBase

/// The name that FCM gives an accepted message: `{"name":"projects/p/messages/0:17…%31…"}`.
///
/// It is on the way of every accepted row, so it knows this one form and its white space. In any
/// other form it finds no name; the row is accepted all the same.
package enum FCMMessageName {
    /// The longest name that is kept; real ones have some 70 bytes.
    private static let bytesMax = 256

    /// Returns the name in the body of a 200.
    /// - Parameter body: The whole body.
    /// - Returns: The name's bytes within the body, visible ASCII without quotes and backslashes; empty if
    ///   there is none.
    package static func read(_ body: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let none = unsafe UnsafeBufferPointer<UInt8>.empty
        guard let at = unsafe nameStart(body) else { return unsafe none }
        // From the end, so that the name is looked at once, and many bytes at a time.
        var end = body.count
        guard unsafe takeLast("}", body, &end), unsafe takeLast("\"", body, &end),
            end > at, end - at <= bytesMax
        else { return unsafe none }
        let name = unsafe UnsafeBufferPointer(rebasing: body[at..<end])
        return unsafe TextScan.isVisible(name) ? name : none
    }

    /// The place of the name in a body; `nil` for a body of another form.
    private static func nameStart(_ body: UnsafeBufferPointer<UInt8>) -> Int? {
        // The service's own white space, and none: each compared in one step.
        for beginning: StaticString in ["{\n  \"name\": \"", "{\"name\":\""]
        where unsafe starts(body, with: beginning, at: 0) {
            return beginning.utf8CodeUnitCount
        }
        var at = 0
        guard unsafe take("{", body, &at), unsafe take("\"name\"", body, &at),
            unsafe take(":", body, &at), unsafe take("\"", body, &at)
        else { return nil }
        return at
    }

    private static func starts(
        _ body: UnsafeBufferPointer<UInt8>, with token: StaticString, at: Int
    ) -> Bool {
        let end = at + token.utf8CodeUnitCount
        return unsafe end <= body.count
            && token.equals(UnsafeBufferPointer(rebasing: body[at..<end]))
    }

    /// Takes a token and the white space before it.
    private static func take(
        _ token: StaticString, _ body: UnsafeBufferPointer<UInt8>, _ at: inout Int
    ) -> Bool {
        unsafe skipSpace(body, &at)
        guard unsafe starts(body, with: token, at: at) else { return false }
        at += token.utf8CodeUnitCount
        return true
    }

    /// Takes a byte and the white space behind it.
    private static func takeLast(
        _ byte: Unicode.Scalar, _ body: UnsafeBufferPointer<UInt8>, _ end: inout Int
    ) -> Bool {
        while end > 0, unsafe isSpace(body[end - 1]) { end -= 1 }
        guard end > 0, unsafe body[end - 1] == UInt8(ascii: byte) else { return false }
        end -= 1
        return true
    }

    private static func skipSpace(_ body: UnsafeBufferPointer<UInt8>, _ at: inout Int) {
        while at < body.count, unsafe isSpace(body[at]) { at += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
