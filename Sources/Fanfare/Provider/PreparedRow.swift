import FanfareBase
import FanfareCore
import FanfareHTTP2

/// A row made ready: everything that its request and its report line need, in memory of its own.
///
/// Copied out of the batch (some 250 bytes), so that a row that waits for an answer or for its next
/// attempt never keeps a batch from being used again. The memory is reused by the next row in the
/// same place.
///
/// ```
///  report prefix │ report suffix │ token │ values of header fields │ payload │ text
///           └─ the token is here, if it stands there as it is
/// ```
/// A thousand rows are in flight, and their memory has to fit into the cache. So nothing is kept
/// twice, and the fields come in lines of 64 bytes: those for the answer, those for the request,
/// and those that few rows have, which are not even cleared without need.
struct PreparedRow: ~Copyable {
    private let inPlace = InPlace()
    var bytes = ByteBuffer(capacity: 512)
    /// The row number in the job, from 1.
    var number: UInt64 = 0
    /// The number of values that the request has for the provider's header fields.
    private(set) var fieldCount: UInt8 = 0
    /// True if the row sets its notification's expiration.
    private(set) var hasExpiration = false
    /// True if there is an answer that was not final.
    private var hasLastAnswer = false
    /// The number of its payload among those that rows choose from, from 1; 0 for none.
    var variant: UInt8 = 0
    /// The columns of which the request has the row's own values, and not the job's.
    var ownColumns = ColumnSet()
    /// True if the token needs no quotes and no escapes anywhere; set only where requests are made as a whole.
    var hasPlainToken = false
    /// The first values, which nearly all requests bring.
    private var usualFields: InlineArray<2, ByteRange> = .init(repeating: .empty)

    /// `row,id,token,provider,`: the report line up to the outcome.
    var reportPrefix = ByteRange.empty
    /// The carried columns.
    var reportSuffix = ByteRange.empty
    /// The device token.
    var token = ByteRange.empty
    /// The message's id that the request brings; empty if the provider chooses it.
    var messageID = ByteRange.empty
    var payload = ByteRange.empty
    /// The row as it stood in the input, with its line end; empty unless it may be wanted again.
    var text = ByteRange.empty
    /// The stream of the last attempt.
    var stream = StreamHandle(id: 0, slot: 0)
    /// The number of bytes of the connection's frames that come before its own, at least.
    var framesStart = 0

    #if DEBUG
        private var isLent = false
    #endif
    /// The values that few requests bring.
    private var furtherFields: InlineArray<6, ByteRange> = .init(repeating: .empty)
    /// The expiration of the notification, in seconds of UNIX time, if the row sets it; 0 for
    /// never.
    private var ownExpiration: Int64 = 0
    /// The last answer, for a row that is not tried again after all.
    private(set) var lastAnswer = LastAnswer()
    /// The texts of the row's outcome as values; set only where those are wanted.
    var outcomeTexts = ByteRange.empty
    /// The row's values, where requests are made of them anew; set only then.
    var values = ByteRange.empty
    /// The place where the parts begin that are made anew.
    var requestStart = 0
    /// The key that rows have in common that may share a request; set only for such rows.
    var shareKey = ByteRange.empty
    /// The tokens of the other rows of its request, each behind its length; set only where requests are shared.
    var otherTokens = ByteRange.empty

    /// The most values of header fields that a request can bring.
    static let fieldsMax = 8

    /// A value for a header field; empty for the usual one.
    @inline(__always)
    func field(_ place: Int) -> ByteRange {
        place < 2 ? usualFields[place] : furtherFields[place - 2]
    }

    /// Sets the value of a header field; those before it that are not set have the usual one.
    mutating func setField(_ place: Int, _ value: ByteRange) {
        if place < 2 { usualFields[place] = value } else { furtherFields[place - 2] = value }
        fieldCount = max(fieldCount, UInt8(truncatingIfNeeded: place + 1))
    }

    /// The expiration of the notification, in seconds of UNIX time; 0 for never, `nil` if the row
    /// sets none.
    var expiration: Int64? {
        get { hasExpiration ? ownExpiration : nil }
        set {
            hasExpiration = newValue != nil
            ownExpiration = newValue ?? 0
        }
    }

    /// An answer that was not final, or none.
    struct LastAnswer {
        var `class` = ResponseClass(.unknown)
        var status: UInt16 = 0
        var latencyNanoseconds: Int64 = 0
        var reason = ByteRange.empty
        var messageID = ByteRange.empty
    }

    /// Notes, in debug builds, that a session reads `bytes`, or no longer does: they must not move
    /// meanwhile.
    ///
    /// See `ClientSession.submit`.
    mutating func lend(_ isLent: Bool) {
        #if DEBUG
            self.isLent = isLent
        #endif
    }

