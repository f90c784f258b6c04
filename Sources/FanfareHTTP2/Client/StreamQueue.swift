/// Streams that wait for something, first come, first served; each is in one queue at most.
///
/// The links lie in the streams' slots, so that a stream can leave from the middle, and the queue
/// cannot outgrow them.
@safe
struct StreamQueue {
    /// The mark of no slot; there are never that many.
    static let none = UInt32.max

    private(set) var first = StreamQueue.none
    private var last = StreamQueue.none

    var isEmpty: Bool { first == Self.none }

    mutating func append(_ slot: UInt32, in streams: UnsafeMutablePointer<ClientStream>) {
        let stream = unsafe streams + Int(slot)
        unsafe stream.pointee.next = Self.none
        unsafe stream.pointee.previous = last
        if last == Self.none {
            first = slot
        } else {
            unsafe streams[Int(last)].next = slot
        }
        last = slot
    }

    mutating func remove(_ slot: UInt32, in streams: UnsafeMutablePointer<ClientStream>) {
        let stream = unsafe streams + Int(slot)
        let next = unsafe stream.pointee.next
        let previous = unsafe stream.pointee.previous
        if previous == Self.none {
            first = next
        } else {
            unsafe streams[Int(previous)].next = next
        }
        if next == Self.none {
            last = previous
        } else {
            unsafe streams[Int(next)].previous = previous
        }
    }
}
