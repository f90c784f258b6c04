import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareJSON

/// The page about a check.
extension Rehearsal {
    /// Collects the findings for the page, if it is wanted.
    /// - Parameters:
    ///   - summary: The summary.
    ///   - samples: The payloads of the first rows that could be sent.
    ///   - rowWarnings: The mistakes in payloads that rows bring, in sentences.
    /// - Returns: The page; `nil` if none is wanted.
    func page(
        _ summary: Summary, samples: [RehearsalFigures.Sample], _ rowWarnings: [String]
    ) -> JobPage? {
        guard plan.configuration.report.keepsSeries, let result = summary.rehearsal else {
            return nil
        }
        let inputs = result.inputs.prefix(3).joined(separator: ", ")
        let more = result.inputs.count > 3 ? " and \(result.inputs.count - 3) more" : ""
        let time = TimestampWriter.shown(milliseconds: summary.startMilliseconds)
        var page = JobPage(
            title: summary.name ?? "Check of \(inputs)\(more)",
            lead: "Checked \(time). Nothing was sent.", footer: "Made by fanfare.",
            tally: summary.tally, latency: LatencyHistogram(), rowCount: summary.tally.rowsRead)
        page.remark = summary.note
        page.stopMessage = summary.stop?.statement.text(plan.configuration.naming)
        page.settings = plan.configuration.shownSettings
        page.check = JobPage.Check(
            result, warnings: warnings + rowWarnings, previews: samples.compactMap(Self.preview))
        return page
    }

    private static func preview(
        _ sample: RehearsalFigures.Sample
    ) -> (place: RehearsalFigures.Place, message: MessagePreview)? {
        let payload = try? JSONValue.parse(Array(sample.payload.utf8))
        return payload.flatMap { MessagePreview.of($0) }.map { (sample.place, $0) }
    }
}
