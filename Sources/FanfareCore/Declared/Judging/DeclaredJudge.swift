import FanfareBase

/// The judge of answers by the rules of a description: it has a verdict on every possible answer.
package struct DeclaredJudge: Sendable {
    private let answer: DeclaredAnswer

    package init(_ answer: DeclaredAnswer) {
        self.answer = answer
    }

    /// Judges an answer.
    /// - Parameters:
    ///   - reply: The answer.
    ///   - tokens: The tokens of the request's rows, in their order; one at least.
    /// - Returns: A verdict for each of them.
    package func judge(_ reply: DeclaredReply, tokens: [[UInt8]]) -> DeclaredJudgement {
        judge(reply, count: tokens.count) { tokens }
    }

    /// Judges an answer without a look at tokens, where it says the same of all rows.
    /// - Parameters:
    ///   - reply: The answer.
    ///   - count: The number of rows of the request.
    ///   - tokens: Returns the tokens of the rows, in their order.
    /// - Returns: A verdict for each of them.
    package func judge(
        _ reply: DeclaredReply, count: Int, tokens: @escaping () -> [[UInt8]]
    ) -> DeclaredJudgement {
        let verdict = verdict(on: reply)
        let whole = whole(verdict, reply)
        if verdict.class.outcome == .accepted {
            return DeclaredRowsJudge(
                body: reply.body, count: count, tokens: tokens, whole: whole
            ).judge(answer.rows)
        }
        var judgement = DeclaredJudgement.shared(whole, count: count)
        // One row cannot be halved. One bad row may be why the others were refused.
        judgement.splits = count > 1 && (verdict.splits ?? whole.class.isRefusal)
        return judgement
    }

    /// Judges the answer to a request of one row.
    /// - Parameter reply: The answer.
    /// - Returns: The verdict; nil if a part of the answer has to tell it.
    package func judgeAsWhole(_ reply: DeclaredReply) -> DeclaredJudgement.Row? {
        let verdict = verdict(on: reply)
        if verdict.class.outcome == .accepted {
            guard case .batch = answer.rows else { return nil }
        }
        return whole(verdict, reply)
    }

    private func whole(
        _ verdict: DeclaredVerdict, _ reply: DeclaredReply
    ) -> DeclaredJudgement.Row {
        var whole = verdict.row(reply.body)
        if let pointer = answer.id { whole.id = Self.words(pointer, reply.body) }
        // The same for one row as for many: all tokens of a request are dead together where the app is the
        // wrong one, and refused together where the request is.
        if answer.isOfSeveral, whole.class.outcome == .unregistered {
            whole.class.outcome = .suspect
        }
        if answer.isOfOneService, whole.class.isRefusal { whole.class.job = .stopAtStart }
        return whole
    }

    /// Returns the verdict on an answer as a whole.
    private func verdict(on reply: DeclaredReply) -> DeclaredVerdict {
        let isPage = reply.isPage && answer.form == .json && answer.usesBodies
        if let rule = answer.rules.first(where: { $0.fits(reply.status, reply.body) }) {
            if rule.verdict.class.outcome == .accepted {
                guard let flaw = flaw(ofSuccess: reply, by: rule) else { return rule.verdict }
                return .unclear(flaw)
            }
            guard isPage, rule.verdict.class.outcome.isOfRow else { return rule.verdict }
        }
        return DeclaredVerdict.usual(
            status: reply.status, hasJSON: reply.body != nil,
            isForeign: isPage || reply.body == nil && answer.readsBodies)
            ?? answer.otherwise
    }

    /// Returns the part of the service's form that an answer lacks which a rule takes for success; nil if it
    /// lacks nothing.
    private func flaw(ofSuccess reply: DeclaredReply, by rule: DeclaredRule) -> String? {
        guard answer.form == .json, answer.usesBodies else { return nil }
        guard let body = reply.body else {
            if case .batch = answer.rows, answer.id == nil, !reply.isPage { return nil }
            return Self.notJSON
        }
        // A thing that the rule has found in it is proof enough.
        guard !rule.tests.contains(where: \.findsSomething), let id = answer.id else { return nil }
        guard let value = id.find(in: body), !value.isNull else {
            return "the answer has no \(id.text)"
        }
        return nil
    }

    static let notJSON = "the answer is not JSON, or not whole"

    /// Returns the text or number that a pointer leads to, as it may be shown; empty without.
    static func words(_ pointer: JSONPointer, _ body: PlacedJSON?) -> String {
        let word = body.flatMap { pointer.find(in: $0) }?.word ?? ""
        return DeclaredVerdict.shown(word)
    }
}

extension DeclaredJudgement {
    /// Returns the same verdict for all rows of a request.
    ///
    /// If there are several, the verdict does not speak of each one, and its reason is marked.
    static func shared(_ whole: Row, count: Int) -> DeclaredJudgement {
        var row = whole
        if count > 1 {
            row.reason = whole.reason.isEmpty ? "shared" : "shared: \(whole.reason)"
        }
        return DeclaredJudgement(rows: Array(repeating: row, count: count))
    }
}

