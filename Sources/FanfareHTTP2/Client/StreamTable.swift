/// A table from a stream's id to its slot: open addressing, twice as large as there can be entries.
///
/// Ids are never 0, which marks a free place. The hash spreads them, because which of the ids stay
/// open is the peer's choice.
@safe
struct StreamTable: ~Copyable {
    private struct Entry {
        var id: Int32
        var slot: UInt32
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let mask: Int
    private let shift: UInt32

    init(capacity: Int) {
        var bits: UInt32 = 5
        while 1 << bits < 2 * capacity { bits += 1 }
        mask = 1 << bits - 1
        shift = 32 - bits
        unsafe entries = .allocate(capacity: mask + 1)
        unsafe entries.initialize(repeating: Entry(id: 0, slot: 0), count: mask + 1)
    }

    deinit {
        unsafe entries.deallocate()
    }

    /// Hashes by Fibonacci's way: 2³² divided by the golden ratio, of which the upper bits are
    /// taken.
    private func home(_ id: Int32) -> Int {
        Int((UInt32(bitPattern: id) >> 1 &* 0x9E37_79B9) >> shift)
    }

    /// Returns the slot of a stream, nil if it is not open.
    func slot(of id: Int32) -> UInt32? {
        var place = home(id)
        // At least half of the places are free, so this comes to one.
        while unsafe entries[place].id != 0 {
            if unsafe entries[place].id == id { return unsafe entries[place].slot }
            place = (place + 1) & mask
        }
        return nil
    }

    mutating func insert(_ id: Int32, slot: UInt32) {
        assert(id != 0)
        var place = home(id)
        while unsafe entries[place].id != 0 { place = (place + 1) & mask }
        unsafe entries[place] = Entry(id: id, slot: slot)
    }

    /// Takes an id out and moves up those behind it that it has displaced.
    mutating func remove(_ id: Int32) {
        var hole = home(id)
        while unsafe entries[hole].id != id {
            if unsafe entries[hole].id == 0 { return }
            hole = (hole + 1) & mask
        }
        var place = hole
        while true {
            place = (place + 1) & mask
            let entry = unsafe entries[place]
            if entry.id == 0 { break }
            // An entry may fill the hole if its home is not between the hole and itself.
            if (place - home(entry.id)) & mask >= (place - hole) & mask {
                unsafe entries[hole] = entry
                hole = place
            }
        }
        unsafe entries[hole].id = 0
    }
}
