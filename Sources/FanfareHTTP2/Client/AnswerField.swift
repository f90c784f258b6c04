import Glibc

/// A header field of an answer, as far as anybody wants to know.
@safe
struct AnswerField {
    /// The names that are looked at.
    enum Name: UInt8 {
        case other
        case status
        case apnsID
        case retryAfter

        init(_ name: UnsafeBufferPointer<UInt8>) {
            guard let start = name.baseAddress else {
                self = .other
                return
            }
            switch name.count {
            case 7 where unsafe memcmp(start, ":status", 7) == 0: self = .status
            case 7 where unsafe memcmp(start, "apns-id", 7) == 0: self = .apnsID
            case 11 where unsafe memcmp(start, "retry-after", 11) == 0: self = .retryAfter
            default: self = .other
            }
        }
    }

    /// What is kept of a value: more than any that makes sense has.
    static let valueBytesKept = 40

    var name: Name
    var nameBytes: Int
    var valueBytes: Int
    /// The value, valid during the call that brings it; nothing of one that is longer than is kept.
    var value: UnsafeBufferPointer<UInt8>

    /// What the field counts in a table and in a list. RFC 7541 §4.1, RFC 9113 §6.5.2
    var size: Int { nameBytes + valueBytes + 32 }
}
