import FanfareBase

/// The outcomes of many rows by a text of each, of which only 64 bits are kept.
///
/// It is an open table of 16 bytes a place, at most half full. The bits come from the standard
/// library's hash, whose key is another one in each process, so no author of rows can choose texts
/// that collide.
package struct KeyedOutcomes: Sendable {
    private struct Place: Sendable {
        /// 0 in an empty place.
        var hash: UInt64 = 0
        /// The row's number, below it 16 bits: the outcome, the one that was asked for, and the
        /// fate of the key.
        var content: UInt64 = 0

        static let askedBit: UInt64 = 1 << 14
        static let repeatedBit: UInt64 = 1 << 15

        var row: UInt64 { content >> 16 }
        var outcome: Outcome? { Outcome(rawValue: UInt8(content & 0xF)) }
        var askedOutcome: Outcome? { Outcome(rawValue: UInt8(content >> 4 & 0xF)) }
    }

    private var places: [Place]
    private let countMax: Int
    /// The number of keys in it.
    package private(set) var count = 0
    /// The number of them that were taken down more than once: their meaning is not known.
    package private(set) var repeatedCount = 0

    /// Creates an empty table.
    /// - Parameter countMax: The most keys that it may have.
    package init(countMax: Int = Limits.comparedKeys) {
        self.countMax = countMax
        places = Array(repeating: Place(), count: 1024)
    }

    /// Takes down a row's outcome under its key.
    package mutating func insert(
        _ key: UnsafeBufferPointer<UInt8>, row: UInt64, _ outcome: Outcome
    ) -> OutcomeMap.Insertion {
        let hash = unsafe Self.hash(key)
        var index = place(of: hash)
        guard places[index].hash == 0 else {
            if places[index].content & Place.repeatedBit == 0 { repeatedCount += 1 }
            places[index].content |= Place.repeatedBit
            return .present
        }
        guard count < countMax else { return .full }
        if 2 * (count + 1) > places.count {
            grow()
            index = place(of: hash)
        }
        places[index] = Place(hash: hash, content: row << 16 | UInt64(outcome.rawValue))
        count += 1
        return .inserted
    }

    /// The result of asking for a key.
    package enum Found: Equatable, Sendable {
        /// Nothing.
        case none
        /// The only row with the key, which was not asked for before.
        case row(UInt64, Outcome)
        /// The same, but asked for a second time: the caller takes back its use of the first.
        case again(UInt64, Outcome, first: Outcome)
        /// A key that is known to repeat.
        case repeated
    }

    /// Asks for the outcome under a key, for a row of another report.
    /// - Parameters:
    ///   - key: The key.
    ///   - outcome: The outcome of the row that asks.
    /// - Returns: The row with the key, and whether that is for certain.
    package mutating func take(_ key: UnsafeBufferPointer<UInt8>, for outcome: Outcome) -> Found {
        let index = unsafe place(of: Self.hash(key))
        let found = places[index]
        guard found.hash != 0, let known = found.outcome else { return .none }
        guard found.content & Place.repeatedBit == 0 else { return .repeated }
        guard found.content & Place.askedBit != 0, let first = found.askedOutcome else {
            places[index].content |= Place.askedBit | UInt64(outcome.rawValue) << 4
            return .row(found.row, known)
        }
        places[index].content |= Place.repeatedBit
        return .again(found.row, known, first: first)
    }

    /// Returns the place of a hash, or the place where it would be.
    private func place(of hash: UInt64) -> Int {
        let mask = places.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while places[index].hash != 0 && places[index].hash != hash { index = (index + 1) & mask }
        return index
    }

    private mutating func grow() {
        let old = places
        places = Array(repeating: Place(), count: 2 * old.count)
        for entry in old where entry.hash != 0 { places[place(of: entry.hash)] = entry }
    }

    private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: UnsafeRawBufferPointer(key))
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        return hash == 0 ? 1 : hash
    }
}
