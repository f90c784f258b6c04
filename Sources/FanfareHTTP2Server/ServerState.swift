internal import FanfareBase
import FanfareHTTP2

/// A header field of a request that the server session records.
package enum RequestField: Int, CaseIterable, Sendable {
    case method
    case path
    case scheme
    case authority
    case authorization
    case apnsID
    case apnsTopic
    case apnsPushType
    case apnsPriority
    case apnsExpiration
    case apnsCollapseID
    case contentType
}

/// The state of one request in a server session.
///
/// Its buffers keep their memory from one request to the next.
@safe
struct ServerStream: ~Copyable {
    enum Phase: UInt8 {
        /// May become `open`.
        case free
        /// Its header list has begun. May become `closed`.
        case open
        /// Its end is in the queue or was drained. May become `free`.
        case closed
    }

    var id: Int32 = 0
    var code: UInt32 = 0
    var phase = Phase.free
    /// True if the request's header list is over; trailers follow.
    var hasHeaders = false
    var isComplete = false
    var isAnswered = false
    var hasDuplicate = false
    /// Bit n: the field with raw value n has come.
    var seen: UInt16 = 0
    var ranges = InlineArray<12, ByteRange>(repeating: .empty)
    var fields = ByteBuffer(capacity: 512)
    var body = ByteBuffer(capacity: 256)
    var answer = ByteBuffer(capacity: 64)

    mutating func begin(id: Int32) {
        self.id = id
        code = 0
        phase = .open
        hasHeaders = false
        isComplete = false
        isAnswered = false
        hasDuplicate = false
        seen = 0
        fields.removeAll()
        body.removeAll()
        answer.removeAll()
    }
}

/// The state that the callbacks of a server session write.
@safe
struct ServerState: ~Copyable {
    /// Marks an entry of the event queue as the end of a stream, not of a request.
    static let closedMark: UInt32 = 1 << 31

    let streams: UnsafeMutablePointer<ServerStream>
    let capacity: Int
    /// The bytes of a request's body that are kept.
    let bodyBytes: Int
    private let freeSlots: UnsafeMutablePointer<UInt32>
    private var freeCount = 0
    /// Slots are made when they are first needed: most connections stay far below their capacity.
    private var usedSlots = 0
    var events: IndexQueue
    var openStreams = 0
    var news = ConnectionNews()
    var headerListBytes = 0
    var recentID: Int32 = 0
    var recentSlot: UInt32 = 0

    init(capacity: Int, bodyBytes: Int) {
        self.capacity = capacity
        self.bodyBytes = bodyBytes
        unsafe streams = .allocate(capacity: capacity)
        unsafe freeSlots = .allocate(capacity: capacity)
        // A slot is in the queue at most twice: its request and its end.
        events = IndexQueue(capacity: 2 * capacity)
    }

    deinit {
        unsafe streams.deinitialize(count: usedSlots)
        unsafe streams.deallocate()
        unsafe freeSlots.deallocate()
    }

    mutating func takeSlot() -> UInt32? {
        if freeCount > 0 {
            freeCount &-= 1
            return unsafe freeSlots[freeCount]
        }
        guard usedSlots < capacity else { return nil }
        unsafe (streams + usedSlots).initialize(to: ServerStream())
        usedSlots &+= 1
        return UInt32(usedSlots &- 1)
    }

    mutating func giveBack(_ slot: UInt32) {
        unsafe streams[Int(slot)].phase = .free
        assert(freeCount < capacity)
        unsafe freeSlots[freeCount] = slot
        freeCount &+= 1
    }

    func isCurrent(_ stream: StreamHandle) -> Bool {
        unsafe Int(stream.slot) < usedSlots && streams[Int(stream.slot)].id == stream.id
            && streams[Int(stream.slot)].phase != .free
    }
}
