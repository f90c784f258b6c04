package import FanfareBase
package import FanfareCore

extension ReportDigest {
    /// Returns the page about the job of these reports.
    /// - Parameters:
    ///   - hasCheckpoint: True if the job can be carried on.
    ///   - naming: The way in which settings are named.
    ///   - command: Makes the command that lists lines of these reports: those that a selection takes, with
    ///     some columns or, if none is named, with all.
    /// - Returns: The page; it has to be rendered.
    package func page(
        hasCheckpoint: Bool, naming: Naming = .members,
        command: (_ selection: String, _ columns: [String]) -> String
    ) -> JobPage {
        let names = files.prefix(10).map(\.name).joined(separator: ", ")
        let more = files.count > 10 ? ", and \(files.count - 10) more" : ""
        var lead = "No row of it was sent."
        if let sent {
            let from = TimestampWriter.shown(milliseconds: sent.lowerBound)
            lead = "First sent at \(from)"
            if let milliseconds = durationMilliseconds {
                lead += ", \(NumberText.duration(milliseconds: milliseconds)) to the last answer"
            }
            lead += "."
        }
        var page = JobPage(
            title: "Report \(names)\(more)", lead: lead, footer: "Made by fanfare.", tally: tally,
            latency: latency,
            rowCount: hasCheckpoint ? rows.highest : rows.count)
        if let sent, let ended { page.span = sent.lowerBound...max(ended, sent.lowerBound) }
        page.series = series
        page.groups = groups
        if hasCheckpoint {
            let advice: Statement =
                "The job is not finished. The command that began it carries it on, with "
                + "\(.resumes)."
            page.advice.append(.init(advice.text(naming)))
        }
        page.advice += advice(command)
        page.notes = notes
        if !hasCheckpoint, missingRows > 0 { page.notes.append(excludedNote.text(naming)) }
        return page
    }

    private func advice(_ command: (String, [String]) -> String) -> [JobPage.Advice] {
        var advice: [JobPage.Advice] = []
        if tally.count(.unregistered) > 0 {
            advice.append(
                .init(
                    "Dead tokens are to be deleted. As a list:",
                    command: command("outcome=unregistered", ["token", "unregistered_at"])))
        }
        if tally.indefinite > 0 {
            advice.append(
                .init(
                    "Rows that ended throttled, failed or unknown may be sent again. "
                        + (tally.unknownAdvice.map { $0 + " " } ?? "") + "Which they are:",
                    command: command("outcome=throttled,failed,unknown", [])))
        }
        if tally.count(.suspect) > 0 {
            advice.append(.init(Outcome.suspectAdvice))
        }
        return advice
    }

    private var excludedNote: Statement {
        "\(NumberText.grouped(missingRows)) rows up to the highest one have no line: "
            + "\(.rowConditions) has excluded them, or a report or its checkpoint is missing."
    }

    private var notes: [String] {
        var notes = files.compactMap { file in file.torn.map { "\(file.name): \($0)." } }
        if repeatedLines > 0 {
            notes.append(
                "\(NumberText.grouped(repeatedLines)) lines are for rows that have another one; "
                    + "all of them are counted.")
        }
        let timeless = tally.finished - (series?.total.outcomes.all ?? 0)
        if timeless > 0 {
            notes.append(
                "\(NumberText.grouped(timeless)) rows have no moment, mostly because they were "
                    + "not sent; they are in the totals, but not in what is drawn over time.")
        }
        notes.append(
            "A report knows the last attempt of each row: earlier ones are counted with it. How "
                + "many connections were open, what was in flight, and the settings are not in it.")
        return notes
    }
}
