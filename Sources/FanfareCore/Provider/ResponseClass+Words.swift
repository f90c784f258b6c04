extension ResponseClass {
    /// A case of the treatment of answers whose reason is not in the table.
    package struct Fallback: Sendable {
        /// The name of the statuses in a table: `5xx`.
        package let label: String
        package let statuses: [UInt16]
        package let bodyIsJSON: Bool
        package let meaning: String

        init(_ label: String, _ statuses: [UInt16], _ bodyIsJSON: Bool, _ meaning: String) {
            self.label = label
            self.statuses = statuses
            self.bodyIsJSON = bodyIsJSON
            self.meaning = meaning
        }

        /// The class of the first of its statuses, which is that of all.
        package var `class`: ResponseClass {
            ResponseClass.fallback(status: statuses[0], bodyIsJSON: bodyIsJSON)
        }
    }

    /// The actions of the fallback, in each of its cases.
    package static let fallbacks: [Fallback] = [
        Fallback("2xx", Array(201...299), true, "accepted"),
        Fallback("3xx", Array(300...399), true, "a redirect: no verdict from the provider"),
        Fallback("401, 403", [401, 403], true, "the credential is refused"),
        Fallback(
            "401, 403", [401, 403], false, "the body is not JSON: no verdict from the provider"),
        Fallback("408", [408], true, "the provider waited for too long"),
        Fallback("410", [410], true, "the token is dead"),
        Fallback("410", [410], false, "the body is not JSON: no verdict from the provider"),
        Fallback("421", [421], true, "this server does not answer for the name"),
        Fallback("429", [429], true, "refused for rate reasons"),
        Fallback("5xx to 9xx", Array(500...999), true, "the provider failed"),
        Fallback("all else", otherStatuses, true, "this request cannot succeed"),
        Fallback(
            "all else", otherStatuses, false, "the body is not JSON: no verdict from the provider"),
    ]

    private static let otherStatuses: [UInt16] = (400...499).filter {
        ![401, 403, 408, 410, 421, 429].contains($0)
    }

    /// The answer to the question whether the row is sent again, in words.
    package var retryText: String {
        switch retry {
        case .never: "no"
        case .afterDelay: "after a delay"
        case .afterOwnDelay: "after a longer delay of its own"
        case .elsewhereAtOnce: "at once, on another connection"
        case .withNewCredential: "with a new access token"
        case .inDoubt: "only if rows may be sent twice"
        }
    }

    /// The other effects of the answer, in words.
    package var effects: [String] {
        var effects: [String] = []
        // A row with a delay of its own has its device's, see `RetryPolicy`.
        if let firstDelay, retry != .afterOwnDelay {
            effects.append("first wait \(firstDelay.components.seconds) s")
        }
        if connection == .retire { effects.append("connection retires") }
        // A new access token is what the retry waits for, and is said there.
        if credential == .renew, retry != .withNewCredential {
            effects.append("new provider token")
        }
        if credential == .hold { effects.append("no new provider token") }
        if job == .stop {
            if let blamedColumn {
                effects.append(
                    "job stops (`rejected` if the row gave its own `\(blamedColumn.name)`)")
            } else {
                effects.append("job stops")
            }
        }
        if job == .stopAtStart {
            effects.append("job stops if the first \(FirstAnswers.count) answers are all such")
        }
        return effects
    }
}
