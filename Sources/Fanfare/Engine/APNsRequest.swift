import FanfareBase
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
            HeaderField(":path", beginning: APNsEnvironment.pathPrefix.description),
        ]
        fields += [
            HeaderField("apns-id", nil, .nameOnly),
            HeaderField("apns-topic", usual: topic),
            HeaderField("apns-push-type", usual: pushType),
            HeaderField("apns-priority", usual: priority),
            HeaderField(
                "apns-expiration", usual: expiration, expiration == nil ? .nameOnly : .indexed),
            HeaderField(
                "apns-collapse-id", usual: collapseID, collapseID == nil ? .nameOnly : .indexed),
        ]
        if let providerToken {
            // A connection has one token all its life, so that all requests but the first one name it
            // with a byte instead of 200. No other sender's fields are in this table to guess it by
            // (RFC 7541 §7.1), and the guess would have to be right in 64 random bytes.
            fields.append(HeaderField("authorization", "bearer \(providerToken)"))
        }
        return RequestHeaders(fields)
    }
}

/// The values that a request brings, in the order of the fields in `headers(providerToken:)`.
@safe
struct APNsHeaderValues: ~Copyable {
    /// The token and the id, which every row brings.
    private static let places = 2
    /// The others, which few rows do.
    private static let optionals = 5

    /// None are wanted by a `FixedRequest`.
    private let isFixed: Bool
    private let values: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>

    init(_ settings: APNsRequestSettings) {
        isFixed = settings.fixed != nil
        unsafe values = .allocate(capacity: Self.places + Self.optionals)
        unsafe values.initialize(
            repeating: UnsafeBufferPointer(start: nil, count: 0),
            count: Self.places + Self.optionals)
    }

    deinit {
        unsafe values.deallocate()
    }

    /// The values of a row; valid until the next call.
    mutating func fill(
        from row: borrowing PreparedRow
    ) -> UnsafeBufferPointer<UnsafeBufferPointer<UInt8>> {
        guard !isFixed else { return unsafe UnsafeBufferPointer(start: values, count: 0) }
        unsafe values[0] = row.bytes.bytes(row.token)
        unsafe values[1] = row.bytes.bytes(row.apnsID)
        guard row.hasOverrides else {
            return unsafe UnsafeBufferPointer(start: values, count: Self.places)
        }
        unsafe values[2] = own(row.overrides.topic, of: row)
        unsafe values[3] = own(row.overrides.pushType, of: row)
        unsafe values[4] = own(row.overrides.priority, of: row)
        unsafe values[5] = own(row.overrides.expiration, of: row)
        unsafe values[6] = own(row.overrides.collapseID, of: row)
        return unsafe UnsafeBufferPointer(start: values, count: Self.places + Self.optionals)
    }

    /// A value of the row's own, or none.
    private func own(
        _ range: ByteRange, of row: borrowing PreparedRow
    ) -> UnsafeBufferPointer<UInt8> {
        unsafe range.isEmpty
            ? UnsafeBufferPointer(start: nil, count: 0) : row.bytes.bytes(range)
    }
}
