import FanfareBase
import FanfareCore

/// A row as the line of NDJSON that it stands for.
///
/// Equal rows make equal lines in every process: an unfinished job is known again by how its rows
/// begin.
extension PushRow {
    /// Appends the line, with its end.
    func appendLine(to buffer: inout ByteBuffer) {
        let columns: [(known: RowSchema.Known, value: Value?)] = [
            (.token, .string(token)), (.payload, payload.map(Value.string)),
            (.topic, topic.map(Value.string)), (.pushType, pushType.map(Value.string)),
            (.priority, priority.map(Value.integer)),
            (.expiration, expiration.map { .integer(Int($0)) }),
            (.collapseID, collapseID.map(Value.string)), (.apnsID, apnsID.map(Value.string)),
            (.id, id.map(Value.string)),
        ]
        var members: [(key: String, value: Value)] = []
        for (known, value) in columns {
            if let value { members.append((known.name, value)) }
        }
        if let provider { members.append((RowSchema.provider, .string(provider.rawValue))) }
        let own = members.map(\.key)
        members += values.sorted { $0.key < $1.key }.filter { !own.contains($0.key) }
        Value.append(members, to: &buffer)
        buffer.append(UInt8(ascii: "\n"))
    }
}

extension PushRow.Value {
    private func append(to buffer: inout ByteBuffer) {
        switch self {
        case .string(let text): buffer.appendJSONString(text)
        case .integer(let number): buffer.append("\(number)")
        case .number(let number): buffer.append(number.isFinite ? "\(number)" : "null")
        case .bool(let flag): buffer.append(flag ? "true" : "false")
        case .null: buffer.append("null")
        case .array(let values):
            buffer.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { buffer.append(UInt8(ascii: ",")) }
                value.append(to: &buffer)
            }
            buffer.append(UInt8(ascii: "]"))
        case .object(let members):
            Self.append(members.sorted { $0.key < $1.key }, to: &buffer)
        }
    }

    fileprivate static func append(
        _ members: [(key: String, value: Self)], to buffer: inout ByteBuffer
    ) {
        buffer.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { buffer.append(UInt8(ascii: ",")) }
            buffer.appendJSONString(member.key)
            buffer.append(UInt8(ascii: ":"))
            member.value.append(to: &buffer)
        }
        buffer.append(UInt8(ascii: "}"))
    }
}
