extension ResponseClass {
    /// The table of answers as the README shows it, ending with a line end.
    package static var markdownTable: String {
        var text = "| status | reason | outcome | retry | also | meaning |\n"
        text += "| --- | --- | --- | --- | --- | --- |\n"
        for rule in rules {
            let reason = rule.reason.utf8CodeUnitCount == 0 ? "–" : "`\(rule.reason)`"
            text += line("\(rule.status)", reason, rule.class, meaning: "\(rule.meaning)")
        }
        for (status, sample, bodyIsJSON, meaning) in fallbacks {
            let fallback = fallback(status: sample, bodyIsJSON: bodyIsJSON)
            text += line(status, "any other", fallback, meaning: meaning)
        }
        return text
    }

    /// What the fallback does, by a sample status for each of its cases.
    private static let fallbacks: [(String, UInt16, Bool, String)] = [
        ("2xx", 201, true, "accepted"),
        ("401, 403", 403, true, "the credential is refused"),
        ("401, 403", 403, false, "the body is not JSON: no verdict from the provider"),
        ("408", 408, true, "the provider waited for too long"),
        ("410", 410, true, "the token is dead"),
        ("410", 410, false, "the body is not JSON: no verdict from the provider"),
        ("421", 421, true, "this server does not answer for the name"),
        ("429", 429, true, "refused for rate reasons"),
        ("5xx", 500, true, "the provider failed"),
        ("all else", 400, true, "this request cannot succeed"),
    ]

    private static func line(
        _ status: String, _ reason: String, _ response: ResponseClass, meaning: String
    ) -> String {
        let effects = response.effects.isEmpty ? "–" : response.effects.joined(separator: ", ")
        return """
            | \(status) | \(reason) | `\(response.outcome.name)` | \(response.retryText) \
            | \(effects) | \(meaning) |

            """
    }

    private var retryText: String {
        switch retry {
        case .never: "no"
        case .afterDelay: "after a delay"
        case .afterOwnDelay: "after a longer delay of its own"
        case .elsewhereAtOnce: "at once, on another connection"
        }
    }

    private var effects: [String] {
        var effects: [String] = []
        if connection == .retire { effects.append("connection retires") }
        if credential == .renew { effects.append("new provider token") }
        if credential == .hold { effects.append("no new provider token") }
        if job == .stop {
            if let blamedColumn {
                effects.append(
                    "job stops (`rejected` if the row gave its own `\(blamedColumn.name)`)")
            } else {
                effects.append("job stops")
            }
        }
        return effects
    }
}
