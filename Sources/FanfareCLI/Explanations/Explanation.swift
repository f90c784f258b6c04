import FanfareBase
package import FanfareCore
import FanfareHTTP2

/// The meaning of a word in the report: a status, a reason or an outcome.
package struct Explanation: Sendable, Equatable {
    /// The word as the report has it, an answer's behind its status.
    package let title: String
    /// The words that `fanfare explain` finds it by.
    package let words: [String]
    /// A line for a list.
    package let summary: String
    /// Fanfare's reactions, by topic.
    package let facts: [Fact]
    /// True if it explains an answer that can stop a job.
    var stopsJob = false

    package struct Fact: Sendable, Equatable {
        package let name: String
        package let text: String

        init(_ name: String, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// Everything that can be explained, in the order of the list.
    package static let all: [Explanation] =
        Outcome.allCases.map(Explanation.init(_:)) + answersOfAPNs + answersOfFCM + endings + codes
        + problems + faults + [valid] + exitCodes

    /// The words of all explanations, each word once.
    package static let words = all.flatMap(\.words).distinct

    /// The explanations that a word stands for; several for a status.
    ///
    /// Its case matters only where there is another word: `Unregistered` is a reason, `unregistered`
    /// an outcome.
    package static func find(_ text: String) -> [Explanation] {
        let word = plain(text)
        let exact = all.filter { $0.words.contains(word) }
        guard exact.isEmpty else { return exact }
        let lower = word.lowercased()
        let same = all.filter { $0.words.contains { $0.lowercased() == lower } }
        guard same.isEmpty else { return same }
        // Local reasons are sentences: a word of one finds it.
        return (problems + faults).filter { explanation in
            explanation.title.lowercased().split(separator: " ").contains { $0 == lower }
                && lower.utf8.count >= Limits.explainedWordBytesMin
        }
    }

    /// Returns the possible meanings of a provider's answer.
    ///
    /// There is usually one, and none for an unknown status.
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The report's reason; empty if it has none.
    ///   - provider: The provider that answered.
    /// - Returns: The meanings, in the order of the provider's table.
    package static func answers(
        status: UInt16, reason: String, from provider: ProviderKind = .apns
    ) -> [Explanation] {
        switch provider {
        case .apns: answerOfAPNs(status: status, reason: reason).map { [$0] } ?? []
        case .fcm: answersOfFCM(status: status, word: reason)
        case .webpush, .declared: []
        }
    }

    /// Returns the steps that are left to a person after a provider's answer has stopped a job.
    /// - Parameters:
    ///   - answer: The answer.
    ///   - mayResume: True if there is a job to carry on.
    /// - Returns: The steps; `nil` if there is nothing to say.
    package static func advice(on answer: JobStop.Answer, mayResume: Bool = true) -> String? {
        let found =
            answer.status == 0
            ? find(answer.reason).prefix(1)
            : answers(
                status: answer.status, reason: answer.reason, from: answer.provider ?? .apns)[...]
        let stopping = found.filter(\.stopsJob)
        let meant = stopping.isEmpty ? found.prefix(1) : stopping[...]
        let advice = meant.compactMap { $0.facts.first { $0.name == "To do" }?.text }
        guard !advice.isEmpty else { return nil }
        let text = advice.joined(separator: " ")
        return mayResume ? text : withoutResumption(text)
    }

    /// Leaves out what can only be done where there is a job to carry on.
    private static func withoutResumption(_ text: String) -> String {
        var rest = text
        for (words, instead) in Advice.resumption { rest = rest.replacing(words, with: instead) }
        return rest.trimmed
    }

    /// Returns the answers of the provider with this name, in any case; empty for another name.
    package static func answers(of name: String) -> [Explanation] {
        switch name.lowercased() {
        case "apns": answersOfAPNs
        case "fcm": answersOfFCM
        default: []
        }
    }

    /// Returns the known words that are nearest to a misspelled one.
    package static func nearest(to text: String) -> [String] {
        let word = plain(text).lowercased()
        var found: [String] = []
        for near in Suggestion.nearest(to: word, among: words.map { $0.lowercased() }) {
            let word = words.first { $0.lowercased() == near }
            if let word, !found.contains(word) { found.append(word) }
        }
        return found
    }

    /// Without the place that the report puts before a reason: `line 8: token is empty`.
    private static func plain(_ text: String) -> String {
        let word = text.trimmed
        guard word.hasPrefix("line "), let colon = word.firstIndex(of: ":") else { return word }
        return String(word[word.index(after: colon)...]).trimmed
    }
}

// MARK: Answers

extension Explanation {
    fileprivate static let answersOfAPNs =
        ResponseClass.rules.map(Explanation.init(_:))
        + ResponseClass.fallbacks.map(Explanation.init(_:))

    fileprivate static func answerOfAPNs(status: UInt16, reason: String) -> Explanation? {
        let title = reason.isEmpty ? "\(status)" : "\(status) \(reason)"
        if let known = answersOfAPNs.first(where: { $0.title == title }) { return known }
        let fallbacks = ResponseClass.fallbacks.filter { $0.statuses.contains(status) }
        // Without a reason the body was none of the provider's.
        let fallback = reason.isEmpty ? fallbacks.last : fallbacks.first
        return fallback.map(Explanation.init(_:))
    }

    private init(_ rule: ResponseRule) {
        let reason = "\(rule.reason)"
        let title = reason.isEmpty ? "\(rule.status)" : "\(rule.status) \(reason)"
        self.init(
            answer: rule.class, title: title,
            words: ["\(rule.status)", reason, title].filter { !$0.isEmpty },
            meaning: "\(rule.meaning)", advice: rule.advice)
    }

    private init(_ fallback: ResponseClass.Fallback) {
        self.init(
            answer: fallback.class,
            title: fallback.label
                + (fallback.bodyIsJSON ? ", any other reason" : ", a body that is not JSON"),
            words: fallback.statuses.map { "\($0)" }
                + (fallback.label.hasPrefix("5xx") ? ["5xx", fallback.label] : [fallback.label]),
            meaning: fallback.meaning, advice: fallback.class.advice(reason: ""))
    }

    /// Explains an answer of a provider's.
    init(answer: ResponseClass, title: String, words: [String], meaning: String, advice: String) {
        self.title = title
        self.words = words
        summary = meaning
        stopsJob = answer.job != .goOn
        var facts = [Fact("Meaning", "\(meaning)."), Fact("Outcome", "\(answer.outcome.name)")]
        facts.append(Fact("Retry", answer.retryText))
        let effects = answer.effects.joined(separator: ", ")
        if !effects.isEmpty { facts.append(Fact("Also", effects.escaping(["`": ""]))) }
        facts.append(Fact("To do", advice))
        self.facts = facts
    }
}

// MARK: Outcomes, and rows without an answer

extension Explanation {
    private init(_ outcome: Outcome) {
        title = "\(outcome.name)"
        words = [title]
        summary = outcome.meaning
        facts = [
            Fact("Meaning", "an outcome: \(outcome.meaning)."), Fact("To do", outcome.advice),
        ]
    }

    private init(ending name: String, _ ending: AttemptCause, meaning: String? = nil) {
        title = name
        words = [name]
        summary = meaning ?? ending.meaning
        let isSafe = ending.proof == .unprocessed
        // Several endings share some reasons, and the part of the request that had left decides.
        let mayBeSafe = AttemptCause.allCases.contains {
            "\($0.reason)" == name && $0.proof == .unprocessed
        }
        facts = [
            Fact(
                "Meaning", meaning.map { "\($0)." } ?? "\(ending.meaning): \(ending.explanation)."),
            Fact(
                "Outcome",
                isSafe
                    ? "failed"
                    : mayBeSafe ? "unknown, or failed if it had provably not left" : "unknown"),
            Fact(
                "Retry",
                isSafe
                    ? "at once, without counting an attempt"
                    : "no; with --delivery at-least-once it is sent again, and may arrive twice"),
            Fact("To do", isSafe ? Outcome.failed.advice : Outcome.unknown.advice),
        ]
    }

    /// One for each reason that a report has for a request without an answer.
    private static let endings: [Explanation] = {
        let shown: [AttemptCause] = [
            .refusedStream, .aboveGoAway, .lostAfter, .late, .silent, .reset, .malformed, .aborted,
        ]
        let interrupted = Explanation(
            ending: "interrupted", .aborted,
            meaning: "in flight when an earlier run of the job ended, without a known answer")
        return shown.map { Explanation(ending: "\($0.reason)", $0) } + [interrupted]
    }()

    /// The peer's codes that a report names; see `AttemptCause.reset`.
    private static let codes = (0..<14).map { HTTP2ErrorCode(rawValue: $0) }
        .filter { $0 != .refusedStream }
        .map { Explanation(ending: "\($0.name)", .reset) }

    private static let problems = RowProblem.allCases.map { problem in
        problem == .hostGivenUp
            ? hostGivenUp
            : Explanation(local: "\(problem.text)", problem.outcome, advice: problem.advice)
    }

    /// The explanation of rows that name a host which takes nothing.
    private static let hostGivenUp = Explanation(
        title: "\(RowProblem.hostGivenUp.text)", words: ["\(RowProblem.hostGivenUp.text)"],
        summary: "never sent: the host that the row names takes nothing",
        facts: [
            Fact(
                "Meaning",
                "The host could not be reached, gave no answer for a while, or answered another row with "
                    + "something that is true of all; behind a colon the report has the cause. If it asks "
                    + "for a longer wait than hosts get, the row is throttled."),
            Fact("Outcome", "failed"),
            Fact("Retry", "no; other hosts' rows go on"),
            Fact(
                "To do",
                "Send the row again when the host is back: --retry-rows FILE collects such rows. An address "
                    + "in a private network is asked only with --allow-private-hosts."),
        ])

    /// The explanation of `valid`, which `check` reports for a row that could be sent.
    private static let valid = Explanation(
        title: "valid", words: ["valid"], summary: "the row could be sent",
        facts: [
            Fact(
                "Meaning",
                "fanfare check has found nothing wrong with the row; behind a status of 200 FCM has "
                    + "not either."),
            Fact("Outcome", "skipped"), Fact("To do", "Nothing."),
        ])

    /// The explanations of malformed lines; some of the codes have the same text.
    private static let faults: [Explanation] = {
        var found: [Explanation] = []
        for code in RowFault.Code.allCases where code != .none {
            let text = "\(RowFault(code).text)"
            if !found.contains(where: { $0.title == text }) {
                let advice = code == .invalidJSON ? invalidJSON : nil
                found.append(Explanation(local: text, .invalid, advice: advice))
            }
        }
        return found
    }()

    private static let invalidJSON =
        "Correct the line: each is one whole object by RFC 8259. Half of a character, such as \\ud83d "
        + "without the \\ude00 behind it, is none: the program that wrote it has cut a text in the "
        + "middle of an emoji."

    /// The codes with which the command ends.
    private static let exitCodes = ExitStatus.allCases.map { status in
        let code = "\(status.rawValue)"
        return Explanation(
            title: "exit \(code)",
            words: ["exit \(code)", "exit code \(code)", "exit status \(code)", code],
            summary: status.meaning,
            facts: [
                Fact("Meaning", "an exit code: \(status.meaning)."), Fact("To do", status.advice),
            ])
    }

    private init(local text: String, _ outcome: Outcome, advice: String? = nil) {
        title = text
        words = [text]
        summary = "never sent: \(outcome == .invalid ? "a local check" : "no longer wanted")"
        facts = [
            Fact("Meaning", "\(text); found before anything was sent."),
            Fact("Outcome", "\(outcome.name)"), Fact("Retry", "no"),
            Fact("To do", advice ?? outcome.advice),
        ]
    }
}
