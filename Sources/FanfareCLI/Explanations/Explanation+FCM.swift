import FanfareCore

extension Explanation {
    /// The explanations of FCM's answers, in the order of its table.
    static let answersOfFCM =
        FCMAnswers.rules.map(Explanation.init(_:))
        + FCMAnswers.fallbacks.map(Explanation.init(_:))

    /// Returns the possible meanings of an answer of FCM's.
    ///
    /// Its word alone does not tell the details that come with it, so a 400 and a 429 can mean
    /// several things.
    static func answersOfFCM(status: UInt16, word: String) -> [Explanation] {
        var found: [Explanation] = []
        for (rule, explanation) in zip(FCMAnswers.rules, answersOfFCM)
        where rule.status == status && rule.mayFit(word) {
            found.append(explanation)
            if rule.naming == .anything { break }
        }
        guard found.isEmpty else { return found }
        let others = zip(FCMAnswers.fallbacks, answersOfFCM.dropFirst(FCMAnswers.rules.count))
            .filter { $0.0.statuses.contains(status) }
        // Without a word the body was none of FCM's.
        let other = others.first { $0.0.isGoogles != word.isEmpty } ?? others.first
        return other.map { [$0.1] } ?? []
    }

    private init(_ rule: FCMRule) {
        let status = "\(rule.status)"
        let title =
            if rule.word.utf8CodeUnitCount > 0 {
                "FCM \(status) \(rule.word)"
            } else if let name = rule.naming.text {
                "FCM \(status), naming \(name)"
            } else if rule.verdict.outcome == .accepted {
                "FCM \(status)"
            } else {
                "FCM \(status), any other"
            }
        let words = rule.words.flatMap { [$0, "\(status) \($0)", "FCM \(status) \($0)"] }
        self.init(
            answer: rule.verdict, title: title, words: [status, "FCM \(status)", title] + words,
            meaning: "\(rule.meaning)", advice: rule.advice)
    }

    private init(_ fallback: FCMAnswers.Fallback) {
        let title =
            "FCM \(fallback.label), \(fallback.isGoogles ? "any other" : "without a word")"
        var words = fallback.statuses.map { "\($0)" } + [fallback.label]
        if fallback.statuses.allSatisfy({ $0 >= 500 }) { words.append("5xx") }
        self.init(
            answer: fallback.verdict, title: title,
            words: words + words.map { "FCM \($0)" } + [title], meaning: fallback.meaning,
            advice: fallback.advice)
    }
}

extension FCMRule {
    /// True if the rule can be about an answer with this word; an answer without a word fits none.
    fileprivate func mayFit(_ word: String) -> Bool {
        if self.word.utf8CodeUnitCount > 0 { return "\(self.word)" == word }
        return !word.isEmpty || verdict.outcome == .accepted
    }
}
