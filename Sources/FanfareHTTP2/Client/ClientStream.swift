internal import FanfareBase

/// The state of one request in a client session: plain bytes, no count, no reference.
@safe
struct ClientStream {
    enum Phase: UInt8 {
        /// May become `queued`.
        case free
        /// Submitted, not on the wire. May become `open` or `closed`.
        case queued
        /// Its HEADERS are written. May become `closed`.
        case open
        /// Its end is in the queue or was drained, its answer is readable. May become `free`.
        case closed
    }

    var id: Int32 = 0
    var tag: UInt32 = 0
    var code: UInt32 = 0
    var status: UInt16 = 0
    /// Frames without an end or a byte of content, for their bound.
    var emptyFrames: UInt16 = 0
    var phase = Phase.free
    /// True if the whole request is written.
    var isSent = false
    /// True if END_STREAM was seen.
    var isComplete = false
    /// True if the final answer's header list is over; trailers follow.
    var hasAnswer = false
    /// The way in which its answer broke HTTP; `nil` if it did not.
    var fault: MalformedAnswer?
    /// True if its body waits for the connection's window or for room in the output.
    var isSending = false
    /// The place of its answer, if any part of it is kept.
    var answer = AnswerPlaces.none
    /// The values that the request brings; at most `RequestHeaders.fieldsMax`.
    var valueCount: UInt8 = 0
    var messageIDCount: UInt8 = 0
    var retryAfterCount: UInt8 = 0
    var dateCount: UInt8 = 0
    var bodyKept: UInt32 = 0
    var bodyTotal: UInt64 = 0
    /// The content-length, or `unannounced`.
    var bodyAnnounced = ClientStream.unannounced
    static let unannounced = UInt64.max
    var receiveWindow = ReceiveWindow(0)
    /// The bytes that the peer has added to its window beyond the initial size, less the bytes
    /// sent: so a new initial size moves all windows and touches none.
    var sendCredit = 0
    var requestBody = unsafe UnsafeBufferPointer<UInt8>.empty
    /// The bytes of it that are sent.
    ///
    /// The place where the frame with END_STREAM ends among all bytes that the session has written,
    /// once `isSent`.
    var requestSent = 0
    /// The neighbors in the `StreamQueue`.
    var next = StreamQueue.none
    var previous = StreamQueue.none

    var isEnded: Bool { phase == .closed || phase == .free }
}

/// The slots of a client session's requests, with the kept parts of their answers.
@safe
struct StreamSlots: ~Copyable {
    /// The first `usedCount` are initialized; memory that is not touched is not taken.
    let streams: UnsafeMutablePointer<ClientStream>
    let capacity: Int
    /// The kept parts of the streams' answers.
    var answers: AnswerPlaces
    /// True if the answers have no content, even if they announce some: the requests' method is
    /// HEAD.
    var answersLackContent = false
    /// The provider's count of requests, as it came last.
    var quota = QuotaNotice()
    /// Slots that were never used are handed out only when no released one is there, so that a
    /// narrow connection stays in a small piece of memory.
    private let freeSlots: UnsafeMutablePointer<UInt32>
    private var freeCount = 0
    /// Slots that were ever handed out: the first so many.
    private(set) var usedCount = 0

    init(capacity: Int, bodyLimit: Int) {
        self.capacity = capacity
        answers = AnswerPlaces(capacity: capacity, bodyLimit: bodyLimit)
        unsafe streams = .allocate(capacity: capacity)
        unsafe freeSlots = .allocate(capacity: capacity)
    }

    deinit {
        unsafe streams.deallocate()
        unsafe freeSlots.deallocate()
    }

    /// Returns the id of the stream in a slot.
    func id(of slot: UInt32) -> Int32 { unsafe streams[Int(slot)].id }

    mutating func take() -> UInt32? {
        if freeCount > 0 {
            freeCount &-= 1
            return unsafe freeSlots[freeCount]
        }
        guard usedCount < capacity else { return nil }
        unsafe (streams + usedCount).initialize(to: ClientStream())
        usedCount &+= 1
        return UInt32(usedCount &- 1)
    }

    mutating func giveBack(_ slot: UInt32) {
        let stream = unsafe streams + Int(slot)
        unsafe stream.pointee.phase = .free
        unsafe answers.giveBack(stream.pointee.answer)
        assert(freeCount < capacity)
        unsafe freeSlots[freeCount] = slot
        freeCount &+= 1
    }
}
