package import FanfareBase
package import FanfareCore
import FanfareFigures

/// The result of a job.
public struct JobResult: Sendable {
    /// The figures and the facts of the job.
    package let summary: Summary
    /// Rows that have an outcome which could not be written to the report, as text such as `17-19, 23`;
    /// empty for none.
    public let unreportedRows: String
    /// The page about the job, if it was asked for.
    var page: JobPage?
    /// The error that ended the job early; `nil` if it came to its end, or the caller has stopped
    /// it.
    public let failure: FanfareError?
    /// True if a job with the same configuration and ``ReportOptions/resumes`` can send the
    /// remaining rows.
    public let isResumable: Bool
    /// The names of settings in its texts.
    let naming: Naming

    /// True if every row of the inputs has its outcome, but for those that ``RowChoice/conditions`` exclude.
    public var isComplete: Bool { summary.stop == nil && summary.leftOut?.isAny != true }

    /// The number of rows with an outcome; those of earlier runs of the job are counted as well.
    public func count(of kind: PushOutcome.Kind) -> UInt64 { summary.tally.count(kind.outcome) }

    /// The times when the rows of each time zone may be sent, as lines for people; empty unless
    /// requested.
    package internal(set) var windows: [String] = []

    /// The time when the last row would be sent at the rate, in the hours and before the end of a
    /// rehearsed job that has either, in UNIX seconds; `nil` if it is not known.
    package internal(set) var plannedEnd: Int64?

    /// The rows that would not be sent before their hours or the job end, by their time zones; in a job
    /// without hours the zone has no name.
    package internal(set) var plannedUnsent: [(zone: String, rows: UInt64)] = []

    /// The mistakes that a rehearsal has found in payloads that rows bring, in sentences.
    package internal(set) var rowWarnings: [String] = []

    /// The column whose values choose payloads, if one does.
    var payloadColumn: String?

    /// Advice about lists of tokens that the job has read.
    var listHints: [Statement] = []

    /// The job's ending, in a sentence.
    package var ending: String {
        guard let stop = stopMessage else {
            let (rows, accepted) = (summary.tally.finished, summary.tally.count(.accepted))
            return
                "Ended: \(NumberText.grouped(accepted)) of \(NumberText.grouped(rows)) rows were "
                + "accepted."
        }
        return "Stopped early: \(stop)"
    }

    /// The outcome of the job, in sentences on one line.
    package var verdict: String { SummaryTable(summary, naming: naming).verdict }

    /// The process's exit code, as the specification has it.
    package var exitCode: Int32 { summary.exitStatus.rawValue }

    /// The reason why the job stopped before its end, if it did.
    public var stopMessage: String? { summary.stop?.statement.text(naming) }

    /// The number of rows read, and, of a job that was stopped, taken up; each has its outcome.
    public var rowsRead: UInt64 { summary.tally.rowsRead }

    /// The number of rows by the name of their outcome.
    package var outcomes: [String: UInt64] {
        var counts: [String: UInt64] = [:]
        for outcome in Outcome.allCases {
            counts[outcome.name.description] = summary.tally.count(outcome)
        }
        return counts
    }

    private func count(_ reason: StaticString) -> UInt64 {
        summary.tally.reasons.filter { $0.reason == reason.description }
            .reduce(0) { $0 + $1.count }
    }

    /// The tokens of FCM in a job that sends to APNs alone.
    package var tokensOfFCM: UInt64 {
        let isMixed = !summary.routes.isEmpty || summary.rehearsal?.routes.isEmpty == false
        return isMixed ? 0 : count(RowProblem.tokenOfFCM.text)
    }

    /// Advice about rows that could not be sent, in whole sentences.
    package var hints: [Statement] {
        var hints: [Statement] = []
        let rounded = count(RowProblem.tokenRounded.text)
        if rounded > 0 {
            hints.append(
                "tokens that a spreadsheet has rounded to numbers like 1.2E+63: "
                    + "\(NumberText.grouped(rounded)). What they were is not in the file any more; "
                    + "export the rows again, and keep spreadsheets away from them")
        }
        if tokensOfFCM > 0 {
            hints.append(
                "tokens of FCM in a job to APNs: \(NumberText.grouped(tokensOfFCM)). "
                    + "\(.provider, option: "fcm", member: ".fcm") sends to them, and "
                    + "\(.provider, option: "apns,fcm", member: ".apns and .fcm") to both")
        }
        if summary.tokensCleaned > 0 {
            hints.append(
                "tokens that are written with blanks or in <…>: "
                    + "\(NumberText.grouped(summary.tokensCleaned)). They are sent and reported "
                    + "without them")
        }
        let undecodable = count(RowFault.Code.invalidUTF8.text)
        if undecodable > 0 {
            hints.append(
                "rows with bytes that do not fit their encoding: "
                    + "\(NumberText.grouped(undecodable)). \(.encoding) names another one, such "
                    + "as windows-1252")
        }
        hints += listHints
        if let column = payloadColumn, !unusedValues.isEmpty {
            let values = unusedValues.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
            let more = unusedValues.count > 3 ? " and \(unusedValues.count - 3) others" : ""
            hints.append(
                "\(.payloadColumn): no row has got the payload for \(values)\(more) of \(column)")
        }
        return hints
    }

    /// Records what the job has found out about its inputs and lists.
    mutating func tell(_ plan: PreparedJob) {
        payloadColumn = plan.configuration.choiceColumns.first
        listHints = plan.tokenFilter?.hints ?? []
        listHints += plan.wordCensus.hints(
            column: plan.providerColumn, providers: plan.routes.map(\.options.provider.rawValue))
    }

    /// The values of a column that payloads are for and that no row had, if all rows were read.
    private var unusedValues: [String] {
        guard isComplete, summary.tally.finished > 0 else { return [] }
        // The last resort may well be for no row.
        return (summary.variants?.groups ?? []).filter { $0.counts.all == 0 && $0.name != "*" }
            .map(\.name)
    }

    /// The summary as a JSON document with a versioned schema.
    public var summaryJSON: String { summary.json(naming: naming) }

    /// The share of each provider in the rows of a rehearsal that have one; empty for one provider.
    package var routeShares: [Double] {
        let rows = (summary.rehearsal?.figures.routes ?? []).map { $0.byWord + $0.byToken }
        let all = rows.reduce(0, +)
        return all == 0 ? [] : rows.map { Double($0) / Double(all) }
    }

    /// The page about the job as HTML in UTF-8, with nothing outside of it; empty unless
    /// `ReportOptions.keepsSeries` was set.
    public var html: [UInt8] { page?.render() ?? [] }

    /// The summary as a table for people.
    /// - Parameters:
    ///   - usesColor: Use ANSI colors.
    ///   - isDetailed: Include the engine's work.
    /// - Returns: The table, with a line end at its end.
    package func table(usesColor: Bool, isDetailed: Bool = false) -> String {
        let table = SummaryTable(
            summary, usesColor: usesColor, naming: naming, isDetailed: isDetailed
        ).render()
        guard let rehearsal = summary.rehearsal else { return table }
        let gap = table.hasSuffix("\n\n") ? "" : "\n"
        return table + gap + rehearsal.text(reasons: summary.tally.reasons, naming: naming)
    }
}
