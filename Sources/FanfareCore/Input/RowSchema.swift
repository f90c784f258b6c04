/// The wanted values of a row, and the slots of its batch in which they are kept.
///
/// The parser reads other columns, but does not record them.
public struct RowSchema: Sendable, Equatable {
    /// The columns that Fanfare itself understands; the raw value is the slot.
    @frozen public enum Known: Int, CaseIterable, Sendable {
        case token, payload, topic, pushType, priority, expiration, collapseID, apnsID, id

        /// The slot that holds the column.
        @inlinable
        public var slot: Int {
            switch self {
            case .token: 0
            case .payload: 1
            case .topic: 2
            case .pushType: 3
            case .priority: 4
            case .expiration: 5
            case .collapseID: 6
            case .apnsID: 7
            case .id: 8
            }
        }

        /// The column's name in CSV and its key in NDJSON.
        package var name: String {
            switch self {
            case .token: "token"
            case .payload: "payload"
            case .topic: "topic"
            case .pushType: "push_type"
            case .priority: "priority"
            case .expiration: "expiration"
            case .collapseID: "collapse_id"
            case .apnsID: "apns_id"
            case .id: "id"
            }
        }
    }

    /// The name of the column in which a row names its provider; wanted by jobs with several.
    package static let provider = "provider"

    /// The name of each slot: the known columns, then template values and carried columns.
    package let names: [String]
    /// The input's names of columns, where they differ: `["token": "device_token"]`.
    package let mapping: [String: String]

    /// Collects the wanted columns.
    /// - Parameters:
    ///   - extra: Template values (dotted paths for nested NDJSON values) and carried columns;
    ///     repetitions and known names are merged.
    ///   - mapping: The map from our names to the input's, from `--map`.
    package init(extra: [String] = [], mapping: [String: String] = [:]) {
        var names = Known.allCases.map(\.name)
        for name in extra where !names.contains(name) {
            names.append(name)
        }
        self.names = names
        self.mapping = mapping
    }

    /// Returns the same schema for an input that has other names for some columns.
    package func reading(_ found: [String: String]) -> RowSchema {
        RowSchema(extra: names, mapping: mapping.merging(found) { mine, _ in mine })
    }

    package var slotCount: Int { names.count }

    /// Returns the slot that holds a column, by our name for it.
    package func slot(named name: String) -> Int? {
        names.firstIndex(of: name)
    }

    /// Returns the name to look for in the input for a slot.
    package func inputName(ofSlot slot: Int) -> String {
        mapping[names[slot]] ?? names[slot]
    }
}
