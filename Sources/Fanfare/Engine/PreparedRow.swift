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
///  report prefix │ report suffix │ apns-id │ header values of the row │ payload │ text
///           └─ the token, if it stands there as it is; else behind the apns-id
/// ```
/// A thousand rows are in flight, and what they take has to fit into the cache. So nothing is kept
/// twice, and the fields come in lines of 64 bytes: what the answer needs, what the request needs,
/// and what few rows have, which is not even cleared without need.
struct PreparedRow: ~Copyable {
    private let inPlace = InPlace()
    var bytes = ByteBuffer(capacity: 512)
    /// The row number in the job, from 1.
    var number: UInt64 = 0
    /// Whether the row brings header values of its own.
    private(set) var hasOverrides = false
    /// Whether there is an answer that was not final.
    private var hasLastAnswer = false
    var apnsID = ByteRange.empty

    /// `row,id,token,`: the report line up to the outcome.
    var reportPrefix = ByteRange.empty
    /// The carried columns.
    var reportSuffix = ByteRange.empty
    /// The device token.
    var token = ByteRange.empty
    var payload = ByteRange.empty
    /// The row as it stood in the input, with its line end; empty unless it may be wanted again.
    var text = ByteRange.empty
    /// The stream of the last attempt.
    var stream = StreamHandle(id: 0, slot: 0)
    /// How many bytes of the connection's frames come before its own, at the least.
    var framesStart = 0

    #if DEBUG
        private var isLent = false
    #endif
    private var storedOverrides = HeaderOverrides()
    /// The last answer, for a row that is not tried again after all.
    private(set) var lastAnswer = LastAnswer()

    /// The row's own header values; empty where the job's default holds.
    var overrides: HeaderOverrides {
        get { hasOverrides ? storedOverrides : HeaderOverrides() }
        _modify {
            hasOverrides = true
            yield &storedOverrides
        }
    }

    /// An answer that was not final, or none.
    struct LastAnswer {
        var `class` = ResponseClass(.unknown)
        var status: UInt16 = 0
        var latencyNanoseconds: Int64 = 0
        var reason = ByteRange.empty
        var apnsID = ByteRange.empty
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
        text = .empty
        if hasOverrides { storedOverrides = HeaderOverrides() }
        hasOverrides = false
        if hasLastAnswer { lastAnswer = LastAnswer() }
        hasLastAnswer = false
    }

    /// The row's own expiration in UNIX seconds; 0 if it has none that passes.
    var expirationSeconds: Int64 {
        var seconds: Int64 = 0
        let digits = unsafe bytes.bytes(overrides.expiration)
        for index in digits.indices {
            let byte = unsafe digits[index]
            // Beyond the year 5000 nothing has expired.
            guard byte >= 48, byte <= 57, seconds < 100_000_000_000 else { return 0 }
            seconds = seconds * 10 + Int64(byte - 48)
        }
        return seconds
    }
}

extension PreparedRow {
    /// Keeps an answer behind the row's own bytes, in place of the one before.
    mutating func remember(_ attempt: Attempt, latency: Int64) {
        checkNotLent()
        bytes.removeLast(Int(lastAnswer.reason.count + lastAnswer.apnsID.count))
        hasLastAnswer = true
        lastAnswer = LastAnswer(
            class: attempt.class, status: attempt.status, latencyNanoseconds: latency,
            reason: unsafe keep(attempt.reason), apnsID: unsafe keep(attempt.apnsID))
    }

    private mutating func keep(_ text: UnsafeBufferPointer<UInt8>) -> ByteRange {
        let start = bytes.count
        unsafe bytes.append(text)
        return ByteRange(start: start, count: text.count)
    }
}

/// Header values that a row brings itself.
struct HeaderOverrides {
    var topic = ByteRange.empty
    /// The topic is the job's, in the form that the row's own push type wants.
    var isTopicDerived = false
    var pushType = ByteRange.empty
    var priority = ByteRange.empty
    var expiration = ByteRange.empty
    var collapseID = ByteRange.empty

    /// Whether the row itself brought a value that the provider blames.
    func gives(_ column: RowSchema.Known) -> Bool {
        switch column {
        case .topic: !topic.isEmpty && !isTopicDerived
        case .pushType: !pushType.isEmpty
        case .priority: !priority.isEmpty
        case .expiration: !expiration.isEmpty
        case .collapseID: !collapseID.isEmpty
        case .token, .payload, .apnsID, .id: true
        }
    }
}

/// The prepared rows of a lane, by request number, at addresses that do not change.
///
/// Grown a block at a time: a row's memory is lent to the HTTP/2 session while it is in flight.
@safe
struct PreparedRows: ~Copyable {
    private static let blockCount = 256
    /// From one row to the next: whole lines of the cache, so that no row begins in the middle of one.
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

    /// Where a row lies.
    func place(of id: RequestID) -> UnsafeMutablePointer<PreparedRow> {
        let index = Int(id)
        let block = unsafe blocks[index / Self.blockCount]
        return unsafe (block + index % Self.blockCount * Self.pitch)
            .assumingMemoryBound(to: PreparedRow.self)
    }
}
