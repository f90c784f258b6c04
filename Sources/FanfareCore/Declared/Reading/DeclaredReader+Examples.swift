import FanfareBase

extension DeclaredReader {
    mutating func examples(_ value: Value?, _ provider: DeclaredProvider) -> [DeclaredExample] {
        elements(value, like: #"[{"rows": [{"token": "a1"}], "request": {…}, "answers": […]}]"#)
            .compactMap { example($0, provider) }
    }

    private mutating func example(
        _ value: Value, _ provider: DeclaredProvider
    ) -> DeclaredExample? {
        let members = self.members(
            value,
            ["rows", "settings", "time", "id", "token", "request", "problem", "answers"],
            like: #"{"rows": [{"token": "a1"}], "request": {…}, "answers": […]}"#)
        guard let members else { return nil }
        let list = required(members, "rows", #"write [{"token": "a1"}]"#)
        let rows = elements(list, like: #"[{"token": "a1"}]"#)
        if let list, list.json.elements?.isEmpty == true {
            fault(list, "is empty; an example has a row")
        }
        for row in rows where row.json.members == nil {
            wrongKind(row, #"an object: {"token": "a1"}"#)
        }
        var example = DeclaredExample(rows: rows.map(\.json), place: place(value))
        example.settings = exampleSettings(members["settings"], provider, value)
        example.seconds = Int64(count(members["time"], 0...253_402_300_799) ?? 0)
        example.requestID = text(members["id"])
        example.token = text(members["token"])
        example.problem = text(members["problem"])
        example.request = exampleRequest(members["request"])
        if let problem = members["problem"],
            let other = members["request"] ?? members["answers"]
        {
            fault(other, "cannot be, since there is no request after \(problem.pointer.text)")
        }
        for answer in elements(members["answers"], like: #"[{"status": 200, "outcomes": […]}]"#) {
            if let answer = exampleAnswer(answer, rows.count) { example.answers.append(answer) }
        }
        return example
    }

    private mutating func exampleSettings(
        _ value: Value?, _ provider: DeclaredProvider, _ example: Value
    ) -> [(name: String, value: String)] {
        var settings: [(name: String, value: String)] = []
        for (name, value) in named(value, like: #"{"app_key": "k"}"#) {
            guard provider.settings.contains(where: { $0.name == name }) else {
                let names = provider.settings.map(\.name)
                fault(
                    value,
                    "is no setting; \(NearWords.question(name, among: names) ?? "leave it out")")
                continue
            }
            if let text = self.text(value) { settings.append((name, text)) }
        }
        let missing = provider.settings.filter { setting in
            setting.usual == nil && !settings.contains { $0.name == setting.name }
        }
        if !missing.isEmpty {
            fault(
                example,
                "has no value for \(missing.map(\.name).joined(separator: ", ")); add "
                    + #""settings": {"\#(missing[0].name)": "…"}"#)
        }
        return settings
    }

    private mutating func exampleRequest(_ value: Value?) -> DeclaredExample.Request? {
        let members = self.members(
            value, ["method", "url", "headers", "body"],
            like: #"{"url": "https://api.example.com/send", "headers": {…}, "body": {…}}"#)
        guard let members else { return nil }
        let url = text(
            required(members, "url", #"write "https://api.example.com/send""#))
        var fields: [(name: String, value: String)] = []
        for (key, value) in named(members["headers"], like: #"{"content-type": "…"}"#) {
            guard let name = fieldName(key, at: value), let text = self.text(value) else {
                continue
            }
            fields.append((name, text))
        }
        return DeclaredExample.Request(
            method: text(members["method"]) ?? "POST", url: url ?? "", fields: fields,
            body: exampleBody(members["body"]), place: place(members.object))
    }

    /// Returns a text as it is, or JSON without white space.
    private func exampleBody(_ value: Value?) -> [UInt8] {
        guard let value else { return [] }
        return value.json.text.map { Array($0.utf8) } ?? value.json.json
    }

    private mutating func exampleAnswer(_ value: Value, _ rowCount: Int) -> DeclaredExample.Answer?
    {
        let members = self.members(
            value, ["status", "body", "incomplete", "outcomes", "split", "strays"],
            like: #"{"status": 200, "body": {…}, "outcomes": ["accepted"]}"#)
        guard let members else { return nil }
        let status = count(required(members, "status", "write its status: 200"), 200...599)
        var answer = DeclaredExample.Answer(
            status: UInt16(status ?? 200), body: exampleBody(members["body"]), place: place(value))
        answer.isComplete = flag(members["incomplete"]) != true
        answer.splits = flag(members["split"]) ?? false
        answer.strays = count(members["strays"], 0...10_000) ?? 0
        let list = required(members, "outcomes", #"write what becomes of each row: ["accepted"]"#)
        let outcomes = elements(list, like: #"["accepted"]"#)
        if let list, list.json.elements != nil, outcomes.count != rowCount {
            fault(
                list,
                "has \(outcomes.count) outcomes for \(rowCount) rows; write one for each")
        }
        answer.outcomes = outcomes.compactMap { expectation($0) }
        return answer
    }

    private mutating func expectation(_ value: Value) -> DeclaredExample.Expectation? {
        if value.json.text != nil { return outcome(value).map { .init($0) } }
        let members = self.members(
            value, ["outcome", "reason", "id", "retry", "job", "credential", "wait"],
            like: #"{"outcome": "rejected", "reason": "invalid"}"#)
        guard let members,
            let outcome = self.outcome(required(members, "outcome", #"write "accepted""#))
        else { return nil }
        var expectation = DeclaredExample.Expectation(outcome)
        expectation.reason = members["reason"]?.json.text
        expectation.id = text(members["id"])
        expectation.retry = word(members["retry"], among: DeclaredWords.retry)
        expectation.job = word(members["job"], among: DeclaredWords.job)
        expectation.credential = word(members["credential"], among: DeclaredWords.credential)
        expectation.wait = duration(
            members["wait"], .zero ... .seconds(RetryAfter.secondsMax), "0s to 24h")
        return expectation
    }
}
