import FanfareBase

/// The shape of a token.
///
/// It decides only about rows that do not name their provider. The rules of its own provider decide
/// whether a token is valid.
package enum TokenShape {
    /// Returns the provider whose tokens look like this one.
    ///
    /// - 64 hexadecimal digits or more, two for each byte: APNs.
    /// - A JSON object with a member `endpoint`, as browsers give it, or the endpoint alone: Web Push.
    /// - Everything else: FCM, whose tokens have no form that can be relied on.
    package static func provider(ofToken token: UnsafeBufferPointer<UInt8>) -> ProviderKind {
        let token = unsafe ProviderWords.trimmed(token)
        if unsafe token.count >= 64 && token.count & 1 == 0 && HeaderRules.isHexadecimal(token) {
            return .apns
        }
        return unsafe isURL(token) || hasEndpoint(token) ? .webpush : .fcm
    }

    /// Returns the provider whose token this is beyond doubt, if there is one: APNs for 64 hexadecimal
    /// digits or more, and FCM for its mark `:APA91b`.
    static func certain(ofToken token: UnsafeBufferPointer<UInt8>) -> ProviderKind? {
        switch unsafe provider(ofToken: token) {
        case .apns: .apns
        case .fcm: unsafe HeaderRules.isOfFCM(token) ? .fcm : nil
        case .webpush, .declared: nil
        }
    }

    private static func isURL(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        let scheme: StaticString = "https://"
        let start = unsafe scheme.bytes
        // A scheme is of any case (RFC 3986 §3.1); none of the other bytes is a letter.
        return unsafe token.count > start.count
            && zip(token, start).allSatisfy { $0 == $1 || ($0 | 0x20 == $1 && $0 &- 65 < 26) }
    }

    /// True if a text begins as a JSON object and has a member `endpoint`, not in an object inside
    /// it.
    ///
    /// Texts that are not JSON may have one, too.
    private static func hasEndpoint(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        guard unsafe token.first == UInt8(ascii: "{") else { return false }
        var depth = 0
        var index = 0
        while index < token.count {
            switch unsafe token[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let start = index + 1
                index = unsafe endOfString(token, from: start)
                if unsafe depth == 1 && isEndpoint(token, start..<index)
                    && isKey(token, endingAt: index)
                {
                    return true
                }
            default: break
            }
            index += 1
        }
        return false
    }

    /// Returns the place of the quote that ends a string, or the end of the text.
    private static func endOfString(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        while unsafe index < text.count && text[index] != UInt8(ascii: "\"") {
            index += unsafe text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, text.count)
    }

    private static func isEndpoint(
        _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Bool {
        let name: StaticString = "endpoint"
        return unsafe range.count == name.utf8CodeUnitCount
            && text[range].elementsEqual(name.bytes)
    }

    /// True if a colon follows a string's last quote.
    private static func isKey(_ text: UnsafeBufferPointer<UInt8>, endingAt quote: Int) -> Bool {
        var index = quote + 1
        while unsafe index < text.count && ProviderWords.isBlank(text[index]) { index += 1 }
        return unsafe index < text.count && text[index] == UInt8(ascii: ":")
    }
}
