package import Fanfare
import FanfareBase
import FanfareFigures

/// A row's outcome for a person who waits for it, with its meaning and advice.
package struct OutcomeSentence {
    private let outcome: PushOutcome
    private let width: Int

    /// Prepares the sentence.
    /// - Parameters:
    ///   - outcome: A row's.
    ///   - terminal: The width of the terminal; nil for one that has none.
    package init(_ outcome: PushOutcome, terminal: Int? = nil) {
        self.outcome = outcome
        width = min(terminal ?? PlainText.width, PlainText.width)
    }

    /// The lines, each with its end.
    package var text: String {
        var text = "\(token): \(outcome.kind.rawValue)"
        if let answer { text += " (\(answer))" }
        if let latency = outcome.latency {
            text += " after \(NumberText.latency(nanoseconds: latency.wholeNanoseconds))"
        }
        if let meaning { text += ": \(meaning)" }
        text = PlainText.wrapped(text, width) + "\n"
        if outcome.kind != .accepted, let advice = fact("To do") {
            text += PlainText.wrapped("To do: \(advice)", width) + "\n"
        }
        if outcome.kind == .accepted, let id = outcome.messageID { text += "Its id is \(id).\n" }
        return text
    }

    /// As much of the token as tells one from another.
    private var token: String {
        outcome.token.count > 12 ? outcome.token.prefix(8) + "…" : outcome.token
    }

    /// The provider's words of refusal.
    private var answer: String? {
        guard outcome.kind != .accepted, let status = outcome.status else { return nil }
        return [String(status), outcome.reason].compactMap(\.self).joined(separator: " ")
    }

    /// The reason without the place in the input, which is no file of the user's here.
    private var reason: String {
        let reason = outcome.reason ?? ""
        guard reason.hasPrefix("line "), let end = reason.firstRange(of: ": ") else {
            return reason
        }
        let number = reason[..<end.lowerBound].dropFirst("line ".count)
        return number.allSatisfy(\.isNumber) ? String(reason[end.upperBound...]) : reason
    }

    /// The meaning of the answer, or the reason why there is none.
    private var meaning: String? {
        let isAnswered = outcome.kind == .accepted || outcome.status != nil
        guard isAnswered || reason.isEmpty else { return reason }
        let lead = "an outcome: "
        return fact("Meaning").map { $0.hasPrefix(lead) ? String($0.dropFirst(lead.count)) : $0 }
    }

    /// Returns a fact from `fanfare explain` about the outcome.
    private func fact(_ name: String) -> String? {
        explanation?.facts.first { $0.name == name }?.text
    }

    private var explanation: Explanation? {
        if outcome.kind != .accepted, let status = outcome.status {
            let found = Explanation.answers(
                status: UInt16(clamping: status), reason: reason,
                from: (outcome.provider ?? .apns).kind)
            if let first = found.first { return first }
        } else if outcome.kind != .accepted, let first = Explanation.find(reason).first {
            return first
        }
        return Explanation.find(outcome.kind.rawValue).first
    }
}
