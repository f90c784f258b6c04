/// Bytes that grow at the end and are taken away at the front, in one piece of memory.
///
/// It keeps its capacity when emptied, so that a buffer that is used again and again stops
/// allocating.
@safe
public struct ByteBuffer: ~Copyable {
    @usableFromInline var memory: UnsafeMutablePointer<UInt8>
    @usableFromInline var head = 0
    @usableFromInline var tail = 0
    @usableFromInline private(set) var capacity: Int

    /// Allocates an empty buffer.
    /// - Parameter capacity: The bytes it holds before it has to grow.
    public init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        unsafe memory = .allocate(capacity: self.capacity)
    }

    deinit {
        unsafe memory.deallocate()
    }

    /// The number of bytes in it.
    @inlinable
    public var count: Int { tail - head }

    /// True if nothing is in it.
    @inlinable
    public var isEmpty: Bool { tail == head }

    /// The number of bytes that the buffer can hold without growing.
    public var allocatedBytes: Int { capacity }

    /// The bytes in the buffer.
    ///
    /// They are valid until the next change.
    @inlinable
    public var bytes: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: memory + head, count: tail - head)
    }

    /// Returns the bytes in a range of offsets counted from the buffer's first byte.
    @inlinable
    public func bytes(_ range: ByteRange) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(
            start: memory + head + Int(range.start), count: Int(range.count))
    }

    /// Makes room for `extra` more bytes behind the last one.
    @inlinable
    public mutating func reserve(_ extra: Int) {
        if tail + extra > capacity { makeRoom(extra) }
    }

    @usableFromInline
    @inline(never)
    mutating func makeRoom(_ extra: Int) {
        let count = self.count
        if count + extra <= capacity && head >= capacity / 2 {
            unsafe memory.update(from: memory + head, count: count)
        } else {
            capacity = max(2 * capacity, count + extra)
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            unsafe larger.update(from: memory + head, count: count)
            unsafe memory.deallocate()
            unsafe memory = larger
        }
        head = 0
        tail = count
    }

    /// Returns the place behind the last byte, with room for `extra` bytes; `commit` makes them
    /// count.
    @inlinable
    public mutating func space(_ extra: Int) -> UnsafeMutablePointer<UInt8> {
        reserve(extra)
        return unsafe memory + tail
    }

    /// The room there is behind the last byte without growing.
    @inlinable
    public var room: Int { capacity - tail }

    /// Counts bytes that were written into `space`.
    @inlinable
    public mutating func commit(_ count: Int) {
        assert(count >= 0 && tail + count <= capacity)
        tail += count
    }

    /// Appends bytes.
    @inlinable
    public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        unsafe (memory + tail).update(from: source, count: bytes.count)
        tail += bytes.count
    }

    /// Appends bytes.
    @inlinable
    package mutating func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
    }

    /// Appends one byte.
    @inlinable
    public mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe memory[tail] = byte
        tail += 1
    }

    /// Appends fixed text.
    @inlinable
    public mutating func append(_ text: StaticString) {
        unsafe append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends text.
    ///
    /// It is not for the path of a row: a `String` may have to make its bytes contiguous.
    ///
    /// Disfavored, because a literal would otherwise be a `String` here instead of a `StaticString`.
    @_disfavoredOverload
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append($0) }
    }

    /// Appends a number in decimal digits.
    @inlinable
    public mutating func append(decimal value: UInt64) {
        guard value >= 10 else { return append(UInt8(truncatingIfNeeded: 48 + value)) }
        // An HTTP status, and milliseconds.
        if value >= 100, value < 1000 { return append(threeDigits: value) }
        // 2⁶⁴ has 20 digits; they are made from the last to the first, two by each division.
        reserve(20)
        tail += Self.digits(of: value)
        var place = unsafe memory + tail
        var rest = value
        while rest >= 100 {
            unsafe place -= 2
            unsafe Self.write(twoDigits: rest % 100, to: place)
            rest /= 100
        }
        if rest >= 10 {
            unsafe Self.write(twoDigits: rest, to: place - 2)
        } else {
            unsafe (place - 1).pointee = UInt8(truncatingIfNeeded: 48 + rest)
        }
    }

    /// Appends a number below 1000 as three digits.
    @inlinable
    public mutating func append(threeDigits value: UInt64) {
        let place = unsafe space(3)
        unsafe place.pointee = UInt8(truncatingIfNeeded: 48 + value / 100)
        unsafe Self.write(twoDigits: value % 100, to: place + 1)
        commit(3)
    }

    @inlinable
    static func digits(of value: UInt64) -> Int {
        // Most numbers are numbers of rows.
        guard value >= 10_000 else {
            return value < 100 ? value < 10 ? 1 : 2 : value < 1000 ? 3 : 4
        }
        var digits = 5
        var bound: UInt64 = 100_000
        while value >= bound {
            digits += 1
            // Beyond 10¹⁹ there is no higher power of ten.
            guard digits < 20 else { break }
            bound &*= 10
        }
        return digits
    }

    @inlinable
    static func write(twoDigits value: UInt64, to place: UnsafeMutablePointer<UInt8>) {
        // 205 ÷ 2048 is near enough to a tenth for numbers below 100.
        let value = UInt32(truncatingIfNeeded: value)
        let tens = (value &* 205) >> 11
        unsafe place[0] = UInt8(truncatingIfNeeded: 48 &+ tens)
        unsafe place[1] = UInt8(truncatingIfNeeded: 48 &+ value &- 10 &* tens)
    }

    /// Goes on in the memory of an empty buffer, which gets ours; the bytes stay here.
    @inlinable
    package mutating func exchangeMemory(with other: inout ByteBuffer) {
        assert(other.isEmpty)
        swap(&self, &other)
        guard !other.isEmpty else { return }
        unsafe append(other.bytes)
        other.removeAll()
    }

    /// Takes bytes away at the front.
    @inlinable
    public mutating func removeFirst(_ count: Int) {
        assert(count <= self.count)
        head += count
        if head == tail {
            head = 0
            tail = 0
        }
    }

    /// Takes bytes away at the end.
    @inlinable
    public mutating func removeLast(_ count: Int) {
        assert(count <= self.count)
        tail -= count
    }

    /// Forgets all bytes and keeps the memory.
    @inlinable
    public mutating func removeAll() {
        head = 0
        tail = 0
    }

    /// Gives memory back that an unusually large content has needed.
    ///
    /// Call it only when the buffer is empty.
    public mutating func shrink(toCapacity limit: Int) {
        guard isEmpty, capacity > limit else { return }
        unsafe memory.deallocate()
        capacity = limit
        unsafe memory = .allocate(capacity: limit)
        removeAll()
    }
}

/// A range of bytes in a buffer, in eight bytes.
@frozen
public struct ByteRange: Equatable, Sendable {
    /// The offset of the first byte.
    public var start: UInt32
    /// The number of bytes.
    public var count: UInt32

    /// Describes a range by its first byte and its length.
    @inlinable
    public init(start: Int, count: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    /// No bytes.
    public static let empty = ByteRange(start: 0, count: 0)

    /// True if nothing is in it.
    @inlinable
    public var isEmpty: Bool { count == 0 }
}
