package import FanfareBase

/// The values of a row in the form in which they are kept beside its request: nothing is copied to read
/// them.
///
/// ```
///  marks │ kind, length, token │ kind, length, value │ … │ kind, length, message
///                              └─ the rest: rows that have it in common differ in the token alone
/// ```
/// A message stands there where requests of several rows have one for each, so that it is made once.
@safe
package struct LentRow: DeclaredRow {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let tokenColumn: Int
    /// The number of values before the message; nil if there is no message.
    private let messagePlace: Int?
    /// The bytes of a kind and a length.
    private static let headBytes = 5
    /// The marks in the first byte: texts are strings of JSON, and the token needs no escapes.
    private static let (jsonStrings, plainToken): (UInt8, UInt8) = (1, 2)

    /// Reads what `append` has written.
    /// - Parameters:
    ///   - bytes: The bytes, which must not move as long as the row is used.
    ///   - tokenColumn: The column of the token.
    ///   - messagePlace: The number of columns, if the row's message stands behind them.
    package init(
        _ bytes: UnsafeBufferPointer<UInt8>, tokenColumn: Int, messagePlace: Int? = nil
    ) {
        unsafe self.bytes = bytes
        self.tokenColumn = tokenColumn
        self.messagePlace = messagePlace
    }

    /// Begins the values of a row with that of its token; those of the other columns follow in their
    /// order.
    /// - Parameters:
    ///   - batch: The batch of the row.
    ///   - token: The place of the token in it.
    ///   - isPlain: True if the token follows `TextScan.isPlainToken`.
    ///   - buffer: Gets the bytes.
    package static func begin(
        _ batch: RowBatch, token: Field, isPlain: Bool, to buffer: inout ByteBuffer
    ) {
        buffer.append((batch.hasJSONStrings ? jsonStrings : 0) | (isPlain ? plainToken : 0))
        append(token, of: batch, to: &buffer)
    }

    /// Copies a value out of a batch.
    package static func append(
        _ field: Field, of batch: RowBatch, to buffer: inout ByteBuffer
    ) {
        guard !field.isMissing else { return unsafe append(field.kind, .empty, to: &buffer) }
        unsafe append(field.kind, batch.value(field), to: &buffer)
    }

    /// Appends a value.
    /// - Parameters:
    ///   - kind: Its kind.
    ///   - value: The value, JSON where the kind says so.
    ///   - buffer: Gets the bytes.
    package static func append(
        _ kind: Field.Kind, _ value: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer
    ) {
        let head = unsafe UnsafeMutableRawPointer(buffer.space(headBytes + value.count))
        unsafe head.storeBytes(of: UInt8(truncatingIfNeeded: kind.rawValue), as: UInt8.self)
        unsafe head.storeBytes(
            of: UInt32(value.count).littleEndian, toByteOffset: 1, as: UInt32.self)
        buffer.commit(headBytes)
        unsafe buffer.append(value)
    }

    package var hasJSONStrings: Bool { unsafe bytes[0] & Self.jsonStrings != 0 }

    package var hasPlainToken: Bool { unsafe bytes[0] & Self.plainToken != 0 }

    package func lend<R, E>(
        _ column: Int, _ body: (Field.Kind, UnsafeBufferPointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        var start = 1
        let before = column == tokenColumn ? 0 : column < tokenColumn ? column + 1 : column
        for _ in 0..<before { start = end(ofValueAt: start) }
        let kind = unsafe Field.Kind(rawValue: UInt32(bytes[start])) ?? .missing
        return try unsafe body(kind, value(at: start))
    }

    package var message: UnsafeBufferPointer<UInt8>? {
        guard let messagePlace else { return nil }
        var start = 1
        for _ in 0..<messagePlace { start = end(ofValueAt: start) }
        return unsafe value(at: start)
    }

    private func value(at start: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(
            rebasing: bytes[(start + Self.headBytes)..<end(ofValueAt: start)])
    }

    private func end(ofValueAt start: Int) -> Int {
        // Low byte first, as `append` has written it.
        let count = unsafe UnsafeRawBufferPointer(bytes)
            .loadUnaligned(fromByteOffset: start + 1, as: UInt32.self)
        return start + Self.headBytes + Int(UInt32(littleEndian: count))
    }

    /// True if another row of the same description differs from it in the token alone.
    package func differsInTokenAlone(from other: LentRow) -> Bool {
        unsafe hasJSONStrings == other.hasJSONStrings && rest.hasBytes(of: other.rest)
    }

    /// All values but the token.
    package var rest: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(rebasing: bytes[end(ofValueAt: 1)...])
    }
}
