import FanfareBase

/// A condition on the result of a load test that makes it a failure: `p99>250ms`, `errors>1%`,
/// `rate<95%`.
package struct LoadCondition: Equatable, Sendable {
    /// The figures that a condition can name; a raw value is the word for it.
    package enum Figure: String, CaseIterable, Sendable {
        case p50, p90, p99
        case p999 = "p99.9"
        case p9999 = "p99.99"
        case max, errors, rate, regression
    }

    /// The comparison of the figure with the amount.
    package enum Sign: String, CaseIterable, Sendable {
        case less = "<"
        case atMost = "<="
        case more = ">"
        case atLeast = ">="

        /// True if the comparison of two values holds.
        func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
            switch self {
            case .less: left < right
            case .atMost: left <= right
            case .more: left > right
            case .atLeast: left >= right
            }
        }
    }

    /// The amount that the figure is compared with.
    package enum Amount: Equatable, Sendable {
        /// Nanoseconds.
        case time(Int64)
        /// Millionths: of the requests due, of the rate asked for, or of an earlier figure.
        case share(UInt64)
        /// So many requests.
        case count(UInt64)
        /// So many answers a second.
        case rate(Double)
    }

    package let figure: Figure
    package let sign: Sign
    package let amount: Amount
    /// The amount as the user wrote it, without blanks.
    private let value: String

    /// True if it is about a share of the rate that was asked for.
    package var isShareOfRate: Bool {
        guard figure == .rate, case .share = amount else { return false }
        return true
    }

    /// The share by which a figure may be worse than before, from 0 to 1; `nil` for a condition on
    /// another figure.
    package var regressionMax: Double? {
        guard figure == .regression, case .share(let share) = amount else { return nil }
        return Double(share) / Double(BoundText.whole)
    }
}

// MARK: - Text

extension LoadCondition: CustomStringConvertible {
    /// The fault in the text of a condition, as a verb phrase that follows it.
    package struct Fault: Error, Equatable, Sendable {
        package let problem: String
        /// The word that is the name of no figure, if that is it.
        package let unknownFigure: String?
        /// A right condition; `nil` for any.
        package let example: String?

        init(_ problem: String, unknownFigure: String? = nil, example: String? = nil) {
            self.problem = problem
            self.unknownFigure = unknownFigure
            self.example = example
        }
    }

    /// The signs that can begin a comparison.
    ///
    /// A colon stands for `>`, which a shell takes for itself.
    package static let signs: [Character] = ["<", ">", ":"]

    /// Reads one condition: a figure's name, a sign, and an amount of the figure's kind.
    ///
    /// Blanks around the parts do not matter.
    /// - Parameter text: The condition.
    /// - Throws: `Fault`.
    package init(_ text: some StringProtocol) throws(Fault) {
        let text = String(text)
        guard let place = text.firstIndex(where: { Self.signs.contains($0) }) else {
            throw Self.wrongForm
        }
        var rest = text[text.index(after: place)...]
        let hasEqualsSign = rest.first == "=" && text[place] != ":"
        if hasEqualsSign { rest = rest.dropFirst() }
        guard !rest.contains(where: { Self.signs.contains($0) || $0 == "=" }) else {
            throw Self.wrongForm
        }
        sign =
            switch (text[place], hasEqualsSign) {
            case ("<", false): .less
            case ("<", true): .atMost
            case (_, false): .more
            case (_, true): .atLeast
            }
        let name = BoundText.trimmed(text[..<place])
        guard let figure = Figure(rawValue: name) else {
            let names = Figure.allCases.map(\.rawValue)
            throw Fault(
                "has no figure before its \(sign.rawValue); there are "
                    + names.dropLast().joined(separator: ", ") + " and " + (names.last ?? ""),
                unknownFigure: name)
        }
        self.figure = figure
        value = String(rest.filter { $0 != " " && $0 != "\t" })
        amount = try Self.amount(value, of: figure, sign)
        try Self.check(amount, of: figure, sign)
    }

    private static let wrongForm = Fault(
        "is not of the form FIGURE>VALUE, with < > <= or >= (in quotes, because a shell takes > for "
            + "itself; FIGURE:VALUE means FIGURE>VALUE)")

    private static func amount(
        _ text: String, of figure: Figure, _ sign: Sign
    ) throws(Fault) -> Amount {
        let behind = "behind its \(sign.rawValue)"
        let isShare = text.hasSuffix("%")
        switch figure {
        case .p50, .p90, .p99, .p999, .p9999, .max:
            return .time(try time(text, of: figure, sign))
        case .errors:
            if isShare { return .share(try share(text, behind)) }
            guard let count = BoundText.wholeNumber(text[...]) else {
                throw Fault(
                    "has no share in % or number of requests \(behind)", example: "errors>1%")
            }
            return .count(count)
        case .rate:
            if isShare { return .share(try share(text, behind)) }
            if text == "0" { return .rate(0) }
            guard let rate = try? RateText(text.contains("/") ? text : text + "/s") else {
                throw Fault(
                    "has no answers a second or share in % \(behind)", example: "rate<5000")
            }
            return .rate(Double(rate.count) * 1e9 / Double(rate.nanoseconds))
        case .regression:
            guard isShare else {
                throw Fault("has no share in % \(behind)", example: "regression>10%")
            }
            return .share(try share(text, behind))
        }
    }

    private static func time(
        _ text: String, of figure: Figure, _ sign: Sign
    ) throws(Fault) -> Int64 {
        let behind = "behind its \(sign.rawValue)"
        do throws(DurationText.Fault) {
            return try DurationText.read(text).wholeNanoseconds
        } catch {
            switch error {
            case .noNumber:
                throw Fault("has no duration \(behind)", example: "\(figure.rawValue)>250ms")
            case .noUnit:
                throw Fault(
                    "has a duration without a unit \(behind)",
                    example: "\(figure.rawValue)\(sign.rawValue)\(text)ms")
            case .unknownUnit:
                throw Fault(
                    "has a duration \(behind) whose unit is not ns, us, ms, s, m, h or d",
                    example: "\(figure.rawValue)>250ms")
            case .notWhole:
                throw Fault(
                    "has no whole number of nanoseconds below 292 years \(behind)",
                    example: "\(figure.rawValue)>250ms")
            }
        }
    }

    private static func share(_ text: String, _ behind: String) throws(Fault) -> UInt64 {
        do throws(BoundText.ShareFault) {
            return try BoundText.share(text)
        } catch {
            switch error {
            case .noShare: throw Fault("has no share \(behind)")
            case .tooManyDigits: throw Fault("has more than four digits behind the point")
            case .aboveWhole: throw Fault("has a share of more than 100% \(behind)")
            }
        }
    }

    /// Refuses conditions that would never hold: a gate that lets everything pass is a mistake.
    private static func check(
        _ amount: Amount, of figure: Figure, _ sign: Sign
    ) throws(Fault) {
        let isNothing =
            switch amount {
            case .time(let nanoseconds): nanoseconds == 0
            case .share(let share): share == 0
            case .count(let count): count == 0
            case .rate(let rate): rate == 0
            }
        if figure == .regression && sign != .more {
            throw Fault("has a regression without a >", example: "regression>10%")
        }
        if sign == .less && isNothing {
            throw Fault("can never hold: nothing is below zero")
        }
        if figure == .errors && sign == .more && amount == .share(BoundText.whole) {
            throw Fault("can never hold: the whole is 100%")
        }
    }

    /// The condition as one would write it.
    package var description: String { "\(figure.rawValue)\(sign.rawValue)\(value)" }
}
