/// A set of tokens' digests in one block of memory: 16 bytes each, and 19 to 21 with the room that
/// keeps it quick once there are millions.
///
/// It is an open table whose slots are in the order of their digests: a digest's place is its share
/// of the range, and digests that are in the way move up. Therefore the table grows within its
/// block, by spreading its digests: nothing is ever there twice, and memory that is not used yet is
/// only an address.
///
/// ```
///  place of d = d.high × capacity ÷ 2⁶⁴      ┌──────────────┬──────────┬─────────────┐
///                                            │ 0 ..< capacity │ overflow │ not used yet│
///                                            └──────────────┴──────────┴─────────────┘
/// ```
@safe
package final class TokenSet {
    /// The result of adding a digest.
    package enum Insertion: Sendable {
        /// It was not there before.
        case new
        /// It is there.
        case known
        /// It is not there, and there is no room for it.
        case full
    }

    /// Room behind the last place, for digests that have moved up there.
    ///
    /// The probability of a move by n places falls off like 0.73ⁿ at the fullest that a table gets,
    /// so a thousand places are never used up.
    private static let overflow = 1024
    private static let capacityMin = 1024
    /// The capacity from which a table grows by an eighth, and no longer to the double.
    private static let doublesBelow = 1 << 22

    private let slots: UnsafeMutablePointer<TokenDigest>
    private let capacityMax: Int
    private var capacity: Int
    /// The digests in the set.
    package private(set) var count = 0

    /// Creates an empty set.
    /// - Parameter bytesMax: The memory that it may grow to.
    package init(bytesMax: Int) {
        let slotsMax = bytesMax / MemoryLayout<TokenDigest>.stride
        capacityMax = max(Self.capacityMin, slotsMax - Self.overflow)
        capacity = Self.capacityMin
        unsafe slots = .allocate(capacity: capacityMax + Self.overflow)
        unsafe slots.initialize(repeating: .none, count: capacity + Self.overflow)
    }

    deinit {
        unsafe slots.deallocate()
    }

    /// True if a digest is there.
    package func contains(_ digest: TokenDigest) -> Bool {
        unsafe slots[place(of: digest)] == digest
    }

    /// The place of a digest that is there; it stays the same until another one is added.
    package func index(of digest: TokenDigest) -> Int? {
        let index = place(of: digest)
        return unsafe slots[index] == digest ? index : nil
    }

    /// The places that digests may have now.
    package var indices: Range<Int> { 0..<capacity + Self.overflow }

    /// The memory that its places take.
    package var byteCount: Int { indices.count * MemoryLayout<TokenDigest>.stride }

    /// Adds a digest.
    package func insert(_ digest: TokenDigest) -> Insertion {
        while true {
            let index = place(of: digest)
            let found = unsafe slots[index]
            if found == digest { return .known }
            let hasRoom = count &* 20 < capacity &* 17
            if hasRoom, let end = found == .none ? index : endOfRun(from: index) {
                if end > index {
                    unsafe (slots + index + 1).update(from: slots + index, count: end - index)
                }
                unsafe slots[index] = digest
                count += 1
                return .new
            }
            guard grow() else { return .full }
        }
    }

    /// Forgets all of them.
    package func removeAll() {
        capacity = Self.capacityMin
        count = 0
        unsafe slots.update(repeating: .none, count: capacity + Self.overflow)
    }

    // MARK: Places

    /// Returns the first slot that holds the digest, or a higher one, or nothing.
    ///
    /// The very last slot is always empty.
    @inline(__always)
    private func place(of digest: TokenDigest) -> Int {
        var index = ideal(digest, capacity)
        while true {
            let slot = unsafe slots[index]
            if slot == .none || !TokenDigest.isBefore(slot, digest) { return index }
            index &+= 1
        }
    }

    @inline(__always)
    private func ideal(_ digest: TokenDigest, _ capacity: Int) -> Int {
        Int(digest.high.multipliedFullWidth(by: UInt64(capacity)).high)
    }

    /// Returns the first empty slot, unless it is the very last one.
    private func endOfRun(from index: Int) -> Int? {
        var end = index
        while unsafe slots[end] != .none { end += 1 }
        return end < capacity + Self.overflow - 1 ? end : nil
    }

    // MARK: Growth

    private func grow() -> Bool {
        guard capacity < capacityMax else { return false }
        let wanted = capacity < Self.doublesBelow ? 2 * capacity : capacity + capacity / 8
        spread(to: min(wanted, capacityMax))
        return true
    }

    /// Moves all digests to the end of the larger table, and from there to their places in it.
    ///
    /// Reading runs ahead of writing: those that are still to come need as many slots behind.
    private func spread(to newCapacity: Int) {
        let end = newCapacity + Self.overflow
        var writing = end - 1
        var reading = capacity + Self.overflow
        while reading > 0 {
            reading -= 1
            let digest = unsafe slots[reading]
            guard digest != .none else { continue }
            writing -= 1
            unsafe (slots + writing).initialize(to: digest)
        }
        var next = 0
        for index in writing..<writing + count {
            let digest = unsafe slots[index]
            let place = max(ideal(digest, newCapacity), next)
            unsafe (slots + next).initialize(repeating: .none, count: place - next)
            unsafe (slots + place).initialize(to: digest)
            next = place + 1
        }
        precondition(next < end, "BUG: digests are not spread evenly")
        unsafe (slots + next).initialize(repeating: .none, count: end - next)
        capacity = newCapacity
    }
}
