internal import CNghttp2
internal import FanfareCore

/// One header field of all requests, or a named place for a value that differs from row to row.
package struct HeaderField: Sendable {
    /// Whether the peer's header table is to remember the field.
    ///
    /// RFC 7541 §6.2
    package enum Indexing: Sendable {
        /// Name and value: later requests send a byte or two.
        case indexed
        /// Nothing, and nobody on the way may: for secrets.
        case neverIndexed
        /// Nothing. On the wire the same as `neverIndexed`: the library knows no weaker form.
        case withoutIndexing
        /// The first request puts the field into the table so that later ones can refer to its
        /// name; their values are not indexed. What Apple advises for `apns-id` and its like.
        case nameOnly
    }

    package var name: String
    /// The value, or nil for a place whose value comes with each request.
    package var value: String?
    package var indexing: Indexing

    /// Describes a field.
    ///
    /// `:path` is never indexed and `authorization` is always sent as never indexed, whatever is
    /// asked for: the library decides about these two.
    package init(_ name: String, _ value: String?, _ indexing: Indexing = .indexed) {
        self.name = name
        self.value = value
        self.indexing = indexing
    }
}

/// The header fields of a connection's requests, ready for the library.
///
/// Made once per connection, because the peer's header table belongs to a connection; must live as
/// long as the session that its requests are submitted to. A fixed field that is never indexed, such
/// as `authorization`, costs least as the last one.
@safe
package struct RequestHeaders: ~Copyable {
    /// All fields; the per-row places are filled in at each submit.
    private let fields: UnsafeMutablePointer<nghttp2_nv>
    /// The fields of a request that leaves places empty.
    private let present: UnsafeMutablePointer<nghttp2_nv>
    private let places: UnsafeMutablePointer<Int>
    /// Names and fixed values, one after the other.
    private let text: ByteBuffer
    private let count: Int
    /// The number of values that each request brings.
    package let placeCount: Int
    private let fixedListBytes: Int
    /// The last field, if it is a fixed one that is never indexed: encoded once.
    private let lastField: PreparedField?
    /// What belongs at the end of the requests' field blocks; valid as long as this lives.
    let splice: Splice?
    /// The two values that the library may get for it.
    private let lastReal: nghttp2_nv
    private let lastStandIn: nghttp2_nv
    /// Bit n: field n is still to be put into the table for the sake of its name.
    private let unnamed: UnsafeMutablePointer<UInt64>

    /// Prepares header fields.
    /// - Parameter list: Names in lower case, pseudo-header fields first; at most 64.
    package init(_ list: [HeaderField]) {
        precondition(list.count <= 64, "BUG: more header fields than bits")
        count = list.count
        unsafe fields = .allocate(capacity: count)
        unsafe present = .allocate(capacity: count)
        unsafe unnamed = .allocate(capacity: 1)
        var text = ByteBuffer(capacity: 1024)
        var openPlaces: [Int] = []
        var firstOnly: UInt64 = 0
        var listBytes = 0
        for field in list {
            text.append(field.name)
            text.append(field.value ?? "")
        }
        text.append(PreparedField.standInValue)
        // The text does not move any more, so the fields may point into it.
        var next = unsafe UnsafeMutablePointer(mutating: text.bytes.baseAddress)
        let asIs = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        for (index, field) in list.enumerated() {
            let nameCount = field.name.utf8.count
            let valueCount = field.value?.utf8.count ?? 0
            let isPath = field.name == ":path"
            let isSecret = field.indexing == .neverIndexed || field.indexing == .withoutIndexing
            let flags = isSecret && !isPath ? asIs | NGHTTP2_NV_FLAG_NO_INDEX.rawValue : asIs
            unsafe (fields + index).initialize(
                to: nghttp2_nv(
                    name: next, value: next.map { unsafe $0 + nameCount }, namelen: nameCount,
                    valuelen: valueCount, flags: UInt8(flags)))
            unsafe next = unsafe next.map { unsafe $0 + nameCount + valueCount }
            listBytes += nameCount + valueCount + 32
            if field.value == nil { openPlaces.append(index) }
            if field.indexing == .nameOnly && !isPath { firstOnly |= 1 << UInt64(index) }
        }
        unsafe present.initialize(from: fields, count: count)
        unsafe unnamed.initialize(to: firstOnly)
        placeCount = openPlaces.count
        unsafe places = .allocate(capacity: placeCount)
        unsafe places.initialize(from: openPlaces, count: placeCount)
        fixedListBytes = listBytes
        unsafe lastReal = unsafe fields[count - 1]
        var standIn = unsafe lastReal
        unsafe standIn.value = unsafe next
        unsafe standIn.valuelen = PreparedField.standInValue.utf8.count
        unsafe lastStandIn = unsafe standIn
        if let last = list.last, let value = last.value, last.indexing == .neverIndexed,
            let prepared = PreparedField(name: last.name, value: value)
        {
            splice = prepared.splice
            lastField = consume prepared
        } else {
            splice = nil
            lastField = nil
        }
        self.text = text
    }

    deinit {
        unsafe fields.deallocate()
        unsafe present.deallocate()
        unsafe places.deallocate()
        unsafe unnamed.deallocate()
    }

    /// Puts the values into their places.
    /// - Returns: The fields of the request, valid until the next call, the size of the list as
    ///   peers count it, and one bit for each field that was left out.
    func filled(
        _ values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>
    ) -> (start: UnsafePointer<nghttp2_nv>, count: Int, listBytes: Int, absent: UInt64) {
        precondition(values.count == placeCount, "BUG: not one value for each place")
        var listBytes = fixedListBytes
        var absent: UInt64 = 0
        for place in 0..<placeCount {
            let index = unsafe places[place]
            let value = unsafe values[place]
            if let start = value.baseAddress {
                unsafe fields[index].value = unsafe UnsafeMutablePointer(mutating: start)
                unsafe fields[index].valuelen = value.count
                listBytes += value.count
            } else {
                absent |= 1 << UInt64(index)
            }
        }
        if splice != nil {
            let isSpliced = listBytes <= PreparedField.listBytesMax
            unsafe fields[count - 1] = unsafe isSpliced ? lastStandIn : lastReal
        }
        if absent == 0 { return unsafe (UnsafePointer(fields), count, listBytes, 0) }
        var presentCount = 0
        for index in 0..<count where absent & 1 << UInt64(index) == 0 {
            unsafe present[presentCount] = unsafe fields[index]
            presentCount += 1
        }
        return unsafe (UnsafePointer(present), presentCount, listBytes, absent)
    }

    /// Notes that a request was handed over: names that it carried are in the table from now on.
    /// - Parameter absent: The fields that it left out, as `filled` has found them.
    func submitted(absent: UInt64) {
        var named = unsafe unnamed.pointee & ~absent
        while named != 0 {
            let index = named.trailingZeroBitCount
            unsafe fields[index].flags |= UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
            named &= named - 1
        }
        unsafe unnamed.pointee &= absent
    }
}
