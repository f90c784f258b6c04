import FanfareBase
import FanfareCore

/// The rows that a run is told not to take.
extension PreparedJob {
    /// True if rows are left to a later run; known when all that are wanted were read.
    var leavesRows: Bool { selection?.leavesRows ?? false }

    /// True if no row was taken, though there were some.
    /// - Parameter tally: The counts of the whole job.
    /// - Returns: True if it chose none.
    func choseNone(_ tally: Tally) -> Bool {
        tally.rowsRead == 0 && selection?.passesOverRows == true
    }

    /// The rows that were not taken; `nil` if the run was to send to all rows.
    var leftOut: Summary.LeftOut? {
        guard let selection else { return nil }
        let choice = configuration.rows.choice
        return Summary.LeftOut(
            rows: selection.counts.left, excluded: selection.counts.excluded,
            endsEarly: selection.endsEarly, conditions: choice.conditions.map(\.description),
            sample: choice.sample?.description, limit: choice.limit.map { UInt64(max($0, 0)) })
    }

    /// Records which rows were left out, and what was odd about those that were read.
    func tellRows(in summary: inout Summary) {
        summary.leftOut = leftOut
        summary.tokensCleaned = source.cleanedCount
        summary.routeWords = wordCensus.words
    }

    /// Computes the share of the run's work that is done, from 0 to 1; `nil` if the inputs' length is unknown.
    /// - Parameter finished: The rows that have an outcome, those of earlier runs included.
    /// - Returns: The share.
    func inputShare(finished: UInt64) -> Double? {
        let share = source.meter.share(finished: finished + (selection?.leftOut ?? 0))
        guard let share,
            let limit = configuration.rows.choice.limit, limit > 0
        else { return share }
        return max(share, min(Double(finished) / Double(limit), 1))
    }

    /// A report is put in order when all rows have their lines, which a run that leaves some out does not see.
    /// - Throws: `FanfareError.Code.configuration` when one that can be carried on is to be in order.
    static func checkOrder(_ configuration: Configuration) throws(FanfareError) {
        guard configuration.report.isOrdered, configuration.rows.choice.isCanary else { return }
        throw FanfareError(
            .configuration,
            "\(.isOrdered) puts a report in order when all rows have their lines, and "
                + "\(.rowSample) and \(.rowLimit) leave some to a later run: give \(.isOrdered) to that one"
        )
    }
}

extension RowChoice {
    /// The columns that its conditions look at, each once.
    var columns: [String] { conditions.flatMap(\.columns).distinct }

    /// - Throws: `FanfareError.Code.configuration` for a limit that lets nothing through.
    func check() throws(FanfareError) {
        guard let limit, limit < 1 else { return }
        throw FanfareError(.configuration, "\(.rowLimit) of \(limit) leaves no row to send")
    }
}
