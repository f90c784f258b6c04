internal import FanfareBase
import Glibc

/// A header field of an answer, as far as we need it.
@safe
struct AnswerField {
    /// The names that are looked at.
    enum Name: UInt8 {
        case other
        case status
        /// `apns-id`
        case messageID
        case retryAfter
        case date
        case contentLength
        /// The two of `QuotaFields`.
        case quotaRemaining
        case quotaReset
        // No answer may have those that follow.
        /// No name in HTTP/2. RFC 9113 §8.2.1
        case malformed
        /// A request's pseudo-header field, or an unknown one. RFC 9113 §8.3
        case pseudo
        // About the connection. RFC 9113 §8.2.2
        case te
        case upgrade
        case connection
        case keepAlive
        case proxyConnection
        case transferEncoding

        /// - Parameters:
        ///   - name: The name, or nothing if it is longer than any that is looked at.
        ///   - isToken: True if its bytes are those of a name that is no pseudo-header field's.
        init(_ name: UnsafeBufferPointer<UInt8>, isToken: Bool) {
            func matches(_ known: StaticString) -> Bool {
                guard let start = name.baseAddress else { return false }
                return unsafe memcmp(start, known.utf8Start, known.utf8CodeUnitCount) == 0
            }
            guard isToken else {
                let isPseudo = unsafe name.first == UInt8(ascii: ":")
                let isStatus = name.count == 7 && matches(":status")
                self = isStatus ? .status : isPseudo ? .pseudo : .malformed
                return
            }
            switch name.count {
            case 2 where matches("te"): self = .te
            case 7 where matches("upgrade"): self = .upgrade
            case 10 where matches("connection"): self = .connection
            case 10 where matches("keep-alive"): self = .keepAlive
            case 16 where matches("proxy-connection"): self = .proxyConnection
            case 17 where matches("transfer-encoding"): self = .transferEncoding
            case 4 where matches("date"): self = .date
            case 7 where matches("apns-id"): self = .messageID
            case 11 where matches("retry-after"): self = .retryAfter
            case 14 where matches("content-length"): self = .contentLength
            default: self = .other
            }
        }

        /// The meaning of a name that is looked at only because the provider uses it.
        init(_ name: UnsafeBufferPointer<UInt8>, among fields: QuotaFields) {
            if unsafe name.elementsEqual(fields.remaining) {
                self = .quotaRemaining
            } else if unsafe name.elementsEqual(fields.reset) {
                self = .quotaReset
            } else {
                self = .other
            }
        }
    }

    /// The most bytes that are kept of a value: more than any that makes sense has.
    static let valueBytesKept = 40

    var name: Name
    var nameBytes: Int
    /// The text of a literal name, valid as the value is; empty where the field has come from a table.
    var nameText = unsafe UnsafeBufferPointer<UInt8>.empty
    /// The place of a name that has come from a table, if it is a static one.
    var nameIndex = 0
    var valueBytes: Int
    /// The value, valid during the call that brings it; nothing of one that is longer than is kept.
    var value: UnsafeBufferPointer<UInt8>
    /// True if the value has bytes that no value may have. RFC 9113 §8.2.1
    var hasBadValue = false

    /// True if an answer may have it.
    var isWellFormed: Bool { name.rawValue < Name.malformed.rawValue && !hasBadValue }

    /// The fault of one that no answer may have.
    var fault: MalformedAnswer {
        switch name {
        case .malformed: .badName
        case .pseudo: .pseudoField
        case .te, .upgrade, .connection, .keepAlive, .proxyConnection, .transferEncoding:
            .connectionField
        case .other, .status, .messageID, .retryAfter, .date, .contentLength, .quotaRemaining,
            .quotaReset:
            .badValue
        }
    }

    /// True if it changes the meaning of an answer.
    var saysSomething: Bool { name != .other || hasBadValue }

    /// The size of the field in a table and in a list. RFC 7541 §4.1, RFC 9113 §6.5.2
    var size: Int { nameBytes + valueBytes + 32 }
}
