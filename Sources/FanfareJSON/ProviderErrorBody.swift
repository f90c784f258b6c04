internal import CSimdjson
package import FanfareBase
import FanfareCore

/// A reader of the body of a provider's refusal:
/// `{"reason":"Unregistered","timestamp":1700000000000}`.
///
/// Any order of keys, any other keys. For one thread at a time; stops allocating after the longest
/// body, which `Limits.responseBodyBytes` bounds.
/// Source: https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
@safe
package struct ProviderErrorBody: ~Copyable {
    /// The content of a body.
    package struct Content: Equatable, Sendable {
        /// The place of the reason in `text`.
        package var reason: ByteRange
        /// The time when the token stopped being valid, with status 410.
        /// - Unit: milliseconds since 1970.
        package var timestamp: Int64?
    }

    private let scanner = JSONScanner()
    /// The body, and behind it the values that had escapes.
    private var text = ByteBuffer(capacity: 1024)

    package init() {
        scanner.want("reason", slot: 0)
        scanner.want("timestamp", slot: 1)
    }

    /// Reads a body; nil when it is not an object with a reason (a proxy's HTML page, half a body, none).
    package mutating func parse(_ body: UnsafeBufferPointer<UInt8>) -> Content? {
        // A page of HTML needs no parser to be told from an object.
        guard let start = body.baseAddress, unsafe ShownWords.mayBeObject(body) else { return nil }
        text.removeAll()
        unsafe text.append(body)
        let scratch = unsafe text.space(body.count)
        let missing = fanfare_json_field(start: 0, kind_and_length: 0)
        var fields = (missing, missing)
        let fault = unsafe withUnsafeMutableBytes(of: &fields) { fields in
            unsafe fanfare_json_pick(
                scanner.parser, start, body.count, scratch,
                fields.assumingMemoryBound(to: fanfare_json_field.self).baseAddress, 2)
        }
        // The bytes in the scratch lie directly behind the body, as their offsets say.
        text.commit(body.count)
        guard fault.code == UInt32(FANFARE_JSON_OK) else { return nil }
        let (reason, timestamp) = (Field(fields.0), Field(fields.1))
        guard reason.kind == .text, reason.length > 0 else { return nil }
        return Content(
            reason: presentable(ByteRange(start: reason.offset, count: reason.length)),
            timestamp: milliseconds(timestamp))
    }

    /// Returns a reason as it may stand in a report: at most `Limits.reasonBytesMax` bytes, with
    /// U+FFFD in place of control characters and line breaks.
    private mutating func presentable(_ reason: ByteRange) -> ByteRange {
        let bytes = unsafe text.bytes(reason)
        guard unsafe !ShownWords.isPlain(bytes) || bytes.count > Limits.reasonBytesMax else {
            return reason
        }
        return unsafe text.keep(ShownWords.cleaned(bytes, bytesMax: Limits.reasonBytesMax))
    }

    /// Returns the reason's bytes, valid until the next `parse`.
    package func reason(_ content: Content) -> UnsafeBufferPointer<UInt8> {
        unsafe text.bytes(content.reason)
    }

    /// Returns the value of a number that has no fraction and no exponent, and fits; nil for any
    /// other.
    private func milliseconds(_ field: Field) -> Int64? {
        guard field.kind == .json else { return nil }
        let digits = unsafe text.bytes(ByteRange(start: field.offset, count: field.length))
        return unsafe digits.decimal.flatMap { Int64(exactly: $0) }
    }
}

extension Field {
    init(_ field: fanfare_json_field) {
        let kind = Kind(rawValue: field.kind_and_length >> 30) ?? .missing
        self.init(
            kind, start: Int(field.start), length: Int(field.kind_and_length & 0x3FFF_FFFF))
    }
}
