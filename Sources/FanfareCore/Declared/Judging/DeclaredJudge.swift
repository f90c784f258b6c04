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
        // One row cannot be halved.
        judgement.splits = verdict.splits && count > 1
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
        return whole
    }

    /// Returns the verdict on an answer as a whole.
    private func verdict(on reply: DeclaredReply) -> DeclaredVerdict {
        for rule in answer.rules where rule.fits(reply.status, reply.body) { return rule.verdict }
        return DeclaredVerdict.usual(
            status: reply.status, isReadable: reply.body != nil || !answer.readsBodies)
            ?? answer.otherwise
    }

    /// Returns the text or number that a pointer leads to, as it may be shown; empty without.
    static func words(_ pointer: JSONPointer, _ body: PlacedJSON?) -> String {
        let word = body.flatMap { pointer.find(in: $0) }?.word ?? ""
        return DeclaredVerdict.shown(word)
    }
}

extension DeclaredJudgement {
    /// Returns the same verdict for all rows of a request.
    ///
    /// If there are several, the verdict does not speak of each one: its reason is marked, and it
    /// calls no token dead.
    static func shared(_ whole: Row, count: Int) -> DeclaredJudgement {
        var row = whole
        if count > 1 {
            row.reason = whole.reason.isEmpty ? "shared" : "shared: \(whole.reason)"
            if row.class.outcome == .unregistered { row.class.outcome = .suspect }
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
    ///   - isReadable: True if the body is JSON, or no rule asks for JSON.
    /// - Returns: The verdict; nil if the description's `otherwise` counts.
    package static func usual(status: UInt16, isReadable: Bool) -> DeclaredVerdict? {
        switch status {
        case 200...299 where !isReadable: DeclaredVerdict(ResponseClass(.unknown, retry: .inDoubt))
        case 300...399:
            DeclaredVerdict(ResponseClass(.failed, retry: .afterDelay, job: .stopAtStart))
        case 408: DeclaredVerdict(ResponseClass(.failed, retry: .afterDelay))
        case 421:
            DeclaredVerdict(ResponseClass(.failed, retry: .elsewhereAtOnce, connection: .retire))
        case 429: DeclaredVerdict(ResponseClass(.throttled, retry: .afterDelay))
        case 500...: DeclaredVerdict(ResponseClass(.unknown, retry: .inDoubt))
        case 400...499 where !isReadable:
            DeclaredVerdict(ResponseClass(.failed, retry: .afterDelay, job: .stopAtStart))
        default: nil
        }
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
        return test?.holds(in: body) ?? true
    }
}

extension DeclaredTest {
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
