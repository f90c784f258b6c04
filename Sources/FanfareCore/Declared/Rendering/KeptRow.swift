package import FanfareBase

/// The values of a row alone: it was taken out of its batch, or written as an object of JSON.
package struct KeptRow: DeclaredRow {
    private var values: [(kind: Field.Kind, bytes: [UInt8])]

    package let hasJSONStrings: Bool

    /// Copies values.
    /// - Parameters:
    ///   - batch: The batch of the row.
    ///   - index: The number of the row in the batch.
    ///   - slots: The slot of each column of the description in it.
    package init(_ batch: RowBatch, _ index: Int, slots: [Int]) {
        hasJSONStrings = batch.hasJSONStrings
        values = slots.map { slot in
            let field = batch.field(row: index, slot: slot)
            return (field.kind, field.isMissing ? [] : unsafe Array(batch.value(field)))
        }
    }

    /// Takes the values of an object.
    /// - Parameters:
    ///   - object: The object.
    ///   - columns: The columns of the description; one with points leads into objects, if there is
    ///     no such key.
    package init(_ object: PlacedJSON, columns: [String]) {
        hasJSONStrings = true
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

    /// True if a column has a value that is more than an empty text.
    package func hasValue(_ column: Int) -> Bool {
        switch values[column].kind {
        case .missing, .null: false
        case .text: !values[column].bytes.isEmpty
        case .json: true
        }
    }

    /// Puts JSON in the place of a value.
    package mutating func set(_ column: Int, json: [UInt8]) {
        values[column] = (.json, json)
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

// MARK: - As bytes

extension KeptRow {
    /// Appends the values, to be read again when the request is made anew.
    package func append(to buffer: inout ByteBuffer) {
        buffer.append(hasJSONStrings ? 1 : 0)
        for (kind, bytes) in values {
            buffer.append(UInt8(truncatingIfNeeded: kind.rawValue))
            let count = UInt32(bytes.count)
            for shift in [0, 8, 16, 24] as [UInt32] {
                buffer.append(UInt8(truncatingIfNeeded: count >> shift))
            }
            unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append($0) }
        }
    }

    /// Reads values that `append` has written.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        hasJSONStrings = unsafe bytes.first == 1
        values = []
        var index = 1
        while index < bytes.count {
            let kind = unsafe Field.Kind(rawValue: UInt32(bytes[index])) ?? .missing
            var count = 0
            for byte in 0..<4 { count |= unsafe Int(bytes[index + 1 + byte]) << (8 * byte) }
            let start = index + 5
            unsafe values.append((kind, Array(bytes[start..<start + count])))
            index = start + count
        }
    }
}
