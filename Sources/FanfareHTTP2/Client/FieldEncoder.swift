internal import FanfareBase

// What to know before you change this:
// - It runs for each request, which has 9,449 instructions in all (`dev/check instructions`). Once
//   the table is filled nearly every request takes `UsualBlock`, and what is done here for each
//   value is seen.
// - An entry that is evicted shifts the indices of all others: the peer would read other fields,
//   and no error would tell. So no field is put in twice, and none that does not fit beside the
//   others (4,096 bytes, 32 for each entry).
// - The peer may change the table's size between any two requests. The next block then begins with
//   the lowest limit and the last one, in this order (RFC 7541 §4.2).
// - The provider token is indexed on purpose: 170 bytes a request instead of 370 (decision 023).
//   What is a secret in a load test is not.
// - `ReferenceTests` have nghttp2's session read the same requests.

/// An encoder of the header lists of a connection's requests.
///
/// The encoder knows the content of the peer's dynamic table without a copy of it, because it only
/// ever fills the table, and never overfills it: it inserts each field at most once, and only if it
/// still fits. So the peer evicts nothing, and the index of an entry follows from the number of
/// entries that came after it.
///
/// ```
///  first request   :method  :scheme  +:authority  :path…  +apns-id  +apns-topic  +authorization
///  later ones        83       87         C1       04 …     0F 31 …      BF          BE
/// ```
/// Values that differ from row to row are not Huffman-coded: that would save 30 of some 110 bytes and
/// cost more instructions than the rest of the request.
///
/// RFC 7541
@safe
struct FieldEncoder: ~Copyable {
    /// A field, its entry in the peer's table, and the bytes on the wire that follow from that.
    private struct Entry {
        var field: RequestHeaders.Field
        /// The number of entries that were put into the table before this one, or -1 if it is not
        /// in it.
        var ordinal: Int32 = -1
        /// The value that was put in, unless it is fixed; a range of `remembered`.
        var value = ByteRange.empty
        /// The byte that stands for name and value, or 0 if no entry of the tables has both. §6.1
        var indexed: UInt8 = 0
        /// The bytes before a value that is not fixed, if its name is in the tables: `fieldsMax`
        /// sees to it that two bytes are enough.
        var name = InlineArray<2, UInt8>(repeating: 0)
        /// The bytes of `name`, or 0 if the name is spelled out.
        var nameBytes: UInt8 = 0
    }

    private static let staticEntries = 61
    /// The size of an entry beyond its bytes. §4.1
    private static let entryOverhead = 32
    /// The table of which we make use; that of a peer which says nothing about it. §6.5.2 of RFC 9113
    private static let tableBytesMax = 4096

    private let entries: UnsafeMutablePointer<Entry>
    private let count: Int
    /// Names, fixed values and their literals.
    private let text: ByteBuffer
    private let placeCount: Int
    /// The most bytes that a request takes without the values it brings.
    private let fixedBytesMax: Int
    /// True if the first value of some place is remembered, so that no two requests are alike.
    private let remembersPlaces: Bool

    private var remembered = ByteBuffer(capacity: 128)
    private var inserted: Int32 = 0
    private var tableBytes = 0
    private var tableLimit = FieldEncoder.tableBytesMax
    /// True if the next request has to tell the peer that the table was emptied, and its new limit.
    private var mustUpdate = false

    /// The runs before, between and behind the values of a request that brings nothing unusual.
    ///
    /// Nearly every request needs no more, once the table is filled.
    private var usual: UsualBlock

    init(_ headers: borrowing RequestHeaders) {
        count = headers.fields.count
        unsafe entries = .allocate(capacity: count)
        placeCount = headers.placeCount
        var text = ByteBuffer(capacity: headers.text.count)
        unsafe text.append(headers.text.bytes)
        self.text = text
        var bound = 2 * FieldLiteral.integerBytesMax
        for index in 0..<count {
            let field = headers.fields[index]
            unsafe (entries + index).initialize(to: Entry(field: field))
            bound += Int(field.name.count) + Int(field.value.count)
            bound += 1 + 3 * FieldLiteral.integerBytesMax
        }
        fixedBytesMax = bound + UsualBlock.runBytesMax
        remembersPlaces = headers.fields.contains {
            $0.source == .place && !$0.hasValue && $0.indexing == .indexed
        }
        usual = UsualBlock(placeCount: placeCount, bytesMax: fixedBytesMax)
        settle()
    }

    deinit {
        unsafe entries.deallocate()
    }

    /// Follows the peer's SETTINGS_HEADER_TABLE_SIZE.
    mutating func follow(_ peer: inout PeerSettings) {
        let sizes = peer.takeHeaderTableSizes()
        setTableLimit(sizes.lowest)
        setTableLimit(sizes.last)
    }

