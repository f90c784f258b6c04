internal import FanfareCore

/// What a client session knows about one request: plain bytes, no count, no reference.
@safe
struct ClientStream {
    enum Phase: UInt8 {
        /// May become `open`.
        case free
        /// Submitted. May become `closed`.
        case open
        /// Its end is in the queue or was drained, its answer is readable. May become `free`.
        case closed
    }

    var id: Int32 = 0
    var tag: UInt32 = 0
    var code: UInt32 = 0
    var status: UInt16 = 0
    var phase = Phase.free
    var isComplete = false
    /// The answer breaks the rules.
    ///
    /// The library may still close the stream as if all were well,
    /// because the answer's end came before our reset was written.
    var isMalformed = false
    /// The final answer's header list is over; what follows are trailers.
    var hasAnswer = false
    var apnsIDCount: UInt8 = 0
    var retryAfterCount: UInt8 = 0
    var bodyKept: UInt32 = 0
    var bodyTotal: UInt64 = 0
    var requestBody = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var requestBodySent = 0
}

/// What the callbacks of a client session write into.
@safe
struct ClientState: ~Copyable {
    static let apnsIDBytes = 36
    static let retryAfterBytes = 32

    let streams: UnsafeMutablePointer<ClientStream>
    let capacity: Int
    /// For each slot: the kept id, the kept Retry-After, the kept body.
    private let answers: UnsafeMutablePointer<UInt8>
    private let answerStride: Int
    let bodyLimit: Int
    /// Slots that were never used are handed out only when no released one is there, so that a
    /// narrow connection stays in a small piece of memory.
    private let freeSlots: UnsafeMutablePointer<UInt32>
    private var freeCount = 0
    private var usedSlots = 0
    var closed: IndexQueue
    var openStreams = 0
    var news = ConnectionNews()

    /// Where `write` is writing to; nil at all other times.
    var output: UnsafeMutablePointer<ByteBuffer>?
    var outputLimit = 0

    /// The stream of the newest frame, so that a frame's header fields look it up once.
    var recentID: Int32 = 0
    var recentSlot: UInt32 = 0
    /// The size of the header list that is being received, for its bound.
    var headerListBytes = 0

    init(capacity: Int, bodyLimit: Int) {
        self.capacity = capacity
        self.bodyLimit = bodyLimit
        unsafe streams = .allocate(capacity: capacity)
        unsafe streams.initialize(repeating: ClientStream(), count: capacity)
        unsafe freeSlots = .allocate(capacity: capacity)
        answerStride = (Self.apnsIDBytes + Self.retryAfterBytes + bodyLimit + 63) & ~63
        unsafe answers = .allocate(capacity: capacity * answerStride)
        closed = IndexQueue(capacity: capacity)
    }

    deinit {
        unsafe streams.deallocate()
        unsafe freeSlots.deallocate()
        unsafe answers.deallocate()
    }

    mutating func takeSlot() -> UInt32? {
        if freeCount > 0 {
            freeCount &-= 1
            return unsafe freeSlots[freeCount]
        }
        guard usedSlots < capacity else { return nil }
        usedSlots &+= 1
        return UInt32(usedSlots &- 1)
    }

    mutating func giveBack(_ slot: UInt32) {
        unsafe streams[Int(slot)].phase = .free
        assert(freeCount < capacity)
        unsafe freeSlots[freeCount] = slot
        freeCount &+= 1
    }

    func apnsID(_ slot: UInt32) -> UnsafeMutablePointer<UInt8> {
        unsafe answers + Int(slot) * answerStride
    }

    func retryAfter(_ slot: UInt32) -> UnsafeMutablePointer<UInt8> {
        unsafe apnsID(slot) + Self.apnsIDBytes
    }

    func body(_ slot: UInt32) -> UnsafeMutablePointer<UInt8> {
        unsafe retryAfter(slot) + Self.retryAfterBytes
    }
}
