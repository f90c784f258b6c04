import FanfareBase
import FanfareCore

extension JSONValue {
    /// The value as JSON on one line.
    package var text: String {
        var buffer = ByteBuffer()
        append(to: &buffer)
        return unsafe String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Returns the members of an object on lines of their own, for people, with a line end.
    ///
    /// The value of a member stays on one line.
    package static func lines(_ members: [(key: String, value: JSONValue)]) -> String {
        guard !members.isEmpty else { return "{}\n" }
        let lines = members.map { "  \(JSONValue.string($0.key).text): \($0.value.text)" }
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }

    private func append(to buffer: inout ByteBuffer) {
        switch self {
        case .null: buffer.append("null")
        case .bool(let flag): buffer.append(flag ? "true" : "false")
        case .number(let number, let text): buffer.append(text ?? "\(number)")
        case .integer(let number): buffer.append("\(number)")
        case .string(let text): buffer.appendJSONString(text)
        case .array(let elements):
            buffer.append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { buffer.append(", ") }
                element.append(to: &buffer)
            }
            buffer.append("]")
        case .object(let members):
            buffer.append("{")
            for (index, member) in members.enumerated() {
                if index > 0 { buffer.append(", ") }
                buffer.appendJSONString(member.key)
                buffer.append(": ")
                member.value.append(to: &buffer)
            }
            buffer.append("}")
        }
    }
}