    /// Changes the limit of the table.
    ///
    /// Any change begins with an empty table, whose size the encoder tells the peer first: that
    /// also covers a limit that was lowered and raised again between two requests. §4.2, §6.3
    mutating func setTableLimit(_ bytes: UInt32) {
        let limit = min(Int(bytes), Self.tableBytesMax)
        guard limit != tableLimit else { return }
        tableLimit = limit
        mustUpdate = true
        inserted = 0
        tableBytes = 0
        remembered.removeAll()
        for index in 0..<count { unsafe entries[index].ordinal = -1 }
        settle()
    }

    /// Decides the bytes of each field from now on, since an insertion has moved all indices.
    ///
    /// There are only as many insertions as fields, so that it is not done for each request.
    private mutating func settle() {
        usual.forget()
        for index in 0..<count {
            let entry = unsafe entries + index
            let field = unsafe entry.pointee.field
            let isInserted = unsafe entry.pointee.ordinal >= 0
            let position = isInserted ? unsafe self.index(of: entry) : field.staticName
            if field.staticIndex != 0 {
                unsafe entry.pointee.indexed = 0x80 | field.staticIndex
            } else {
                // Of a value that is not the same each time only the name is of use.
                let isWhole = isInserted && field.indexing == .indexed
                unsafe entry.pointee.indexed = isWhole ? 0x80 | position : 0
            }
            guard field.source != .fixed, position != 0 else {
                unsafe entry.pointee.nameBytes = 0
                continue
            }
            let mark =
                field.indexing == .neverIndexed
                ? FieldLiteral.neverIndexed : FieldLiteral.withoutIndexing
            unsafe entry.pointee.nameBytes = withUnsafeMutablePointer(
                to: &entry.pointee.name
            ) { name in
                let start = unsafe UnsafeMutableRawPointer(name).assumingMemoryBound(to: UInt8.self)
                let end = unsafe FieldLiteral.write(
                    Int(position), prefix: 4, mark: mark, to: start)
                return unsafe UInt8(end - start)
            }
        }
    }

    /// Returns the most bytes that `encode` writes.
    func bytesMax(_ values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>) -> Int {
        var bytes = fixedBytesMax
        for index in 0..<values.count { unsafe bytes += values[index].count }
        return bytes
    }

    /// Writes the field block of a request.
    /// - Parameters:
    ///   - values: One for each place, then one for each optional field unless all are as usual. A
    ///     value without address leaves a place's field out, and is the usual one for an optional.
    ///   - target: Has room for `bytesMax`.
    /// - Returns: The end of the bytes written.
    mutating func encode(
        _ values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>,
        to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        let isUsual = values.count == placeCount
        if isUsual, usual.isKnown, unsafe usual.fits(values) {
            return unsafe usual.write(values, to: target)
        }
        var next = unsafe target
        let isSettled = !mustUpdate
        let insertedBefore = inserted
        if mustUpdate { unsafe next = writeTableUpdate(to: next) }
        var place = 0
        var optional = placeCount
        for index in 0..<count {
            let entry = unsafe entries + index
            switch unsafe entry.pointee.field.source {
            case .fixed:
                unsafe next = write(entry, to: next)
            case .place:
                let value = unsafe values[place]
                place += 1
                if unsafe value.baseAddress != nil {
                    unsafe next = write(place: value, of: entry, to: next)
                }
            case .optional:
                var value = unsafe usualValue(of: entry)
                if !isUsual {
                    if unsafe values[optional].baseAddress != nil {
                        unsafe value = values[optional]
                    }
                    optional += 1
                }
                if unsafe value.baseAddress != nil {
                    unsafe next = write(value, of: entry, to: next)
                }
            }
        }
        assert(
            place == placeCount && (isUsual || optional == values.count), "BUG: not every value")
        if isUsual, !remembersPlaces, isSettled, inserted == insertedBefore,
            unsafe usual.fits(values)
        {
            learnUsual()
        }
        return unsafe next
    }

    private func usualValue(
        of entry: UnsafeMutablePointer<Entry>
    ) -> UnsafeBufferPointer<UInt8> {
        guard unsafe entry.pointee.field.hasValue else {
            return unsafe .empty
        }
        return unsafe text.bytes(entry.pointee.field.value)
    }

    /// Notes the bytes that the next requests have in common, after one that has left the table
    /// alone.
    private mutating func learnUsual() {
        var next = unsafe usual.begin()
        for index in 0..<count {
            let entry = unsafe entries + index
            switch unsafe entry.pointee.field.source {
            case .fixed:
                unsafe next = write(entry, to: next)
            case .place:
                unsafe next = writeName(of: entry, to: next)
                unsafe usual.endRun(at: next)
                unsafe next = FieldLiteral.copy(
                    text.bytes(entry.pointee.field.value), to: next)
                unsafe usual.endRun(at: next)
            case .optional:
                let value = unsafe usualValue(of: entry)
                if unsafe value.baseAddress != nil {
                    unsafe next = write(value, of: entry, to: next)
                }
            }
        }
        unsafe usual.endRun(at: next)
    }

