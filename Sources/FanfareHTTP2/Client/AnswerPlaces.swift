internal import FanfareBase

/// Memory for the kept parts of answers: the id, the Retry-After, the date, the beginning of the
/// body.
///
/// A stream gets a place when its answer comes, not when it opens. So only the few streams whose
/// answers have come together use places, and always the same ones: with a place for each of a
/// thousand streams the session would write every answer into memory that the cache has long
/// forgotten.
@safe
struct AnswerPlaces: ~Copyable {
    static let messageIDBytes = 36
    /// The longest date, of RFC 850's form, has 33 bytes (RFC 9110 §5.6.7).
    static let retryAfterBytes = 40
    static let dateBytes = 40
    /// The place of a stream without one.
    static let none = UInt32.max

    let bodyLimit: Int
    private let capacity: Int
    /// Memory that is not touched is not taken.
    private let memory: UnsafeMutablePointer<UInt8>
    private let stride: Int
    /// Places that were given back, the last one on top.
    private let free: UnsafeMutablePointer<UInt32>
    private var freeCount = 0
    /// Places that were ever taken: the first so many.
    private var usedCount = 0

    init(capacity: Int, bodyLimit: Int) {
        self.capacity = capacity
        self.bodyLimit = bodyLimit
        let fieldBytes = Self.messageIDBytes + Self.retryAfterBytes + Self.dateBytes
        stride = (fieldBytes + bodyLimit + 63) & ~63
        unsafe memory = .allocate(capacity: capacity * stride)
        unsafe free = .allocate(capacity: capacity)
    }

    deinit {
        unsafe memory.deallocate()
        unsafe free.deallocate()
    }

    /// Takes a place; there is one for each stream.
    mutating func take() -> UInt32 {
        if freeCount > 0 {
            freeCount &-= 1
            return unsafe free[freeCount]
        }
        precondition(usedCount < capacity, "BUG: more answers than streams")
        usedCount &+= 1
        return UInt32(usedCount &- 1)
    }

    mutating func giveBack(_ place: UInt32) {
        guard place != Self.none else { return }
        assert(freeCount < capacity)
        unsafe free[freeCount] = place
        freeCount &+= 1
    }

    func messageID(_ place: UInt32) -> UnsafeMutablePointer<UInt8> {
        unsafe memory + Int(place) * stride
    }

    func retryAfter(_ place: UInt32) -> UnsafeMutablePointer<UInt8> {
        unsafe messageID(place) + Self.messageIDBytes
    }

    func date(_ place: UInt32) -> UnsafeMutablePointer<UInt8> {
        unsafe retryAfter(place) + Self.retryAfterBytes
    }

    func body(_ place: UInt32) -> UnsafeMutablePointer<UInt8> {
        unsafe date(place) + Self.dateBytes
    }
}
