import FanfareBase

/// A request that FCM checks and does not deliver: `{"validate_only":true,"message":{…}}`.
///
/// Only the message of a template or a row goes into it. So no spelling of another member can make FCM
/// deliver it.
package enum FCMValidation {
    /// The text before the message.
    package static let beginning: StaticString = #"{"validate_only":true,"message":"#
    /// The text behind the message.
    package static let end: StaticString = "}"

    /// Returns the place of a request's message.
    /// - Parameter json: A valid JSON object, with white space or without.
    /// - Returns: The offsets of the first value called `message`; `nil` if there is none.
    package static func message(in json: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var depth = 0
        var at = 0
        var start: Int?
        var lastString = 0..<0
        while at < json.count {
            switch unsafe json[at] {
            case UInt8(ascii: "\""):
                let end = unsafe FCMTokenPlace.stringEnd(json, at + 1)
                lastString = at + 1..<end
                at = end
            case UInt8(ascii: ":"):
                let key = unsafe UnsafeBufferPointer(rebasing: json[lastString])
                if depth == 1, start == nil, unsafe StaticString("message").equals(key) {
                    start = at + 1
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0, let start { return start..<at }
            case UInt8(ascii: ","):
                if depth == 1, let start { return start..<at }
            default: break
            }
            at += 1
        }
        return nil
    }

    /// Returns the template of such a request, made of the template of a request.
    /// - Parameter json: A valid JSON object.
    /// - Returns: The request; it has no message if the template has none.
    package static func of(_ json: [UInt8]) -> [UInt8] {
        guard let range = unsafe json.withUnsafeBufferPointer({ unsafe message(in: $0) }) else {
            return Array(#"{"validate_only":true}"#.utf8)
        }
        return unsafe Array(beginning.bytes) + json[range] + Array(end.bytes)
    }
}
