package import FanfareBase
import FanfareCore

/// The lines about requests that have not been written to the log file yet: NDJSON.
package struct RequestLog: ~Copyable {
    package private(set) var lines = ByteBuffer(capacity: 256)

    package init() {}

    /// Adds the line of one request.
    ///
    /// The id is the one that the answer carries; status zero stands for no answer.
    mutating func append(
        _ request: ReceivedRequest, id: UnsafeBufferPointer<UInt8>, connection: UInt64,
        stream: Int32,
        unixMilliseconds: UInt64, status: Int, reason: [UInt8]
    ) {
        beginLine(unixMilliseconds: unixMilliseconds, connection: connection, stream: stream)
        lines.append(",\"token\":")
        unsafe appendText(request.token)
        lines.append(",\"apns_id\":")
        unsafe appendText(id)
        lines.append(",\"topic\":")
        unsafe appendText(request.topic)
        lines.append(",\"push_type\":")
        if let kind = request.check.kind {
            lines.append("\"")
            lines.append(kind.name)
            lines.append("\"")
        } else {
            lines.append("null")
        }
        appendStatus(status)
        lines.append(",\"reason\":")
        if reason.isEmpty {
            lines.append("null")
        } else {
            unsafe reason.withUnsafeBufferPointer { unsafe appendText($0) }
        }
        endLine(payloadBytes: request.payloadBytes)
    }

    /// Adds the line of a request for one of Google's services, or for one that a file describes.
    mutating func append(
        _ decision: GoogleDesk.Decision, path: UnsafeBufferPointer<UInt8>, connection: UInt64,
        stream: Int32, unixMilliseconds: UInt64, status: Int, bodyBytes: Int
    ) {
        beginLine(unixMilliseconds: unixMilliseconds, connection: connection, stream: stream)
        lines.append(",\"provider\":\"")
        lines.append(decision.label.isEmpty ? decision.service.rawValue : decision.label)
        lines.append("\",\"path\":")
        unsafe appendText(path)
        for (name, text) in [("token", decision.target), ("message_id", decision.name)] {
            lines.append(",\"")
            lines.append(name)
            lines.append("\":")
            if text.isEmpty { lines.append("null") } else { lines.appendJSONString(text) }
        }
        appendStatus(status)
        lines.append(",\"reason\":")
        if decision.answer.word.isEmpty {
            lines.append("null")
        } else {
            lines.appendJSONString(decision.answer.word)
        }
        endLine(payloadBytes: bodyBytes)
    }

    /// Forgets lines that were written.
    package mutating func removeFirst(_ bytes: Int) {
        lines.removeFirst(bytes)
    }

    // MARK: Parts of a line

    private mutating func beginLine(unixMilliseconds: UInt64, connection: UInt64, stream: Int32) {
        lines.append("{\"time\":")
        lines.append(decimal: unixMilliseconds)
        lines.append(",\"connection\":")
        lines.append(decimal: connection)
        lines.append(",\"stream\":")
        lines.append(decimal: UInt64(stream))
    }

    /// Appends the status, or `null` for no answer.
    private mutating func appendStatus(_ status: Int) {
        lines.append(",\"status\":")
        if status > 0 { lines.append(decimal: UInt64(status)) } else { lines.append("null") }
    }

    private mutating func endLine(payloadBytes: Int) {
        lines.append(",\"payload_bytes\":")
        lines.append(decimal: UInt64(payloadBytes))
        lines.append("}\n")
    }

    /// Appends a JSON string, or `null` for no bytes.
    ///
    /// Header values are bytes of no known encoding, so those above ASCII are shown as if they
    /// were Latin-1, and every line is valid UTF-8.
    ///
    /// RFC 8259 §7
    private mutating func appendText(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard !bytes.isEmpty else { return lines.append("null") }
        lines.append(UInt8(ascii: "\""))
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                lines.append(UInt8(ascii: "\\"))
                lines.append(byte)
            case 0x20..<0x7F: lines.append(byte)
            default:
                lines.append("\\u00")
                lines.appendHexadecimal(UInt64(byte), digits: 2)
            }
        }
        lines.append(UInt8(ascii: "\""))
    }
}
