package import FanfareCore

extension ValueReader {
    /// Bounds on outcomes between commas, or `none` for no bounds.
    package static func thresholds(_ text: String) throws(ValueFault) -> [Threshold] {
        try bounds(text) { text throws(ValueFault) in try threshold(text) }
    }

    /// Conditions on a load test between commas, or `none` for no conditions.
    package static func loadConditions(_ text: String) throws(ValueFault) -> [LoadCondition] {
        try bounds(text) { text throws(ValueFault) in try loadCondition(text) }
    }

    private static func bounds<Bound>(
        _ text: String, _ read: (String) throws(ValueFault) -> Bound
    ) throws(ValueFault) -> [Bound] {
        if text.trimmed == "none" { return [] }
        var bounds: [Bound] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let part = part.trimmed
            guard !part.isEmpty else {
                throw ValueFault(
                    text.trimmed.isEmpty ? "is empty" : "has an empty bound between its commas")
            }
            guard part != "none" else { throw ValueFault("has none, which stands alone") }
            bounds.append(try read(part))
        }
        return bounds
    }

    private static func threshold(_ text: String) throws(ValueFault) -> Threshold {
        do throws(Threshold.Fault) {
            return try Threshold(text)
        } catch {
            let names = Outcome.allCases.map { "\($0.name)" }
            throw ValueFault(
                error.problem,
                example: error.unknownOutcome.flatMap {
                    meant($0, among: names, in: text, Threshold.signs)
                })
        }
    }

    private static func loadCondition(_ text: String) throws(ValueFault) -> LoadCondition {
        do throws(LoadCondition.Fault) {
            return try LoadCondition(text)
        } catch {
            let names = LoadCondition.Figure.allCases.map(\.rawValue)
            throw ValueFault(
                error.problem,
                example: error.example
                    ?? error.unknownFigure.flatMap {
                        meant($0, among: names, in: text, LoadCondition.signs)
                    })
        }
    }

    /// Returns a bound with the name that was probably meant; `nil` if no name is near.
    private static func meant(
        _ name: String, among names: [String], in text: String, _ signs: [Character]
    ) -> String? {
        let sign = text.firstIndex { signs.contains($0) } ?? text.endIndex
        return Suggestion.nearest(to: name, among: names).first.map { $0 + text[sign...] }
    }
}

extension ParsedArguments {
    /// The bounds of all values of an option; nil if it was not given.
    ///
    /// `none` stands for no bounds, and alone.
    func bounds<Bound>(_ option: Option<[[Bound]]>) throws(CommandError) -> [Bound]? {
        let bounds = self[option]
        guard bounds.count < 2 || !bounds.contains(where: \.isEmpty) else {
            throw fault(option, "none stands alone")
        }
        return bounds.isEmpty ? nil : bounds.flatMap(\.self)
    }
}