    private func checkNotLent() {
        #if DEBUG
            precondition(!isLent, "BUG: a row changes while its request is on the way")
        #endif
    }

    mutating func clear() {
        checkNotLent()
        bytes.removeAll()
        // One row of a megabyte must not make this place large for ever.
        bytes.shrink(toCapacity: Limits.preparedRowBytesKept)
        token = .empty
        messageID = .empty
        text = .empty
        if fieldCount > 2 { furtherFields = .init(repeating: .empty) }
        fieldCount = 0
        hasExpiration = false
        ownColumns = ColumnSet()
        if hasLastAnswer { lastAnswer = LastAnswer() }
        hasLastAnswer = false
    }

    /// Puts another request in the place of the row's; its own texts and its last answer stay.
    /// - Parameter make: Puts values of header fields and payload behind the row's own texts.
    mutating func remakeRequest(_ make: (inout PreparedRow) -> Void) {
        checkNotLent()
        let answer = hasLastAnswer ? lastAnswer : nil
        let reason = unsafe Array(bytes.bytes(lastAnswer.reason))
        let id = unsafe Array(bytes.bytes(lastAnswer.messageID))
        bytes.removeLast(bytes.count - requestStart)
        lastAnswer = LastAnswer()
        fieldCount = 0
        make(&self)
        guard let answer else { return }
        unsafe reason.withUnsafeBufferPointer { reason in
            unsafe id.withUnsafeBufferPointer { id in
                unsafe remember(answer, reason: reason, messageID: id)
            }
        }
    }

    /// Appends a text.
    /// - Returns: The place of the text.
    mutating func append(_ text: [UInt8]) -> ByteRange {
        let start = bytes.count
        bytes.append(text)
        return ByteRange(start: start, count: text.count)
    }

    /// Appends a text.
    /// - Returns: The place of the text.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) -> ByteRange {
        let start = bytes.count
        unsafe bytes.append(text)
        return ByteRange(start: start, count: text.count)
    }

    /// Appends a copy of the bytes at a place.
    mutating func appendCopy(of range: ByteRange) {
        bytes.reserve(Int(range.count))
        // Nothing moves any more.
        unsafe bytes.append(bytes.bytes(range))
    }

    /// Keeps an answer behind the row's own bytes, in place of the one before.
    /// - Parameters:
    ///   - answer: The answer, but for its texts.
    ///   - reason: The provider's words.
    ///   - messageID: The id that the provider chose.
    mutating func remember(
        _ answer: LastAnswer, reason: UnsafeBufferPointer<UInt8>,
        messageID: UnsafeBufferPointer<UInt8>
    ) {
        checkNotLent()
        bytes.removeLast(Int(lastAnswer.reason.count + lastAnswer.messageID.count))
        hasLastAnswer = true
        lastAnswer = answer
        unsafe lastAnswer.reason = append(reason)
        unsafe lastAnswer.messageID = append(messageID)
    }
}

/// The prepared rows of a lane, by request number, at addresses that do not change.
///
/// Grown a block at a time: a row's memory is lent to the HTTP/2 session while it is in flight.
@safe
struct PreparedRows: ~Copyable {
    private static let blockCount = 256
    /// The bytes from one row to the next: whole lines of the cache, so that each row begins at
    /// one.
    private static let pitch = (MemoryLayout<PreparedRow>.stride + 63) & ~63
    private var blocks: [UnsafeMutableRawPointer] = unsafe []

    deinit {
        for id in unsafe 0..<blocks.count * Self.blockCount {
            unsafe place(of: RequestID(id)).deinitialize(count: 1)
        }
        for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
    }

    /// Makes sure that a request number has a place.
    mutating func makePlace(for id: RequestID) {
        while unsafe Int(id) >= blocks.count * Self.blockCount {
            let block = UnsafeMutableRawPointer.allocate(
                byteCount: Self.blockCount * Self.pitch, alignment: 64)
            for index in 0..<Self.blockCount {
                unsafe (block + index * Self.pitch).bindMemory(to: PreparedRow.self, capacity: 1)
                    .initialize(to: PreparedRow())
            }
            unsafe blocks.append(block)
        }
    }

    subscript(id: RequestID) -> PreparedRow {
        _read { yield unsafe place(of: id).pointee }
        _modify { yield unsafe &place(of: id).pointee }
    }

    /// Returns the place of a row.
    func place(of id: RequestID) -> UnsafeMutablePointer<PreparedRow> {
        let index = Int(id)
        let block = unsafe blocks[index / Self.blockCount]
        return unsafe (block + index % Self.blockCount * Self.pitch)
            .assumingMemoryBound(to: PreparedRow.self)
    }
}