extension DeclaredVerdict {
    /// Returns the verdict on an answer that no rule of a description is about, and for which the
    /// description's `otherwise` does not count.
    ///
    /// An answer without a readable body comes from something in between: it says nothing of a row.
    /// A server that failed, or that sent half of an answer, may have done its work.
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - hasJSON: True if the body is JSON, and anything in it counts.
    ///   - isForeign: True if the body is none of the service's.
    /// - Returns: The verdict; nil if the description's `otherwise` counts.
    package static func usual(status: UInt16, hasJSON: Bool, isForeign: Bool) -> DeclaredVerdict? {
        switch status {
        // Nothing has refused the row.
        case 200...299 where !hasJSON: unclear(isForeign ? DeclaredJudge.notJSON : nil)
        case 300...399:
            DeclaredVerdict(ResponseClass(.failed, retry: .afterDelay, job: .stopAtStart))
        case 408: DeclaredVerdict(ResponseClass(.failed, retry: .afterDelay))
        case 421:
            DeclaredVerdict(ResponseClass(.failed, retry: .elsewhereAtOnce, connection: .retire))
        case 429: DeclaredVerdict(ResponseClass(.throttled, retry: .afterDelay))
        case 500...: DeclaredVerdict(ResponseClass(.unknown, retry: .inDoubt))
        case 400...499 where isForeign:
            DeclaredVerdict(ResponseClass(.failed, retry: .afterDelay, job: .stopAtStart))
        default: nil
        }
    }

    /// Returns the verdict on a success that is not in the service's form: a page of a portal or a proxy, say.
    static func unclear(_ reason: String?) -> DeclaredVerdict {
        var verdict = DeclaredVerdict(.foreignSuccess)
        verdict.reason = reason.map { .text($0) }
        return verdict
    }

    /// Returns its meaning for a row.
    /// - Parameter value: The answer, or the row's part of it.
    /// - Returns: Class and reason.
    func row(_ value: PlacedJSON?) -> DeclaredJudgement.Row {
        var row = DeclaredJudgement.Row(self.class)
        switch reason {
        case .text(let text): row.reason = text
        case .pointer(let pointer): row.reason = DeclaredJudge.words(pointer, value)
        case nil: break
        }
        row.wait = wait?.wait(in: value)
        return row
    }

    /// Returns a service's words as they may stand in a report.
    ///
    /// They have U+FFFD in place of control characters and line breaks, and are cut off at a
    /// character.
    static func shown(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        if isPlain, text.utf8.count <= Limits.reasonBytesMax { return text }
        return TerminalText.reported(text, bytesMax: Limits.reasonBytesMax)
    }
}

extension DeclaredRule {
    /// True if the rule is about an answer, or about a row's part of one.
    /// - Parameters:
    ///   - status: The status of the answer; 0 for a part, of which no rule asks for one.
    ///   - body: The body; nil if there is none that can be read.
    /// - Returns: True if all its conditions hold.
    func fits(_ status: UInt16, _ body: PlacedJSON?) -> Bool {
        guard statuses.isEmpty || statuses.contains(where: { $0.contains(status) }) else {
            return false
        }
        return tests.allSatisfy { $0.holds(in: body) }
    }
}

extension ResponseClass {
    /// True if it is the end of a row that goes on with others.
    fileprivate var isRefusal: Bool { outcome == .rejected && retry == .never && job != .stop }
}

extension Outcome {
    /// True if it says what a row's token or message is worth, and so has to be the service's own word.
    fileprivate var isOfRow: Bool {
        switch self {
        case .accepted, .unregistered, .suspect, .rejected: true
        case .throttled, .failed, .unknown, .invalid, .skipped: false
        }
    }
}

extension DeclaredTest {
    /// True if it holds only for a body that has something.
    fileprivate var findsSomething: Bool {
        if case .isPresent(false) = condition { false } else { true }
    }

    /// True if it holds; for arrays on the way, if it holds for one of their elements.
    func holds(in body: PlacedJSON?) -> Bool {
        guard case .isPresent(false) = condition else { return found(steps[...], in: body) }
        // A missing member is in none of the elements.
        return !found(steps[...], in: body)
    }

    private func found(_ steps: ArraySlice<Step>, in value: PlacedJSON?) -> Bool {
        guard let value else { return false }
        guard let step = steps.first else { return isMet(at.find(in: value)) }
        guard let elements = step.each.find(in: value)?.elements else { return false }
        return elements.contains { element in
            step.conditions.allSatisfy { at, expected in
                at.find(in: element)?.isSame(as: expected) == true
            } && found(steps.dropFirst(), in: element)
        }
    }

    private func isMet(_ value: PlacedJSON?) -> Bool {
        guard let value else { return false }
        switch condition {
        case .isOne(let values): return values.contains { $0.isSame(as: value) }
        case .isLike(let patterns):
            guard let word = value.word else { return false }
            return patterns.contains { $0.fits(word) }
        case .isPresent:
            if case .null = value.content { return false }
            return true
        }
    }
}
