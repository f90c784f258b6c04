/// One notification to send: a device's token, and the values that are this row's own.
///
/// ```swift
/// PushRow(token: user.token, id: user.id, values: ["name": .string(user.name)])
/// ```
///
/// It means the same as a line of NDJSON with the same keys. The job checks a row when its turn
/// comes: a row that cannot be sent has the outcome ``PushOutcome/Kind/invalid``.
public struct PushRow: Sendable, Hashable {
    /// The device's token: APNs' in hexadecimal, FCM's registration token as it is.
    public var token: String
    /// The one of a job's providers that it is for; `nil` for the only one, or for the one that has
    /// such tokens.
    public var provider: Provider?
    /// The caller's own key, which comes back as ``PushOutcome/id``; `nil` for none.
    public var id: String?
    /// The values of the payload template's placeholders, by their names.
    ///
    /// `{{user.city}}` looks for `"city"` in the object `"user"`. A value under the name of a
    /// column that Fanfare knows, such as `"topic"`, is that column, unless the property here is
    /// set.
    public var values: [String: Value]
    /// The whole payload as a JSON text; `nil` for that of the job's template.
    public var payload: String?
    /// `apns-topic`; `nil` for ``ProviderOptions/topic``.
    public var topic: String?
    /// `apns-push-type`; `nil` for ``ProviderOptions/pushType``.
    public var pushType: String?
    /// `apns-priority`, 10, 5 or 1; `nil` for ``ProviderOptions/priority``.
    public var priority: Int?
    /// `apns-expiration` in seconds of UNIX time, 0 for "now or never"; `nil` for
    /// ``ProviderOptions/expiration``.
    public var expiration: Int64?
    /// `apns-collapse-id`, 64 bytes at most; `nil` for ``ProviderOptions/collapseID``.
    public var collapseID: String?
    /// `apns-id`, a UUID; `nil` for one that is made from the job and the row's number.
    public var apnsID: String?

    /// Creates a row that takes everything else from the job.
    /// - Parameters:
    ///   - token: The device's token.
    ///   - id: The caller's own key.
    ///   - values: The values of the template's placeholders.
    ///   - payload: The whole payload as a JSON text, in place of the template.
    public init(
        token: String, id: String? = nil, values: [String: Value] = [:], payload: String? = nil
    ) {
        self.token = token
        self.id = id
        self.values = values
        self.payload = payload
    }

    /// The value of a placeholder of the payload template: a JSON value.
    ///
    /// Literals may be written as they are: `["name": "Ada", "badge": 3]`.
    public enum Value: Sendable, Hashable {
        /// Text, escaped where it goes into the payload.
        case string(String)
        /// A whole number.
        case integer(Int)
        /// Any other number; a value that JSON does not have, such as infinity, is `null`.
        case number(Double)
        /// True or false.
        case bool(Bool)
        /// Nothing: the placeholder's default counts.
        case null
        /// Values in their order, for `{{name:json}}`.
        case array([Value])
        /// Values by their names, for `{{user.city}}` and `{{user:json}}`.
        case object([String: Value])
    }
}

extension PushRow.Value: ExpressibleByStringInterpolation {
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension PushRow.Value: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
}

extension PushRow.Value: ExpressibleByFloatLiteral {
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
}

extension PushRow.Value: ExpressibleByBooleanLiteral {
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension PushRow.Value: ExpressibleByArrayLiteral {
    /// Values in their order.
    public init(arrayLiteral elements: Self...) { self = .array(elements) }
}

extension PushRow.Value: ExpressibleByDictionaryLiteral {
    /// Values by their names; of two with one name the last one counts.
    public init(dictionaryLiteral elements: (String, Self)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
