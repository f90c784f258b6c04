/// The header table of the peer's answers.
///
/// It keeps only the meaning of a name, and of a value only the part that an answer is asked for:
/// the rest counts with its length, so that it evicts the same entries as the peer. It allocates
/// nothing after the beginning.
///
/// RFC 7541 §2.3
@safe
struct HeaderTable: ~Copyable {
    /// The most bytes that a peer may fill: we never send SETTINGS_HEADER_TABLE_SIZE. RFC 9113
    /// §6.5.2
    static let bytesMax = 4096
    /// An entry counts for 32 bytes at least, so there are never more.
    private static let dynamicEntries = bytesMax / 32
    private static let staticEntries = StaticTable.entries.count

    private struct Entry {
        var name: AnswerField.Name
        /// True if the value has bytes that no value may have; an entry needs no second look.
        var hasBadValue = false
        var saysSomething = false
        var nameBytes: UInt16
        var valueBytes: UInt16

        /// The size of the entry. §4.1
        var size: Int { Int(nameBytes) + Int(valueBytes) + 32 }
    }

    /// The static entries, then the dynamic ones as a ring.
    private let entries: UnsafeMutablePointer<Entry>
    private let values: UnsafeMutablePointer<UInt8>
    private var newest = 0
    private var count = 0
    private var bytes = 0
    private(set) var limit = HeaderTable.bytesMax

    init() {
        let capacity = Self.staticEntries + Self.dynamicEntries
        unsafe entries = .allocate(capacity: capacity)
        unsafe entries.initialize(
            repeating: Entry(name: .other, nameBytes: 0, valueBytes: 0), count: capacity)
        unsafe values = .allocate(capacity: capacity * AnswerField.valueBytesKept)
        for (place, entry) in StaticTable.entries.enumerated() {
            var name = entry.name
            var value = entry.value
            name.withUTF8 { name in
                value.withUTF8 { value in
                    unsafe keep(
                        AnswerField(
                            name: AnswerField.Name(name, isToken: FieldText.isName(name)),
                            nameBytes: name.count,
                            valueBytes: value.count, value: value), at: place)
                }
            }
        }
    }

    deinit {
        unsafe entries.deallocate()
        unsafe values.deallocate()
    }

    /// Returns the place of the entry with an index, nil if there is none. §2.3.3
    @inline(__always)
    func place(of index: Int) -> Int? {
        let place = index - 1
        if place < Self.staticEntries { return place >= 0 ? place : nil }
        let age = place - Self.staticEntries
        guard age < count else { return nil }
        return Self.staticEntries + (newest - age) & (Self.dynamicEntries - 1)
    }

    /// True if the entry changes the meaning of an answer.
    @inline(__always)
    func saysSomething(at place: Int) -> Bool {
        unsafe entries[place].saysSomething
    }

    /// Returns the name of an entry, and its length.
    @inline(__always)
    func name(at place: Int) -> (AnswerField.Name, bytes: Int) {
        unsafe (entries[place].name, Int(entries[place].nameBytes))
    }

    /// Returns the size of an entry. §4.1
    @inline(__always)
    func size(at place: Int) -> Int {
        unsafe entries[place].size
    }

    /// Returns the field at a place.
    @inline(__always)
    func field(at place: Int) -> AnswerField {
        let entry = unsafe entries[place]
        let kept = Int(entry.valueBytes) <= AnswerField.valueBytesKept ? Int(entry.valueBytes) : 0
        return unsafe AnswerField(
            name: entry.name, nameBytes: Int(entry.nameBytes),
            nameIndex: place < Self.staticEntries ? place + 1 : 0,
            valueBytes: Int(entry.valueBytes),
            value: UnsafeBufferPointer(
                start: values + place * AnswerField.valueBytesKept, count: kept),
            hasBadValue: entry.hasBadValue)
    }

    /// Puts a field in as the newest one. §4.4
    mutating func insert(_ field: AnswerField) {
        makeRoom(field.size)
        // A field that is larger than the table empties it.
        guard field.size <= limit else { return }
        newest = (newest + 1) & (Self.dynamicEntries - 1)
        count += 1
        bytes += field.size
        keep(field, at: Self.staticEntries + newest)
    }

    /// Follows a dynamic table size update. §4.3
    mutating func setLimit(_ limit: Int) {
        self.limit = limit
        makeRoom(0)
    }

    private mutating func makeRoom(_ wanted: Int) {
        while count > 0 && bytes + wanted > limit {
            let oldest = (newest - count + 1) & (Self.dynamicEntries - 1)
            bytes -= size(at: Self.staticEntries + oldest)
            count -= 1
        }
    }

    private func keep(_ field: AnswerField, at place: Int) {
        unsafe entries[place] = Entry(
            name: field.name, hasBadValue: field.hasBadValue, saysSomething: field.saysSomething,
            nameBytes: UInt16(field.nameBytes), valueBytes: UInt16(field.valueBytes))
        guard let start = unsafe field.value.baseAddress else { return }
        let count = unsafe min(field.value.count, AnswerField.valueBytesKept)
        unsafe (values + place * AnswerField.valueBytesKept).update(from: start, count: count)
    }
}
