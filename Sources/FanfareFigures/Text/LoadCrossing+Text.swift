package import FanfareBase
package import FanfareCore

/// A condition that held, for people.
extension LoadCrossing {
    /// Returns a line that says which condition held and what was measured, without its end.
    ///
    /// Its digits are those of the result's document.
    /// - Parameters:
    ///   - naming: The way in which settings are named.
    ///   - usesColor: True if the line uses ANSI colors.
    /// - Returns: The line.
    package func line(_ naming: Naming = .members, usesColor: Bool = false) -> String {
        let crossed: Statement = "\(.loadConditions) \(condition); \(finding)"
        return PlainText.styled("Crossed: \(crossed.text(naming))", [.red], usesColor: usesColor)
    }

    private var finding: String {
        switch measurement {
        case .none: return "not measured\(words), because \(reason)"
        case .time(let nanoseconds):
            return "measured \(Self.digits(Double(nanoseconds) / 1e6)) ms\(words)"
        case .errors(let errors, let due):
            let share = NumberText.share(errors, of: due)
            return "measured \(NumberText.grouped(errors)) of \(NumberText.grouped(due)) requests "
                + "(\(share))\(words)"
        case .rate(let rate, let wanted):
            if case .knee = place { return "the knee is at \(Self.digits(rate)) a second" }
            let share = condition.isShareOfRate ? wanted.map { Self.share(rate, of: $0) } : nil
            return "measured \(Self.digits(rate)) answers a second\(share ?? "")\(words)"
        case .regression(let change): return LoadComparison.text(of: change)
        }
    }

    private var words: String {
        switch place {
        case .whole: ""
        case .step(let step, let count, let rate):
            " in step \(step) of \(count)"
                + (rate.map { ", at \(NumberText.perSecond($0)) a second" } ?? "")
        case .knee(let rate): rate.map { " at the knee, \(Self.digits($0)) a second" } ?? ""
        }
    }

    private var reason: String {
        if condition.regressionMax != nil { return "there was nothing to compare" }
        if case .knee(nil) = place { return "no rate kept the bounds" }
        return "no answer came"
    }

    private static func share(_ rate: Double, of wanted: Double) -> String {
        " (\(digits(rate / wanted * 100)) % of \(digits(wanted)))"
    }

    /// Returns a number with up to three digits behind its point, as the document has them.
    private static func digits(_ number: Double) -> String {
        let text = String((number * 1000).rounded() / 1000)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
