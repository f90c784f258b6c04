import FanfareBase

extension DeclaredReader {
    /// Reads the words of the service for a message's priority.
    mutating func priority(_ value: Value?) -> DeclaredPriority? {
        let members = self.members(
            value, ["high", "normal"], like: #"{"high": 8, "normal": 5}"#)
        guard let value, let members else { return nil }
        let high = word(required(members, "high", "write the service's word for urgent messages"))
        let normal = word(
            required(members, "normal", "write the service's word for ordinary messages"))
        guard let high, let normal else { return nil }
        guard columns.contains(MessageField.priority.rawValue) else {
            fault(
                value, "is used nowhere; write ${row:priority} where it belongs, or leave it out")
            return nil
        }
        return DeclaredPriority(high: high, normal: normal)
    }

    private mutating func word(_ value: Value?) -> MessageValue? {
        guard let value else { return nil }
        switch value.json.content {
        case .text(let text): return .text(text)
        case .number: return .json(value.json.json)
        case .null, .bool, .array, .object:
            wrongKind(value, "a text or a number")
            return nil
        }
    }
}
