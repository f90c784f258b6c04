import FanfareBase

extension DeclaredReader {
    private static let testKeys = ["in", "at", "is", "like", "present"]
    private static let ruleKeys = ["status", "and"] + testKeys + verdictKeys

    mutating func answer(_ value: Value?, _ provider: DeclaredProvider) -> DeclaredAnswer {
        var answer = DeclaredAnswer()
        let members = self.members(
            value, ["id", "form", "decode", "rules", "otherwise", "rows"],
            like: #"{"rules": […], "otherwise": {"outcome": "rejected"}}"#)
        guard let members else { return answer }
        answer.isOfSeveral = provider.batch != nil
        answer.isOfOneService = !provider.origin.isOfRows
        answer.id = pointer(members["id"])
        answer.form = word(members["form"], DeclaredAnswer.Form.self) ?? .json
        answer.decoded = elements(members["decode"], like: #"["/msg"]"#).compactMap { pointer($0) }
        answer.rules = rules(
            required(members, "rules", #"write [{"status": "2xx", "outcome": "accepted"}]"#),
            provider)
        let otherwise = required(
            members, "otherwise", #"write what holds if no rule fits: {"outcome": "rejected"}"#)
        if let verdict = plainVerdict(otherwise, provider) { answer.otherwise = verdict }
        if let rows = self.rows(members["rows"], provider) { answer.rows = rows }
        if let form = members["form"], !answer.usesBodies {
            fault(form, "has no effect, since nothing in an answer counts; leave it out")
        }
        return answer
    }

    // MARK: Rules

    mutating func rules(
        _ value: Value?, ofRows isOfRows: Bool = false, _ provider: DeclaredProvider
    ) -> [DeclaredRule] {
        elements(value, like: #"[{"status": "2xx", "outcome": "accepted"}]"#).compactMap {
            rule($0, ofRows: isOfRows, provider)
        }
    }

    private mutating func rule(
        _ value: Value, ofRows isOfRows: Bool, _ provider: DeclaredProvider
    ) -> DeclaredRule? {
        let members = self.members(
            value, Self.ruleKeys, like: #"{"status": 410, "outcome": "unregistered"}"#)
        guard let members else { return nil }
        let verdict = self.verdict(members, provider)
        if let status = members["status"], isOfRows {
            fault(
                status, "is the answer's, and here are its parts; write the rule into /answer/rules"
            )
        }
        if let split = members["split"], isOfRows {
            fault(split, "is for the whole request, and here is one row; leave it out")
        }
        let statuses = self.statuses(members["status"])
        var tests = [self.test(members)].compactMap(\.self)
        if let and = members["and"] { tests += otherTests(and, isSecond: !tests.isEmpty) }
        if members["status"] == nil, !["at", "in"].contains(where: { members[$0] != nil }) {
            fault(
                value,
                "fits every answer, so that none behind it is asked; add a condition, or write it as "
                    + "otherwise")
            return nil
        }
        guard let verdict else { return nil }
        var rule = DeclaredRule(verdict)
        rule.statuses = statuses
        rule.tests = tests
        return rule
    }

    /// Reads conditions that have to hold beside the first one.
    private mutating func otherTests(_ value: Value, isSecond: Bool) -> [DeclaredTest] {
        let example = #"[{"at": "/id", "present": true}]"#
        let list = elements(value, like: example)
        if !isSecond || list.isEmpty {
            fault(
                value,
                "adds to no condition; write the first one beside it, and others into it: \(example)"
            )
        }
        return list.compactMap { value in
            let members = self.members(
                value, Self.testKeys, like: #"{"at": "/id", "present": true}"#)
            guard let members else { return nil }
            guard ["at", "in"].contains(where: { members[$0] != nil }) else {
                fault(value, #"has nothing to look at; add "at", a JSON pointer"#)
                return nil
            }
            return test(members)
        }
    }

    /// Reads `200`, `"4xx"`, or an array of these.
    private mutating func statuses(_ value: Value?) -> [ClosedRange<UInt16>] {
        guard let value else { return [] }
        guard value.json.elements == nil else {
            return elements(value, like: "[429, 503]").compactMap { status($0) }
        }
        return [status(value)].compactMap(\.self)
    }

    private mutating func status(_ value: Value) -> ClosedRange<UInt16>? {
        switch value.json.content {
        case .number(let text):
            if let status = UInt16(text), 200...599 ~= status { return status...status }
        case .text(let text):
            if text.utf8.count == 3, text.hasSuffix("xx"), let digit = UInt16(text.prefix(1)),
                2...5 ~= digit
            {
                return digit * 100...digit * 100 + 99
            }
        case .null, .bool, .array, .object: break
        }
        let written = value.json.word.map { "'\(Self.shown($0))'" } ?? value.json.kind
        fault(value, #"is \#(written), which is no status; write 200 to 599, or "2xx" to "5xx""#)
        return nil
    }

    private mutating func test(_ members: Members) -> DeclaredTest? {
        let conditions = ["is", "like", "present"].compactMap { members[$0] }
        guard members["at"] != nil || members["in"] != nil else {
            for value in conditions {
                fault(value, #"has nothing to look at; add "at", a JSON pointer"#)
            }
            return nil
        }
        guard conditions.count == 1 else {
            fault(
                conditions.count > 1 ? conditions[1] : members["at"] ?? members.object,
                conditions.isEmpty
                    ? #"does not say what is expected there; add "is", "like" or "present""#
                    : #"is one condition too many; put it into "and", or write a rule for each"#)
            return nil
        }
        let condition = self.condition(members)
        let steps = self.steps(members["in"])
        let at = members["at"] == nil ? JSONPointer() : pointer(members["at"])
        guard let condition, let at else { return nil }
        return DeclaredTest(steps: steps, at: at, condition: condition)
    }

    private mutating func condition(_ members: Members) -> DeclaredTest.Condition? {
        if let value = members["is"] {
            let values = elements(value, like: #"[1011, "InvalidToken"]"#)
            for value in values where !value.json.isScalar {
                wrongKind(value, "a text, a number, true, false or null")
            }
            if value.json.elements?.isEmpty == true {
                fault(value, "is empty, so nothing fits; write what is expected")
            }
            return .isOne(of: values.map(\.json))
        }
        if let value = members["like"] {
            let list =
                value.json.elements == nil ? [value] : elements(value, like: #"["*text*"]"#)
            return .isLike(list.compactMap { text($0) }.map { LikePattern($0) })
        }
        return flag(members["present"]).map { .isPresent($0) }
    }

    /// Reads one way into an array, or several one behind the other.
    private mutating func steps(_ value: Value?) -> [DeclaredTest.Step] {
        guard let value else { return [] }
        let list =
            value.json.elements == nil
            ? [value] : elements(value, like: #"[{"each": "/details"}]"#)
        var steps: [DeclaredTest.Step] = []
        for value in list {
            let members = self.members(
                value, ["each", "where"],
                like: #"{"each": "/error/details", "where": {"/@type": "…"}}"#)
            let each = pointer(required(members, "each", "write which array is looked through"))
            var conditions: [(at: JSONPointer, value: PlacedJSON)] = []
            for (name, value) in named(members?["where"], like: #"{"/@type": "…"}"#) {
                let text = PlacedJSON(.text(name), offset: value.json.offset)
                guard let at = pointer(Value(text, value.pointer)) else { continue }
                if !value.json.isScalar {
                    wrongKind(value, "a text, a number, true, false or null")
                }
                conditions.append((at, value.json))
            }
            if let each { steps.append(DeclaredTest.Step(each: each, conditions: conditions)) }
        }
        return steps
    }
}
