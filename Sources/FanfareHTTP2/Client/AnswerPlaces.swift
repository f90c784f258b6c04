internal import FanfareBase

/// Memory for the kept parts of answers: the id, the Retry-After, the date, the beginning of the
/// body.
///
/// A stream gets a place when its answer comes, not when it opens. So only the few streams whose
/// answers have come together use places, and always the same ones: with a place for each of a
/// thousand streams the session would write every answer into memory that the cache has long
/// forgotten.
///
/// A place has room for a short body. A longer one moves to memory of its own, which it has as long as
/// the place: answers with long bodies are few, and with room for them in each place every short answer
/// would take a page.
@safe
struct AnswerPlaces: ~Copyable {
    /// The memory of a body that its place has no room for.
    @safe
    private struct LongBody {
        let bytes: UnsafeMutablePointer<UInt8>
        let capacity: Int
    }

    static let messageIDBytes = 36
    /// The longest date, of RFC 850's form, has 33 bytes (RFC 9110 §5.6.7).
    static let retryAfterBytes = 40
    static let dateBytes = 40
    /// The place of a stream without one.
    static let none = UInt32.max
    /// The longest body that a place has room for.
    ///
    /// Answers that come together each have a place. FCM's names of messages have some 100 bytes and APNs'
    /// reasons 30; FCM's errors, of up to 600 bytes, are few.
    static let shortBodyBytes = 256
    /// The least memory of a longer one.
    static let longBodyBytes = 640

    let bodyLimit: Int
    /// The room for a body in a place.
    private let shortLimit: Int
    private let capacity: Int
    /// Memory that is not touched is not taken.
    private let memory: UnsafeMutablePointer<UInt8>
    private let stride: Int
    /// Places that were given back, the last one on top.
    private let free: UnsafeMutablePointer<UInt32>
    private var freeCount = 0
    /// Places that were ever taken: the first so many.
    private var usedCount = 0
    /// The bodies that are longer than `shortLimit`, by place; `nil` if none can be.
    private let long: UnsafeMutablePointer<LongBody?>?
    private var longCount = 0
    private var longBytes = 0

    init(capacity: Int, bodyLimit: Int) {
        self.capacity = capacity
        self.bodyLimit = bodyLimit
        shortLimit = min(bodyLimit, Self.shortBodyBytes)
        let fieldBytes = Self.messageIDBytes + Self.retryAfterBytes + Self.dateBytes
        stride = (fieldBytes + shortLimit + 63) & ~63
        unsafe memory = .allocate(capacity: capacity * stride)
        unsafe free = .allocate(capacity: capacity)
        unsafe long = bodyLimit > shortLimit ? .allocate(capacity: capacity) : nil
    }

    deinit {
        if let long = unsafe long {
            for place in 0..<usedCount { unsafe long[place]?.bytes.deallocate() }
            unsafe long.deallocate()
        }
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
        if let long = unsafe long { unsafe (long + usedCount).initialize(to: nil) }
        usedCount &+= 1
        return UInt32(usedCount &- 1)
    }

    mutating func giveBack(_ place: UInt32) {
        guard place != Self.none else { return }
        assert(freeCount < capacity)
        if longCount > 0 { dropLongBody(place) }
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
        if longCount > 0, let body = unsafe long?[Int(place)] { return unsafe body.bytes }
        return unsafe shortBody(place)
    }

    /// Returns the memory of a body that grows.
    /// - Parameters:
    ///   - place: Its place.
    ///   - kept: The bytes of it that are there.
    ///   - count: The bytes that it will have; at most `bodyLimit`.
    /// - Returns: The memory, with the bytes that are there.
    mutating func body(
        _ place: UInt32, of kept: Int, growingTo count: Int
    ) -> UnsafeMutablePointer<UInt8> {
        guard count > shortLimit, let long = unsafe long else { return unsafe body(place) }
        if let before = unsafe long[Int(place)], count <= before.capacity {
            return unsafe before.bytes
        }
        let old = unsafe body(place)
        // Twice as much each time: a body of a few hundred bytes takes no page.
        let capacity = min(max(2 * kept, count, Self.longBodyBytes), bodyLimit)
        let body = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        unsafe body.update(from: old, count: kept)
        // It may be a secret, which its reader wipes in one place.
        unsafe old.update(repeating: 0, count: kept)
        dropLongBody(place)
        unsafe long[Int(place)] = LongBody(bytes: body, capacity: capacity)
        longCount &+= 1
        longBytes &+= capacity
        return unsafe body
    }

    private func shortBody(_ place: UInt32) -> UnsafeMutablePointer<UInt8> {
        unsafe date(place) + Self.dateBytes
    }

    private mutating func dropLongBody(_ place: UInt32) {
        guard let long = unsafe long, let body = unsafe long[Int(place)] else { return }
        unsafe body.bytes.deallocate()
        unsafe long[Int(place)] = nil
        longCount &-= 1
        longBytes &-= body.capacity
    }

    /// The bytes of memory for answers, of which those that were never touched are not taken.
    var allocatedBytes: Int { capacity * stride + longBytes }
}
