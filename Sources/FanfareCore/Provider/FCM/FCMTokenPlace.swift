import FanfareBase

/// The place for the token in a message for FCM that does not name its target itself.
///
/// The message comes from a template of the user's, or from the payload of a row; the target comes
/// from the row. The token is put in front of the message's other members, so that the text is
/// parsed and copied only once.
package enum FCMTokenPlace: Equatable, Sendable {
    /// The offset in the text, behind the brace of the message.
    /// - Parameter isLast: True if the message is empty, so that no comma follows.
    case at(Int, isLast: Bool)
    /// The message has a token, a topic or another target.
    case given
    /// There is no object called `message`.
    case noMessage

    /// Looks for the place.
    /// - Parameter json: A valid JSON object, with white space or without.
    /// - Returns: The place, or why there is none.
    package static func find(in json: UnsafeBufferPointer<UInt8>) -> FCMTokenPlace {
        var depth = 0
        var at = 0
        /// The beginning of the message, while we are in it.
        var start: Int?
        // Of the string that was read last: where it began, and what it says.
        var lastString = (start: 0, end: 0)
        var isMessageNext = false
        while at < json.count {
            switch unsafe json[at] {
            case UInt8(ascii: "\""):
                let end = unsafe stringEnd(json, at + 1)
                lastString = (at + 1, end)
                at = end
            case UInt8(ascii: ":"):
                let key = unsafe UnsafeBufferPointer(
                    rebasing: json[lastString.start..<lastString.end])
                if depth == 1 { isMessageNext = unsafe StaticString("message").equals(key) }
                if depth == 2, start != nil, unsafe isTarget(key) { return .given }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 2, isMessageNext, unsafe json[at] == UInt8(ascii: "{") {
                    start = at + 1
                }
                isMessageNext = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 2, let start {
                    let isEmpty = unsafe json[start..<at].allSatisfy { $0 <= UInt8(ascii: " ") }
                    return .at(start, isLast: isEmpty)
                }
                depth -= 1
            case UInt8(ascii: ","): isMessageNext = false
            default: break
            }
            at += 1
        }
        return .noMessage
    }

    /// Returns a template with the place of the token in it: `{{token}}`.
    /// - Parameter json: A valid JSON object.
    /// - Returns: The text with the member; unchanged if it names its target, or has no message.
    package static func filled(_ json: [UInt8]) -> [UInt8] {
        switch unsafe json.withUnsafeBufferPointer({ unsafe find(in: $0) }) {
        case .given, .noMessage: return json
        case .at(let offset, let isLast):
            let member = Array(#""token":"{{token}}""#.utf8) + (isLast ? [] : [UInt8(ascii: ",")])
            return json[..<offset] + member + json[offset...]
        }
    }

    private static func isTarget(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe StaticString("token").equals(key) || StaticString("topic").equals(key)
            || StaticString("condition").equals(key) || StaticString("fid").equals(key)
    }

    /// Returns the quote that ends a string, whose inside begins at `start`.
    static func stringEnd(_ json: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        var at = start
        while at < json.count, unsafe json[at] != UInt8(ascii: "\"") {
            at += unsafe json[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(at, json.count)
    }
}
