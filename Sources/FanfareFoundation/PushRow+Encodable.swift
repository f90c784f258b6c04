public import Fanfare
import FanfareBase
import FanfareCore
public import FoundationEssentials

extension PushRow {
    /// Creates a row with a payload of its own, from a value.
    ///
    /// ```swift
    /// struct Offer: Encodable {
    ///     struct Aps: Encodable { var alert: String }
    ///     var aps: Aps
    ///     var offer: Int
    /// }
    /// let row = try PushRow(
    ///     token: user.token, encoding: Offer(aps: .init(alert: "Doors open"), offer: 7))
    /// let outcome = try await client.send(row)
    /// print(outcome.kind, outcome.sentAt ?? .now)
    /// ```
    ///
    /// The keys are sorted, so that equal values are equal payloads. The limit of the row's provider is
    /// checked when its turn comes, as that of any payload.
    /// - Parameters:
    ///   - token: The device's token.
    ///   - id: The caller's own key.
    ///   - payload: The payload, which has to become a JSON object of at most 5,120 bytes, the most that a
    ///     provider takes.
    ///   - encoder: The encoder; `nil` for one with all defaults.
    /// - Throws: ``FanfareError`` with code ``FanfareError/Code/configuration`` when the payload is no
    ///   object or too large, and the encoder's own errors.
    public init(
        token: String, id: String? = nil, encoding payload: some Encodable,
        encoder: JSONEncoder? = nil
    ) throws {
        let json: Data
        if let encoder {
            json = try encoder.encode(payload)
        } else {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            json = try encoder.encode(payload)
        }
        guard json.first == UInt8(ascii: "{") else {
            throw FanfareError(
                .configuration,
                message: "a payload has to be a JSON object, and \(type(of: payload)) becomes none")
        }
        guard json.count <= Limits.payloadBytesMaxVoIP else {
            throw FanfareError(
                .configuration,
                message: "the payload has \(json.count) bytes, and no provider takes more than "
                    + "\(Limits.payloadBytesMaxVoIP)")
        }
        self.init(token: token, id: id, payload: String(decoding: json, as: UTF8.self))
    }
}
