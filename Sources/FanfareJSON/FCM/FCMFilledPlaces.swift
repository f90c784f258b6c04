import FanfareBase
import FanfareCore

/// The places in a message for FCM that are filled with the values of rows.
///
/// FCM names the part of a message that it finds wrong: `message.android.ttl`, `message.data[2].value`. If a row's
/// value is there, the row may be at fault, and not the text that all rows have in common.
package struct FCMFilledPlaces: Sendable {
    /// The names that lead to each place.
    private var places: [[String]] = []

    /// Looks for places.
    /// - Parameter template: The JSON that messages are made of; without any, there are no places.
    package init(_ template: [UInt8]) {
        guard let json = try? JSONValue.parse(template) else { return }
        look(at: json, [])
    }

    private mutating func look(at value: JSONValue, _ names: [String]) {
        switch value {
        case .null, .bool, .number, .integer: break
        case .string(let text):
            if (try? TemplateText(text))?.isTemplate == true { places.append(names) }
        case .array(let elements):
            for element in elements { look(at: element, names) }
        case .object(let members):
            for (key, value) in members { look(at: value, names + [Self.plain(key)]) }
        }
    }

    /// True if the value of a row is in a part of a message, or the part in it.
    /// - Parameter field: The name of the part, as FCM gives it.
    /// - Returns: True if a row can be the reason.
    package func reach(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !field.isEmpty, !places.isEmpty else { return false }
        let text = unsafe String(decoding: field, as: UTF8.self)
        // The elements of maps and lists have numbers, and the keys of maps no names of their own.
        let names = text.prefix { $0 != "[" }.split(separator: ".").map { Self.plain(String($0)) }
        return places.contains { place in zip(place, names).allSatisfy { $0 == $1 } }
    }

    /// Returns a name in one of the two spellings that FCM takes: `notification_count`, `notificationCount`.
    private static func plain(_ name: String) -> String {
        name.filter { $0 != "_" }.lowercased()
    }
}
