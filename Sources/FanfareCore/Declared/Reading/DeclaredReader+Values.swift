import FanfareBase

extension DeclaredReader {
    /// The keys of a rule for values, which may stand among others.
    static let ruleOfValueKeys = ["bytes", "characters", "values", "number"]
    /// The most bytes or characters that a rule may speak of.
    private static let lengthMax = 1_000_000

    /// Reads the rules for the values of columns, which all have to stand somewhere in requests.
    mutating func columnRules(_ value: Value?) -> [Int: DeclaredValueRule] {
        var rules: [Int: DeclaredValueRule] = [:]
        for (name, value) in named(value, like: #"{"title": {"characters": 250}}"#) {
            let members = self.members(
                value, ["about"] + Self.ruleOfValueKeys, like: #"{"characters": 250}"#)
            _ = text(members?["about"])
            let rule = valueRule(members)
            guard let column = columns.firstIndex(of: name) else {
                // The parts that could not be read may have named it.
                if faults.isEmpty {
                    fault(
                        value,
                        "is a column that no request has; write ${row:\(Self.shown(name))} where it "
                            + "belongs, or leave it out")
                }
                continue
            }
            if let rule { rules[column] = rule }
        }
        return rules
    }

    /// Reads a rule for values; nil if there is none.
    mutating func valueRule(_ members: Members?) -> DeclaredValueRule? {
        var rule = DeclaredValueRule()
        rule.bytes = lengths(members?["bytes"])
        rule.characters = lengths(members?["characters"])
        let words = elements(members?["values"], like: #"["high", "normal"]"#)
        if let list = members?["values"], list.json.elements?.isEmpty == true {
            fault(list, "is empty, so that no value would do; write the values that there are")
        }
        for value in words {
            switch value.json.content {
            case .text(let text), .number(let text): rule.words.append(text)
            case .bool(let flag): rule.words.append(flag ? "true" : "false")
            case .null, .array, .object: wrongKind(value, "a text, a number, true or false")
            }
        }
        rule.number = numbers(members?["number"])
        return rule == DeclaredValueRule() ? nil : rule
    }

    /// Reads the least and the largest number.
    private mutating func numbers(_ value: Value?) -> ClosedRange<Int>? {
        guard let value else { return nil }
        let bounds = elements(value, like: "[0, 100]")
        guard value.json.elements != nil else { return nil }
        guard bounds.count == 2 else {
            fault(value, "has \(bounds.count) numbers; write the least and the largest: [0, 100]")
            return nil
        }
        let all = -1_000_000_000_000...1_000_000_000_000
        let (least, most) = (count(bounds[0], all), count(bounds[1], all))
        guard let least, let most else { return nil }
        guard least <= most else {
            fault(
                value,
                "has its least, \(least), above its largest, \(most); write the smaller one first")
            return nil
        }
        return least...most
    }

    /// Reads the most that there may be, or the least and the most.
    private mutating func lengths(_ value: Value?) -> ClosedRange<Int>? {
        guard let value else { return nil }
        guard value.json.elements != nil else {
            return count(value, 1...Self.lengthMax).map { 0...$0 }
        }
        let bounds = elements(value, like: "[1, 250]")
        guard bounds.count == 2 else {
            fault(
                value,
                "has \(bounds.count) numbers; write the most, or the least and the most: [1, 250]")
            return nil
        }
        let least = count(bounds[0], 0...Self.lengthMax)
        let most = count(bounds[1], 1...Self.lengthMax)
        guard let least, let most else { return nil }
        guard least <= most else {
            fault(
                value,
                "has its least, \(least), above its most, \(most); write the smaller one first")
            return nil
        }
        return least...most
    }
}
