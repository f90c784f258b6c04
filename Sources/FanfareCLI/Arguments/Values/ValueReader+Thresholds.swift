package import FanfareCore

extension ValueReader {
    /// Bounds on outcomes between commas, or `none` for no bounds.
    package static func thresholds(_ text: String) throws(ValueFault) -> [Threshold] {
        if text.trimmed == "none" { return [] }
        var thresholds: [Threshold] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let part = part.trimmed
            guard !part.isEmpty else {
                throw ValueFault(
                    text.trimmed.isEmpty ? "is empty" : "has an empty bound between its commas")
            }
            guard part != "none" else { throw ValueFault("has none, which stands alone") }
            thresholds.append(try threshold(part))
        }
        return thresholds
    }

    private static func threshold(_ text: String) throws(ValueFault) -> Threshold {
        do throws(Threshold.Fault) {
            return try Threshold(text)
        } catch {
            let names = Outcome.allCases.map { "\($0.name)" }
            let meant = error.unknownOutcome.flatMap {
                Suggestion.nearest(to: $0, among: names).first
            }
            throw ValueFault(
                error.problem,
                example: meant.map { meant in
                    let sign = text.firstIndex { Threshold.signs.contains($0) } ?? text.endIndex
                    return meant + text[sign...]
                })
        }
    }
}
