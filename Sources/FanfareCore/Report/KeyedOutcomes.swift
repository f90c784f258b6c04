/// The outcomes of many rows by a text of each, of which only 64 bits are kept.
///
/// An open table of 16 bytes a place, at most half full. The bits come from the standard library's
/// hash, whose key is another one in each process, so nobody can choose texts that collide.
package struct KeyedOutcomes: Sendable {
    private struct Place: Sendable {
        /// 0 in an empty place.
        var hash: UInt64 = 0
        /// The row's number, below it the outcome, below that whether somebody has asked.
        var content: UInt64 = 0
    }

    private var places: [Place]
    private let countMax: Int
    /// The number of keys in it.
    package private(set) var count = 0

    /// Creates an empty table.
    /// - Parameter countMax: How many keys it may have.
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
        guard places[index].hash == 0 else { return .present }
        guard count < countMax else { return .full }
        if 2 * (count + 1) > places.count {
            grow()
            index = place(of: hash)
        }
        places[index] = Place(hash: hash, content: row << 16 | UInt64(outcome.rawValue) << 1)
        count += 1
        return .inserted
    }

    /// Asks for the outcome under a key.
    /// - Returns: The row and its outcome, and whether it was asked for before; `nil` if the key is
    ///   not there.
    package mutating func take(
        _ key: UnsafeBufferPointer<UInt8>
    ) -> (row: UInt64, outcome: Outcome, isRepeated: Bool)? {
        let index = unsafe place(of: Self.hash(key))
        let found = places[index]
        guard found.hash != 0,
            let outcome = Outcome(rawValue: UInt8(truncatingIfNeeded: found.content >> 1))
        else { return nil }
        places[index].content |= 1
        return (found.content >> 16, outcome, found.content & 1 == 1)
    }

    /// Where a hash is, or would be.
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