    /// Writes a fixed field.
    private mutating func write(
        _ entry: UnsafeMutablePointer<Entry>, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        if unsafe entry.pointee.indexed != 0 {
            unsafe target.pointee = entry.pointee.indexed
            return unsafe target + 1
        }
        let field = unsafe entry.pointee.field
        let value = unsafe text.bytes(field.value)
        if unsafe field.isRemembered && insert(entry, valueBytes: value.count) {
            return unsafe write(inserting: value, of: field, to: target)
        }
        return unsafe FieldLiteral.copy(text.bytes(field.literal), to: target)
    }

    /// Writes a place's field, whose value may have a beginning.
    private mutating func write(
        place value: UnsafeBufferPointer<UInt8>, of entry: UnsafeMutablePointer<Entry>,
        to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        guard unsafe entry.pointee.field.hasValue else {
            return unsafe write(value, of: entry, to: target)
        }
        let beginning = unsafe text.bytes(entry.pointee.field.value)
        var next = unsafe writeName(of: entry, to: target)
        unsafe next = FieldLiteral.write(
            beginning.count + value.count, prefix: 7, mark: 0, to: next)
        unsafe next = FieldLiteral.copy(beginning, to: next)
        return unsafe FieldLiteral.copy(value, to: next)
    }

    /// Writes a field with a value of the request's.
    private mutating func write(
        _ value: UnsafeBufferPointer<UInt8>, of entry: UnsafeMutablePointer<Entry>,
        to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        if unsafe entry.pointee.indexed != 0,
            unsafe value.hasBytes(of: remembered.bytes(entry.pointee.value))
        {
            unsafe target.pointee = entry.pointee.indexed
            return unsafe target + 1
        }
        let field = unsafe entry.pointee.field
        if field.isRemembered, unsafe entry.pointee.ordinal < 0,
            unsafe insert(entry, valueBytes: value.count)
        {
            if field.indexing == .indexed { unsafe remember(value, of: entry) }
            return unsafe write(inserting: value, of: field, to: target)
        }
        return unsafe FieldLiteral.write(string: value, to: writeName(of: entry, to: target))
    }

    /// Writes the bytes before a value that is not put into the table.
    private func writeName(
        of entry: UnsafeMutablePointer<Entry>, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        let nameBytes = unsafe Int(entry.pointee.nameBytes)
        guard nameBytes > 0 else {
            return unsafe FieldLiteral.copy(text.bytes(entry.pointee.field.literal), to: target)
        }
        // Both bytes are written in any case: there is room, and a value comes behind.
        unsafe target[0] = entry.pointee.name[0]
        unsafe target[1] = entry.pointee.name[1]
        return unsafe target + nameBytes
    }

    /// Returns the index of an entry of the dynamic table: the newest one has the lowest. §2.3.3
    private func index(of entry: UnsafeMutablePointer<Entry>) -> UInt8 {
        unsafe UInt8(
            truncatingIfNeeded: Self.staticEntries + Int(inserted) - Int(entry.pointee.ordinal))
    }

    /// Counts a field into the table, if there is room without evicting another. §4.1, §4.4
    private mutating func insert(_ entry: UnsafeMutablePointer<Entry>, valueBytes: Int) -> Bool {
        let bytes = unsafe Int(entry.pointee.field.name.count) + valueBytes + Self.entryOverhead
        guard tableBytes + bytes <= tableLimit else { return false }
        tableBytes += bytes
        unsafe entry.pointee.ordinal = inserted
        inserted += 1
        settle()
        return true
    }

    private mutating func remember(
        _ value: UnsafeBufferPointer<UInt8>, of entry: UnsafeMutablePointer<Entry>
    ) {
        unsafe entry.pointee.value = ByteRange(start: remembered.count, count: value.count)
        unsafe remembered.append(value)
    }

    /// Writes a literal that the peer puts into its table. §6.2.1
    private func write(
        inserting value: UnsafeBufferPointer<UInt8>, of field: RequestHeaders.Field,
        to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var next = unsafe FieldLiteral.write(
            Int(field.staticName), prefix: 6, mark: 0x40, to: target)
        if field.staticName == 0 {
            unsafe next = FieldLiteral.write(string: text.bytes(field.name), to: next)
        }
        return unsafe FieldLiteral.write(string: value, to: next)
    }

    private mutating func writeTableUpdate(
        to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        mustUpdate = false
        let next = unsafe FieldLiteral.write(0, prefix: 5, mark: 0x20, to: target)
        guard tableLimit > 0 else { return unsafe next }
        return unsafe FieldLiteral.write(tableLimit, prefix: 5, mark: 0x20, to: next)
    }
}
