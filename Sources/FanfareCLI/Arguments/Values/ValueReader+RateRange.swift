import FanfareBase

extension ValueReader {
    /// `5000/s`, or `1k..20k/s` with one time for both; a second where there is none.
    /// - Returns: Both ends, in requests a second; the same one twice for a single rate.
    package static func rateRange(
        _ text: String
    ) throws(ValueFault) -> (from: Double, to: Double) {
        guard let (first, second) = text.parts(at: "..") else {
            let rate = perSecond(try rate(text))
            return (rate, rate)
        }
        let time = second.parts(at: "/").map { $0.1 } ?? "s"
        do throws(ValueFault) {
            return (perSecond(try rate("\(first)/\(time)")), perSecond(try rate(second)))
        } catch {
            throw ValueFault(
                "has an end that \(error.problem)", example: "1k..20k/s")
        }
    }

    private static func perSecond(_ rate: RateText) -> Double {
        Double(rate.count) * 1e9 / Double(rate.nanoseconds)
    }

    /// A share between 0 and 1, from a number with a percent sign.
    package static func percent(_ text: String) throws(ValueFault) -> Double {
        var rest = text[...].utf8
        guard let number = DecimalText(&rest) else { throw ValueFault("is not a percentage") }
        let sign = String(Substring(rest)).trimmed
        guard sign == "%" else {
            throw ValueFault(
                sign.isEmpty ? "has no percent sign" : "is not a percentage",
                example: sign.isEmpty ? "\(text)%" : nil)
        }
        // A ten-thousandth of a percent is finer than anything that is measured.
        guard let millionths = number.multiplied(by: 10_000) else {
            throw ValueFault("has more than four digits behind its point")
        }
        guard millionths <= 1_000_000 else { throw ValueFault("is more than 100%") }
        return Double(millionths) / 1e6
    }

    /// The name and the value of a header field; a file's path as the value of `@`.
    package static func headerField(
        _ text: String
    ) throws(ValueFault) -> (name: String, value: String) {
        if text.hasPrefix("@") {
            guard text.count > 1 else { throw ValueFault("names no file") }
            return ("@", String(text.dropFirst()))
        }
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw ValueFault("has no name with a colon behind it")
        }
        let value = text[text.index(after: colon)...]
        return (String(text[..<colon]).trimmed, String(value).trimmed)
    }
}
