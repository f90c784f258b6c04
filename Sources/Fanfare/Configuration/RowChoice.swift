import FanfareBase
import FanfareCore

/// The choice of rows that a run sends to.
///
/// The conditions say which rows the job is for: each run of it has the same ones, and the job is finished when all rows that fit
/// have an outcome. The sample and the limit take some of those first; a later run that carries the job on sends to the others.
/// The rows of a seed list are sent in any case.
public struct RowChoice: Sendable, Equatable {
    /// The conditions, all of which a row has to fit; none for all rows.
    ///
    /// They must be the same when the job is carried on.
    public var conditions: [RowCondition] = []
    /// The share of the rows that is taken, by their tokens; `nil` for all.
    public var sample: RowSample?
    /// The number of rows that are taken, of those that fit and are in the sample; `nil` for all.
    ///
    /// They are the first ones of the inputs, whether an earlier run has sent them or not.
    public var limit: Int?

    /// All rows.
    public init() {}

    /// True if the choice leaves no row out.
    var isAll: Bool { conditions.isEmpty && !isCanary }

    /// True if the choice may leave rows to a later run.
    package var isCanary: Bool { sample != nil || limit != nil }
}

/// A condition on a row: `platform=ios`, `country=DE,AT`, `age>=18`, `last_seen<2026-01-01`.
public struct RowCondition: Sendable, Equatable, CustomStringConvertible {
    let filter: ReportFilter
    /// The condition as it was written.
    public let description: String

    /// Reads a condition.
    /// - Parameter text: A column, a sign and a value. Commas are alternatives, `!=` excludes, `*` stands for
    ///   any text, and `<`, `<=`, `>` and `>=` compare numbers and times.
    /// - Throws: `FanfareError.Code.configuration` when the text is none.
    public init(_ text: String) throws(FanfareError) {
        do throws(ReportFilter.Fault) {
            filter = try ReportFilter(text)
        } catch {
            throw FanfareError(.configuration, "'\(text)' \(error.problem)")
        }
        description = text
    }

    /// The columns that it looks at.
    var columns: [String] { filter.alternatives.map(\.column) }
}

/// A share of the rows, by their tokens: the same ones in every run with the same seed.
public struct RowSample: Sendable, Equatable, CustomStringConvertible {
    let millionths: UInt64
    /// Another seed draws other rows.
    public var seed: UInt64

    /// - Parameters:
    ///   - percent: The share in percent, more than 0 and less than 100, to four digits behind the point.
    ///   - seed: Another one draws other rows.
    /// - Throws: `FanfareError.Code.configuration` for another share.
    public init(percent: Double, seed: UInt64 = 0) throws(FanfareError) {
        let scaled = (percent * 10_000).rounded()
        guard scaled >= 1, scaled < 1_000_000 else {
            throw FanfareError(
                .configuration, "\(.rowSample): \(percent)% is not between 0% and 100%")
        }
        millionths = UInt64(scaled)
        self.seed = seed
    }

    /// The share, between 0 and 1.
    package var share: Double { Double(millionths) / 1e6 }

    /// The share as one would write it: `0.5%`.
    public var description: String {
        let (whole, rest) = (millionths / 10_000, millionths % 10_000)
        guard rest > 0 else { return "\(whole)%" }
        var fraction = String(String(10_000 + rest).dropFirst())
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(whole).\(fraction)%"
    }
}
