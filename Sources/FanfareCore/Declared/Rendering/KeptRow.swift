package import FanfareBase

/// The values of a row that is written as an object of JSON.
package struct KeptRow: DeclaredRow {
    private let values: [(kind: Field.Kind, bytes: [UInt8])]

    package var hasJSONStrings: Bool { true }

    /// Takes the values of an object.
    /// - Parameters:
    ///   - object: The object.
    ///   - columns: The columns of the description; one with points leads into objects, if there is
    ///     no such key.
    package init(_ object: PlacedJSON, columns: [String]) {
        values = columns.map { column in
            let path = column.split(separator: ".", omittingEmptySubsequences: false)
            let value =
                object[column] ?? JSONPointer(keys: path.map(String.init)).find(in: object)
            return switch value?.content {
            case nil: (.missing, [])
            case .null: (.null, [])
            case .text(let text): (.text, Array(text.utf8))
            case .bool, .number, .array, .object: (.json, value?.json ?? [])
            }
        }
    }

    package func lend<R, E>(
        _ column: Int, _ body: (Field.Kind, UnsafeBufferPointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let (kind, bytes) = values[column]
        return try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(E) -> R in
            try unsafe body(kind, bytes)
        }
    }
}
