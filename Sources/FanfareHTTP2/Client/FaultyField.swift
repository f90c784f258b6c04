internal import FanfareBase

/// The name of the last field with which an answer broke HTTP, for the log.
///
/// Its value may be a secret, and is not kept. Of a name from the peer's own table its meaning alone is known, which is
/// the name itself if it is about the connection.
struct FaultyField {
    /// The stream that had it; 0 before the first one.
    private(set) var stream: Int32 = 0
    private(set) var name: String?
    /// Its fault.
    private(set) var fault: MalformedAnswer?

    init() {}

    /// Notes a field.
    ///
    /// Answers that break HTTP are few, so that this may take its time.
    @inline(never)
    mutating func note(_ field: AnswerField, of slots: borrowing StreamSlots, slot: UInt32) {
        stream = slots.id(of: slot)
        fault = slots.fault(of: field, slot: slot)
        name = nil
        if unsafe !field.nameText.isEmpty {
            name = unsafe String(
                decoding: field.nameText.map { 0x21..<0x7F ~= $0 ? $0 : UInt8(ascii: "?") },
                as: UTF8.self)
        } else if field.nameIndex > 0, field.nameIndex <= StaticTable.entries.count {
            name = StaticTable.entries[field.nameIndex - 1].name
        } else {
            name = Self.text(field.name)
        }
    }

    private static func text(_ name: AnswerField.Name) -> String? {
        switch name {
        case .te: "te"
        case .upgrade: "upgrade"
        case .connection: "connection"
        case .keepAlive: "keep-alive"
        case .proxyConnection: "proxy-connection"
        case .transferEncoding: "transfer-encoding"
        case .status: ":status"
        case .messageID: Response.messageIDName
        case .retryAfter: "retry-after"
        case .date: "date"
        case .contentLength: "content-length"
        case .other, .quotaRemaining, .quotaReset, .malformed, .pseudo: nil
        }
    }
}
