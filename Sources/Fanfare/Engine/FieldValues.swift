import FanfareBase
import FanfareHTTP2

/// The values that a row brings for the header fields of its request.
@safe
struct FieldValues: ~Copyable {
    private let values: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>

    init() {
        unsafe values = .allocate(capacity: PreparedRow.fieldsMax)
        unsafe values.initialize(repeating: .empty, count: PreparedRow.fieldsMax)
    }

    deinit {
        unsafe values.deallocate()
    }

    /// The values of a row.
    /// - Parameters:
    ///   - row: The row, which brings its own values, of optional fields as many as it likes.
    ///   - headers: The fields that they are for.
    /// - Returns: One for each place, then one for each optional field if any is the row's own;
    ///   valid until the next call.
    func values(
        of row: borrowing PreparedRow, for headers: borrowing RequestHeaders
    ) -> UnsafeBufferPointer<UnsafeBufferPointer<UInt8>> {
        var count = headers.placeCount
        if row.fieldCount > count { count += headers.optionalCount }
        for place in 0..<count {
            let field = row.field(place)
            unsafe values[place] = field.isEmpty ? .empty : row.bytes.bytes(field)
        }
        return unsafe UnsafeBufferPointer(start: values, count: count)
    }
}
