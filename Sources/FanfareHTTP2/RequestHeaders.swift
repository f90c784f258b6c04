package import FanfareBase

/// One header field of all requests, or a named place for a value that differs from request to request.
package struct HeaderField: Sendable {
    /// The use of the peer's header table for the field.
    ///
    /// RFC 7541 §6.2
    package enum Indexing: Sendable {
        /// Name and value: later requests send a byte. Of a place the first value is remembered.
        case indexed
        /// Nothing, and no proxy on the way may: for secrets.
        case neverIndexed
        /// Nothing.
        case withoutIndexing
        /// The first request puts the field into the table so that later ones can refer to its
        /// name; their values are not indexed. What Apple advises for `apns-id` and its like.
        case nameOnly
    }

    /// The origin of a field's value.
    package enum Source: Sendable {
        /// It is always the same.
        case fixed
        /// Each request brings it.
        case place
        /// A request may bring its own. The others have the usual one, or none.
        case optional
    }

    package let name: String
    /// The value, or the usual one, or the common beginning of all values of a place; nil for none.
    package let value: String?
    package let source: Source
    package let indexing: Indexing

    /// Describes a field with its value, or a place for one if there is none.
    ///
    /// A `:path` with places is never indexed, also if that is asked for.
    package init(_ name: String, _ value: String?, _ indexing: Indexing = .indexed) {
        self.name = name
        self.value = value
        self.indexing = indexing
        source = value == nil ? .place : .fixed
    }

    /// Describes a place whose values have a common beginning.
    ///
    /// The encoder never indexes its values.
    package init(_ name: String, beginning: String) {
        self.name = name
        value = beginning
        indexing = .withoutIndexing
        source = .place
    }

    /// Describes a field of which few requests bring a value of their own.
    package init(_ name: String, usual value: String?, _ indexing: Indexing = .indexed) {
        self.name = name
        self.value = value
        self.indexing = indexing
        source = .optional
    }
}

/// The header fields of a connection's requests, ready to be encoded.
///
/// It is made once per connection: all requests of a session are submitted with the same one. The
/// session keeps the parts that it needs.
@safe
package struct RequestHeaders: ~Copyable {
    /// A field; the ranges are those of `text`.
    package struct Field {
        var indexing: HeaderField.Indexing
        package var source: HeaderField.Source
        /// True if there is a value, if only the usual one.
        package var hasValue: Bool
        package var name: ByteRange
        /// The value, the usual one, or a place's beginning.
        package var value: ByteRange
        /// The field as a literal that is not put into the table; without its value, unless it is fixed.
        var literal: ByteRange
        /// The entry of the static table with this name and value, 0 if there is none.
        var staticIndex: UInt8
        /// An entry of the static table with this name, 0 if there is none.
        var staticName: UInt8

        /// True if the peer's table is to have it.
        var isRemembered: Bool { indexing == .indexed || indexing == .nameOnly }
    }

    /// The most fields: with the static table's 61 entries every index fits into one byte, and the
    /// index of every name into two. RFC 7541 §5.1, §6.1, §6.2.2
    static let fieldsMax = 64

    package let fields: [Field]
    /// The texts of the fields.
    package let text: ByteBuffer
    /// The number of values that each request brings.
    package let placeCount: Int
    /// The number of values that a request may bring besides: of all optional fields or of none.
    package let optionalCount: Int
    /// True if the method is HEAD, whose answers have no content. RFC 9110 §9.3.2
    package let isHead: Bool
    /// The size of the list without the values that a request brings, as peers count it.
    private let fixedListBytes: Int
    /// The number of bytes of the usual values.
    private let usualBytes: Int

    /// Prepares header fields.
    /// - Parameter list: Names in lower case, pseudo-header fields first; at most 64.
    package init(_ list: [HeaderField]) {
        precondition(list.count <= Self.fieldsMax, "BUG: more header fields than indices")
        var text = ByteBuffer(capacity: 1024)
        var fields: [Field] = []
        var listBytes = 0
        var usualBytes = 0
        for field in list {
            let known = StaticTable.find(field.name, field.value)
            let indexing = Self.indexing(of: field)
            let name = Self.keep(in: &text) { $0.append(field.name) }
            let value = Self.keep(in: &text) { $0.append(field.value ?? "") }
            let literal = Self.keep(in: &text) {
                FieldLiteral.append(field, indexing, staticName: known.name, to: &$0)
            }
            listBytes += Int(name.count) + 32
            if case .optional = field.source {
                usualBytes += Int(value.count)
            } else {
                listBytes += Int(value.count)
            }
            fields.append(
                Field(
                    indexing: indexing, source: field.source, hasValue: field.value != nil,
                    name: name, value: value,
                    literal: literal,
                    staticIndex: indexing == .indexed && field.source == .fixed ? known.field : 0,
                    staticName: known.name))
        }
        isHead = list.contains { $0.name == ":method" && $0.value == "HEAD" }
        placeCount = list.count { $0.source == .place }
        optionalCount = list.count { $0.source == .optional }
        fixedListBytes = listBytes
        self.usualBytes = usualBytes
        self.fields = fields
        self.text = text
    }

    private static func indexing(of field: HeaderField) -> HeaderField.Indexing {
        field.name == ":path" && field.source != .fixed ? .withoutIndexing : field.indexing
    }

    private static func keep(
        in text: inout ByteBuffer, _ append: (inout ByteBuffer) -> Void
    ) -> ByteRange {
        let start = text.count
        append(&text)
        return ByteRange(start: start, count: text.count - start)
    }

    /// Returns the size of a request's header list as peers count it, or somewhat more: fields left
    /// out count with their name, and usual values that are replaced count too.
    ///
    /// RFC 9113 §6.5.2
    package func listBytesMax(_ values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>) -> Int {
        precondition(
            values.count == placeCount || values.count == placeCount + optionalCount,
            "BUG: not one value for each place")
        var bytes = fixedListBytes + usualBytes
        for place in 0..<values.count { unsafe bytes += values[place].count }
        return bytes
    }
}
