package import Fanfare
import FanfareBase
import FanfareCore

/// The two things that `--sample` of `check` asks for.
package enum CheckSample: Sendable, Equatable {
    /// The payloads of so many rows.
    case payloads(Int)
    /// A share of the rows.
    case rows(RowSample)
}

extension ValueReader {
    /// Reads a condition on rows: `platform=ios`.
    package static func condition(_ text: String) throws(ValueFault) -> RowCondition {
        _ = try filter(text)
        do throws(FanfareError) {
            return try RowCondition(text)
        } catch {
            throw ValueFault(error.message)
        }
    }

    /// A share of the rows: `1%`.
    package static func sample(_ text: String) throws(ValueFault) -> RowSample {
        if Int(text) != nil {
            throw ValueFault(
                "has no percent sign (--limit \(text) takes as many rows)", example: "1%")
        }
        let share = try percent(text)
        guard share > 0 else { throw ValueFault("is nothing") }
        guard share < 1 else { throw ValueFault("is all rows", example: "1%") }
        do throws(FanfareError) {
            return try RowSample(percent: share * 100)
        } catch {
            throw ValueFault(error.message)
        }
    }

    /// A number of rows to show, or a share of the rows.
    package static func checkSample(_ text: String) throws(ValueFault) -> CheckSample {
        guard text.hasSuffix("%") else {
            return .payloads(try count(text, in: 1...Limits.samplesMax))
        }
        return .rows(try sample(text))
    }
}
