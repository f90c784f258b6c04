internal import FanfareCore

/// One header field of all requests, or a named place for a value that differs from row to row.
package struct HeaderField: Sendable {
    /// Whether the peer's header table is to remember the field.
    ///
    /// RFC 7541 §6.2
    package enum Indexing: Sendable {
        /// Name and value: later requests send a byte. Of a place the first value is remembered.
        case indexed
        /// Nothing, and nobody on the way may: for secrets.
        case neverIndexed
        /// Nothing.
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
    /// `:path` is never indexed, whatever is asked for.
    package init(_ name: String, _ value: String?, _ indexing: Indexing = .indexed) {
        self.name = name
        self.value = value
        self.indexing = indexing
    }
}

/// The header fields of a connection's requests, ready to be encoded.
///
/// Made once per connection: all requests of a session are submitted with the same ones. The session
/// keeps what it needs of them.
@safe
package struct RequestHeaders: ~Copyable {
    /// A field; the ranges are those of `text`.
    struct Field {
        var indexing: HeaderField.Indexing
        var isPlace: Bool
        var name: ByteRange
        /// Empty for a place.
        var value: ByteRange
        /// The field as a literal that is not put into the table, for a place without its value.
        var literal: ByteRange
        /// The entry of the static table with this name and value, 0 if there is none.
        var staticIndex: UInt8
        /// An entry of the static table with this name, 0 if there is none.
        var staticName: UInt8

        /// Whether the peer's table is to have it.
        var isRemembered: Bool { indexing == .indexed || indexing == .nameOnly }
    }

    /// The most fields: with the static table's 61 entries every index fits into one byte, and the
    /// index of every name into two. RFC 7541 §5.1, §6.1, §6.2.2
    static let fieldsMax = 64

    let fields: [Field]
    let text: ByteBuffer
    /// The number of values that each request brings.
    package let placeCount: Int
    /// The size of the list without the places' values, as peers count it.
    let fixedListBytes: Int

    /// Prepares header fields.
    /// - Parameter list: Names in lower case, pseudo-header fields first; at most 64.
    package init(_ list: [HeaderField]) {
        precondition(list.count <= Self.fieldsMax, "BUG: more header fields than indices")
        var text = ByteBuffer(capacity: 1024)
        var fields: [Field] = []
        var listBytes = 0
        for field in list {
            let known = StaticTable.find(field.name, field.value)
            let indexing = Self.indexing(of: field)
            let name = Self.keep(in: &text) { $0.append(field.name) }
            let value = Self.keep(in: &text) { $0.append(field.value ?? "") }
            let literal = Self.keep(in: &text) {
                FieldLiteral.append(field, indexing, staticName: known.name, to: &$0)
            }
            listBytes += Int(name.count) + Int(value.count) + 32
            fields.append(
                Field(
                    indexing: indexing, isPlace: field.value == nil, name: name, value: value,
                    literal: literal, staticIndex: indexing == .indexed ? known.field : 0,
                    staticName: known.name))
        }
        placeCount = list.count { $0.value == nil }
        fixedListBytes = listBytes
        self.fields = fields
        self.text = text
    }

    private static func indexing(of field: HeaderField) -> HeaderField.Indexing {
        field.name == ":path" ? .withoutIndexing : field.indexing
    }

    private static func keep(
        in text: inout ByteBuffer, _ append: (inout ByteBuffer) -> Void
    ) -> ByteRange {
        let start = text.count
        append(&text)
        return ByteRange(start: start, count: text.count - start)
    }

    /// The size of a request's header list as peers count it; places left out count with their name.
    ///
    /// RFC 9113 §6.5.2
    func listBytes(_ values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>) -> Int {
        precondition(values.count == placeCount, "BUG: not one value for each place")
        var bytes = fixedListBytes
        for place in 0..<values.count { unsafe bytes += values[place].count }
        return bytes
    }
}
