package import FanfareBase

/// The format of the list by which dead tokens are deleted.
///
/// It holds the date of the last line, so every lane has a copy of its own. Lines end with LF.
package struct UnregisteredFormat: Sendable {
    package let kind: ReportFormat.Kind
    private var moment = TimestampWriter()

    package init(_ kind: ReportFormat.Kind) {
        self.kind = kind
    }

    /// The first line of a CSV list, with its line end; empty for NDJSON.
    package var header: String { kind == .csv ? "token,unregistered_at\n" : "" }

    /// Appends one line.
    /// - Parameters:
    ///   - token: The token, whole: the list is of no use without it.
    ///   - unregisteredAt: Unix time in milliseconds; `nil` if the provider did not say.
    ///   - buffer: The buffer that gets the line.
    package mutating func append(
        token: UnsafeBufferPointer<UInt8>, unregisteredAt: Int64?, into buffer: inout ByteBuffer
    ) {
        switch kind {
        case .csv:
            unsafe buffer.appendCSVField(token)
            buffer.append(UInt8(ascii: ","))
            if let unregisteredAt { moment.append(milliseconds: unregisteredAt, to: &buffer) }
        case .ndjson:
            buffer.append(#"{"token":"#)
            unsafe buffer.appendJSONString(token)
            buffer.append(#","unregistered_at":"#)
            if let unregisteredAt {
                buffer.append(UInt8(ascii: "\""))
                moment.append(milliseconds: unregisteredAt, to: &buffer)
                buffer.append(UInt8(ascii: "\""))
            } else {
                buffer.append("null")
            }
            buffer.append(UInt8(ascii: "}"))
        }
        buffer.append(UInt8(ascii: "\n"))
    }
}
