internal import FanfareBase
internal import FanfareHTTP2

/// The parts of an answer that are kept, in memory that the next one uses again.
///
/// They are the same as those of an answer over HTTP/2, so that the same code can read both.
struct KeptAnswer: ~Copyable {
    /// The longest id that is kept.
    private static let messageIDBytes = 36
    /// The longest of the other values.
    private static let valueBytes = 40

    /// 0 until the head of the final answer is whole.
    var status: UInt16 = 0
    var isComplete = false
    private var messageID = ByteBuffer(capacity: KeptAnswer.messageIDBytes)
    private var retryAfter = ByteBuffer(capacity: KeptAnswer.valueBytes)
    private var date = ByteBuffer(capacity: KeptAnswer.valueBytes)
    private var body: ByteBuffer
    private let bodyLimit: Int
    private let quotaFields: QuotaFields?
    /// The numbers of these fields, as they came last; they outlive the answer.
    var quota = QuotaNotice()
    /// The bytes of the body in all.
    private(set) var bodyBytes: UInt64 = 0

    init(bodyLimit: Int, quota: QuotaFields? = nil) {
        self.bodyLimit = bodyLimit
        quotaFields = quota
        body = ByteBuffer(capacity: bodyLimit)
    }

    mutating func clear() {
        clearContent()
        clearFields()
    }

    /// Forgets all but the fields, which are lent to no one before there is a status.
    mutating func clearContent() {
        status = 0
        isComplete = false
        body.removeAll()
        bodyBytes = 0
    }

    /// True if each answer may have numbers of a quota.
    var readsQuota: Bool { quotaFields != nil }

    /// Forgets the fields of an interim answer.
    mutating func clearFields() {
        messageID.removeAll()
        retryAfter.removeAll()
        date.removeAll()
    }

    /// Keeps a field of the head, if it is one that we read.
    mutating func receive(_ field: AnswerHead.Field) {
        switch unsafe field.name.count {
        case 4 where unsafe FieldText.equals(field.name, "date"):
            unsafe Self.keep(field.value, Self.valueBytes, in: &date)
        case 7 where unsafe FieldText.equals(field.name, "apns-id"):
            unsafe Self.keep(field.value, Self.messageIDBytes, in: &messageID)
        case 11 where unsafe FieldText.equals(field.name, "retry-after"):
            unsafe Self.keep(field.value, Self.valueBytes, in: &retryAfter)
        default:
            if let quotaFields { note(field, quotaFields) }
        }
    }

    private mutating func note(_ field: AnswerHead.Field, _ names: QuotaFields) {
        if unsafe FieldText.equals(field.name, names.remaining) {
            quota.remaining = unsafe field.value.decimal
        } else if unsafe FieldText.equals(field.name, names.reset) {
            quota.reset = unsafe field.value.decimal
        }
    }

    private static func keep(
        _ value: UnsafeBufferPointer<UInt8>, _ limit: Int, in buffer: inout ByteBuffer
    ) {
        guard value.count <= limit else { return }
        buffer.removeAll()
        unsafe buffer.append(value)
    }

    /// Counts bytes of the body, and keeps the first of them.
    mutating func receive(body bytes: UnsafeBufferPointer<UInt8>) {
        bodyBytes &+= UInt64(bytes.count)
        let more = min(bytes.count, bodyLimit - body.count)
        if more > 0 { unsafe body.append(UnsafeBufferPointer(rebasing: bytes[..<more])) }
    }

    /// The answer as it is lent to others; only a status of 0 if its head is not whole.
    var response: Response {
        let isThere = status != 0
        return unsafe Response(
            status: status, isComplete: isComplete, bodyBytes: bodyBytes,
            messageID: isThere ? messageID.bytes : .empty,
            retryAfter: isThere ? retryAfter.bytes : .empty, body: isThere ? body.bytes : .empty)
    }

    /// The field `date`, lent like the answer.
    var dateBytes: UnsafeBufferPointer<UInt8> { unsafe status == 0 ? .empty : date.bytes }
}
