import FanfareCore
import FanfareHTTP2

/// What all requests of a job have in their headers, as far as it is the same for all connections.
///
/// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
struct APNsRequestSettings: Sendable {
    var scheme: String
    var authority: String
    /// The defaults of the header fields that a row may bring itself; `nil` for none.
    var topic: String?
    var pushType: String?
    var priority: String?
    var expiration: String?
    var collapseID: String?
    /// The request that takes the place of a notification, if the service is no push provider.
    var fixed: FixedRequest?

    /// The headers of one connection's requests.
    ///
    /// Indexed where Apple advises it: what is the same for many rows goes into the table, the
    /// provider token too, `:path` never does, and of what differs from row to row only the name.
    func headers(providerToken: String?) -> RequestHeaders {
        if let fixed { return fixed.headers(scheme: scheme, authority: authority) }
        var fields = [
            HeaderField(":method", "POST"),
            HeaderField(":scheme", scheme),
            HeaderField(":authority", authority),
            HeaderField(":path", nil, .withoutIndexing),
        ]
        fields += [
            HeaderField("apns-id", nil, .nameOnly),
            HeaderField("apns-topic", nil),
            HeaderField("apns-push-type", nil),
            HeaderField("apns-priority", nil),
            HeaderField("apns-expiration", nil, expiration == nil ? .nameOnly : .indexed),
            HeaderField("apns-collapse-id", nil, collapseID == nil ? .nameOnly : .indexed),
        ]
        if let providerToken {
            // A connection has one token all its life, so that all requests but the first one name it
            // with a byte instead of 200. Nobody else's fields are in this table to guess it by
            // (RFC 7541 §7.1), and the guess would have to be right in 64 random bytes.
            fields.append(HeaderField("authorization", "bearer \(providerToken)"))
        }
        return RequestHeaders(fields)
    }
}

/// The values of one request's headers, in the order of the places in `headers(providerToken:)`.
///
/// Row for row the same seven slots are filled; the defaults behind them live as long as this does.
@safe
struct APNsHeaderValues: ~Copyable {
    private static let places = 7

    /// The places that the headers have: all, or none in those of a `FixedRequest`.
    private let count: Int
    private let values: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>
    private let text: ByteBuffer
    private let topic: ByteRange
    private let pushType: ByteRange
    private let priority: ByteRange
    private let expiration: ByteRange
    private let collapseID: ByteRange
    /// Whether the values behind the first two are the job's, as nearly all rows want them.
    private var areDefaults = false

    init(_ settings: APNsRequestSettings) {
        count = settings.fixed == nil ? Self.places : 0
        unsafe values = .allocate(capacity: Self.places)
        unsafe values.initialize(
            repeating: UnsafeBufferPointer(start: nil, count: 0), count: Self.places)
        var text = ByteBuffer(capacity: 512)
        topic = Self.keep(settings.topic, in: &text)
        pushType = Self.keep(settings.pushType, in: &text)
        priority = Self.keep(settings.priority, in: &text)
        expiration = Self.keep(settings.expiration, in: &text)
        collapseID = Self.keep(settings.collapseID, in: &text)
        self.text = text
    }

    deinit {
        unsafe values.deallocate()
    }

    private static func keep(_ value: String?, in text: inout ByteBuffer) -> ByteRange {
        let start = text.count
        text.append(value ?? "")
        return ByteRange(start: start, count: text.count - start)
    }

    /// The values for a row: its own, else the job's, else none.
    mutating func fill(
        from row: borrowing PreparedRow
    ) -> UnsafeBufferPointer<UnsafeBufferPointer<UInt8>> {
        unsafe values[0] = row.bytes.bytes(row.path)
        unsafe values[1] = row.bytes.bytes(row.apnsID)
        if !areDefaults || !row.overrides.isEmpty { fillOverrides(from: row) }
        return unsafe UnsafeBufferPointer(start: values, count: count)
    }

    private mutating func fillOverrides(from row: borrowing PreparedRow) {
        unsafe values[2] = value(row.overrides.topic, of: row, else: topic)
        unsafe values[3] = value(row.overrides.pushType, of: row, else: pushType)
        unsafe values[4] = value(row.overrides.priority, of: row, else: priority)
        unsafe values[5] = value(row.overrides.expiration, of: row, else: expiration)
        unsafe values[6] = value(row.overrides.collapseID, of: row, else: collapseID)
        areDefaults = row.overrides.isEmpty
    }

    private func value(
        _ own: ByteRange, of row: borrowing PreparedRow, else fallback: ByteRange
    ) -> UnsafeBufferPointer<UInt8> {
        if !own.isEmpty { return unsafe row.bytes.bytes(own) }
        return unsafe fallback.isEmpty
            ? UnsafeBufferPointer(start: nil, count: 0) : text.bytes(fallback)
    }
}
