import FanfareCore
import FanfareHTTP2

/// A row made ready: everything that its request and its report line need, in memory of its own.
///
/// Copied out of the batch (about 300 bytes), so that a row that waits for an answer or for its next
/// attempt never keeps a batch from being used again. The memory is reused by the next row in the
/// same place.
///
/// ```
///  report prefix │ report suffix │ apns-id │ path │ header values of the row │ payload │ text
/// ```
/// What the answer needs comes first, in the struct and in the bytes: by then both have gone out of
/// the nearest cache, and each line of 64 bytes is waited for.
struct PreparedRow: ~Copyable {
    private let inPlace = InPlace()
    var bytes = ByteBuffer(capacity: 512)
    /// The row number in the job, from 1.
    var number: UInt64 = 0
    /// When the last attempt started, in milliseconds of UNIX time.
    var sentAtMilliseconds: Int64 = 0
    /// Our reset is on its way, because the time for the answer was over.
    var hasTimedOut = false
    /// An attempt may have reached the provider, and its answer is not known.
    var wasInDoubt = false
    /// `/3/device/<token>`.
    var path = ByteRange.empty
    var apnsID = ByteRange.empty
    var payload = ByteRange.empty
    /// `row,id,token,`: the report line up to the outcome.
    var reportPrefix = ByteRange.empty
    /// The carried columns.
    var reportSuffix = ByteRange.empty
    /// The row as it stood in the input, with its line end; empty unless it may be wanted again.
    var text = ByteRange.empty
    /// The stream of the last attempt.
    var stream = StreamHandle(id: 0, slot: 0)
    /// Between which bytes of the connection's frames its own begin and end, both at the least.
    var framesStart = 0
    var framesEnd = 0
    /// The row's own header values; empty where the job's default holds.
    var overrides = HeaderOverrides()

    /// The last answer, for a row that is not tried again after all.
    private(set) var lastAnswer = LastAnswer()
    /// Whether there is one: few rows have any, and all are cleared.
    private var hasLastAnswer = false

    /// An answer that was not final, or none.
    struct LastAnswer {
        var ending = AttemptEnding.answered
        var `class` = ResponseClass(.unknown)
        var status: UInt16 = 0
        var latencyNanoseconds: Int64 = 0
        var reason = ByteRange.empty
        var apnsID = ByteRange.empty
    }

    mutating func clear() {
        bytes.removeAll()
        // One row of a megabyte must not make this place large for ever.
        bytes.shrink(toCapacity: Limits.preparedRowBytesKept)
        overrides = HeaderOverrides()
        text = .empty
        hasTimedOut = false
        wasInDoubt = false
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

    /// The device token, which ends the path.
    var token: UnsafeBufferPointer<UInt8> {
        let prefix = APNsEnvironment.pathPrefix.utf8CodeUnitCount
        return unsafe UnsafeBufferPointer(rebasing: bytes.bytes(path)[prefix...])
    }
}

extension PreparedRow {
    /// Keeps an answer behind the row's own bytes, in place of the one before.
    mutating func remember(_ attempt: Attempt, latency: Int64) {
        bytes.removeLast(Int(lastAnswer.reason.count + lastAnswer.apnsID.count))
        hasLastAnswer = true
        lastAnswer = LastAnswer(
            ending: attempt.ending, class: attempt.class, status: attempt.status,
            latencyNanoseconds: latency, reason: unsafe keep(attempt.reason),
            apnsID: unsafe keep(attempt.apnsID))
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

    /// Whether all header values are the job's.
    var isEmpty: Bool {
        topic.count | pushType.count | priority.count | expiration.count | collapseID.count == 0
    }

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
    private var blocks: [UnsafeMutablePointer<PreparedRow>] = unsafe []

    deinit {
        for index in unsafe blocks.indices {
            let block = unsafe blocks[index]
            unsafe block.deinitialize(count: Self.blockCount)
            unsafe block.deallocate()
        }
    }

    /// Makes sure that a request number has a place.
    mutating func makePlace(for id: RequestID) {
        while unsafe Int(id) >= blocks.count * Self.blockCount {
            let block = UnsafeMutablePointer<PreparedRow>.allocate(capacity: Self.blockCount)
            for index in 0..<Self.blockCount {
                unsafe (block + index).initialize(to: PreparedRow())
            }
            unsafe blocks.append(block)
        }
    }

    subscript(id: RequestID) -> UnsafeMutablePointer<PreparedRow> {
        let index = Int(id)
        let block = unsafe blocks[index / Self.blockCount]
        return unsafe block + index % Self.blockCount
    }
}
