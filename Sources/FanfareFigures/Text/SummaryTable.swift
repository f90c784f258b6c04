package import FanfareBase
package import FanfareCore

/// The table at the end of a job, for people: plain text of at most 80 columns.
///
/// ```
///  Finished in 3 min 12 s: 1,234,567 of 1,247,777 accepted; 13,210 dead tokens to delete
///
///    accepted            1,234,567    98.9 %
///    unregistered           13,210     1.1 %
///                           13,000    410 Unregistered
/// ```
package struct SummaryTable {
    private let summary: Summary
    private let usesColor: Bool
    private let naming: Naming
    private let isDetailed: Bool

    /// Prepares the table.
    /// - Parameters:
    ///   - summary: The summary to show.
    ///   - usesColor: True if it uses ANSI colors; the caller knows about terminals and `NO_COLOR`.
    ///   - naming: The way in which settings are named.
    ///   - isDetailed: True if it tells what the engine did, too.
    package init(
        _ summary: Summary, usesColor: Bool = false, naming: Naming = .members,
        isDetailed: Bool = false
    ) {
        self.summary = summary
        self.usesColor = usesColor
        self.naming = naming
        self.isDetailed = isDetailed
    }

    /// Returns the whole table, each line with its end.
    package func render() -> String {
        var lines = [summary.name.map { styled(PlainText.printable($0), .bold) }, headline, ""]
            .compactMap(\.self)
        lines += outcomeLines
        if let variants = summary.variants, summary.tally.finished > 0 {
            lines += [""] + variants.lines(usesColor: usesColor)
        }
        let figures = figureLines
        if !figures.isEmpty { lines += [""] + figures }
        let advice = adviceLines
        if !advice.isEmpty { lines += [""] + advice }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The first sentences of the table on one line, for a reader who has room for no more.
    package var verdict: String {
        headlines.map { $0.escaping(["\n": " "]) }.joined(separator: "; ")
    }

    private var headline: String { headlines.joined(separator: "\n") }

    private var headlines: [String] {
        let duration = NumberText.duration(milliseconds: summary.durationMilliseconds)
        if let stop = summary.stop {
            // Never cut: the end of a reason is often the reason.
            let text = PlainText.wrapped(
                "Stopped after \(duration): \(PlainText.printable(stop.statement.text(naming)))",
                PlainText.width)
            let counts = sentence.map { PlainText.wrapped($0, PlainText.width) }
            return [styled(text, .bold, .red), counts].compactMap(\.self)
        }
        if summary.choseNone, let left = summary.leftOut {
            let text =
                "Finished in \(duration), but no row was chosen: \(left.shortParts.joined(separator: " and ")) by "
                + PlainText.printable(left.choice)
            return [styled(PlainText.wrapped(text, PlainText.width), .bold, .red)]
        }
        guard summary.tally.isInVain else {
            let text = ["Finished in \(duration)", sentence].compactMap(\.self)
            return [
                styled(PlainText.wrapped(text.joined(separator: ": "), PlainText.width), .bold)
            ]
        }
        let isCheck = summary.rehearsal != nil || summary.onlyChecks
        let word = isCheck ? "could be sent" : "was accepted"
        return [styled("Finished in \(duration), but no row \(word)", .bold, .red)]
    }

    /// The outcomes of the rows, with the open ones first; nil if no row was read.
    private var sentence: String? {
        let tally = summary.tally
        let waiting = summary.waiting.map(\.rows) ?? 0
        let waitingWords = waiting == 1 ? "waits for its hour" : "wait for their hours"
        guard tally.rowsRead > 0 else {
            return waiting == 0 ? nil : "\(Self.rows(waiting)) \(waitingWords)"
        }
        let isCheck = summary.rehearsal != nil || summary.onlyChecks
        let all = NumberText.grouped(tally.rowsRead)
        var parts = [
            "\(NumberText.grouped(tally.good)) of \(all) \(isCheck ? "valid" : "accepted")"
        ]
        func add(_ count: UInt64, _ words: String) {
            if count > 0 { parts.append("\(NumberText.grouped(count)) \(words)") }
        }
        let dead = tally.count(.unregistered)
        let words = dead == 1 ? "dead token to delete" : "dead tokens to delete"
        add(dead, summary.doubtsDeadTokens ? "\(Outcome.unregistered.name)" : words)
        add(tally.toSendAgain, "to send again")
        add(tally.writtenOff, "written off for other workers")
        for outcome in [Outcome.suspect, .rejected, .invalid] {
            add(tally.count(outcome), "\(outcome.name)")
        }
        add(tally.count(.skipped) - tally.valid, "skipped")
        add(waiting, waitingWords)
        parts += summary.leftOut?.shortParts ?? []
        return parts.joined(separator: "; ")
    }

    private var outcomeLines: [String] {
        let tally = summary.tally
        var lines = PlainText.lines(of: tally, usesColor: usesColor)
        lines.append(PlainText.line("rows read", count: tally.rowsRead))
        if tally.finished < tally.rowsRead {
            lines.append(PlainText.line("not finished", count: tally.rowsRead - tally.finished))
        }
        if let left = summary.leftOut {
            lines.append(PlainText.line("chosen", PlainText.printable(left.choice)))
            if left.excluded > 0 { lines.append(PlainText.line("excluded", count: left.excluded)) }
            if left.isAny { lines.append(PlainText.line("left out", left.text)) }
        }
        if let waiting = summary.waiting {
            let opens = waiting.opensMilliseconds.map {
                ", the first until \(TimestampWriter.string(milliseconds: $0))"
            }
            lines.append(
                PlainText.line("waiting", count: waiting.rows) + (opens ?? ""))
        }
        if summary.earlier.rows > 0 {
            lines.append(PlainText.line("done before", count: summary.earlier.rows))
        }
        return lines
    }

    private var figureLines: [String] {
        var lines: [String] = []
        func add(_ name: String, _ value: String) { lines.append(PlainText.line(name, value)) }
        if isDetailed { addEngine(add) }
        // The environment may have named it.
        if summary.tally.attempts > 0, let proxy = summary.proxy {
            add("proxy", PlainText.printable(proxy))
        }
        for route in summary.routes { add(route.name, text(of: route)) }
        if let rest = summary.ofNoRoute { add("no provider", Self.rows(rest.finished)) }
        if let path = summary.reportPath {
            let parts = summary.reportParts ?? 1
            add(
                "report",
                PlainText.printable(path) + (parts > 1 ? ", the first of \(parts) parts" : ""))
        }
        return lines
    }

    /// Adds the figures of the engine, and the limits that held it.
    private func addEngine(_ add: (String, String) -> Void) {
        let tally = summary.tally
        if tally.attempts > 0 {
            let rate = UInt64(max(summary.requestsPerSecond, 0).rounded())
            add(
                "attempts",
                "\(NumberText.grouped(tally.attempts)), \(NumberText.grouped(rate)) a second")
            add("retries", NumberText.grouped(tally.retries))
            if let late = summary.lateStarts { add("late starts", NumberText.grouped(late)) }
            add("connections", connections)
            let limits = Self.text(of: summary.limits)
            // The mean over several providers says nothing of any.
            if !limits.isEmpty, summary.routes.isEmpty { add("limited by", limits) }
            add("sent", NumberText.byteCount(tally.bytesSent))
        }
        if summary.latency.count > 0 { add("latency", PlainText.line(of: summary.latency)) }
    }

    private var connections: String {
        let opened = NumberText.grouped(summary.tally.connectionsOpened)
        guard let chosen = summary.chosen, let cause = chosen.cause else { return opened }
        return "\(opened), \(chosen.count) wanted: \(cause.text) held the first"
    }

    /// Returns the three limits that took most of the time, and none below a hundredth.
    private static func text(of limits: LimitTimes) -> String {
        let total = limits.total
        return limits.ranked.prefix(3)
            .filter { $0.nanoseconds >= total / 100 }
            .map { "\($0.limitation.text) \(percent($0.nanoseconds, of: total))" }
            .joined(separator: ", ")
    }

    /// Returns the line of one provider of several.
    private func text(of route: Summary.Route) -> String {
        let (good, rows) = (route.tally.good, route.tally.finished)
        guard rows > 0 else { return "0 rows" }
        var text =
            "\(Self.rows(rows)), \(NumberText.share(good, of: rows)) "
            + (summary.onlyChecks ? "valid" : "accepted")
        if let first = route.limits.ranked.first, first.nanoseconds > 0 {
            text += ", limited by \(first.limitation.text)"
        }
        return text
    }

    private static func rows(_ count: UInt64) -> String {
        "\(NumberText.grouped(count)) row" + (count == 1 ? "" : "s")
    }

    private static func percent(_ part: Int64, of whole: Int64) -> String {
        "\(Int((Double(part) * 100 / Double(whole)).rounded())) %"
    }

    /// The next things to do.
    ///
    /// The table does not cut paths and commands, so that they can be copied.
    private var adviceLines: [String] {
        let tally = summary.tally
        var lines: [String] = []
        for threshold in summary.thresholdsCrossed {
            let count = NumberText.grouped(tally.count(threshold.outcome))
            let base = NumberText.grouped(threshold.base(of: tally.judged))
            let crossed: Statement = "\(.failIf) \(threshold), by \(count) of \(base) rows"
            lines.append(styled("Crossed: \(crossed.text(naming))", .red))
        }
        if let command = summary.resumeCommand {
            lines.append(summary.resumeSentence)
            lines.append("  " + styled(PlainText.printable(command), .bold))
        }
        if summary.leavesNothing {
            lines.append(
                "No row has an outcome and no report is left: the same command begins anew.")
        }
        for provider in summary.unasked {
            lines.append(
                "Rows for \(provider.rawValue) were checked here only: \(provider.title) cannot be asked."
            )
        }
        if let hours = summary.hours, tally.isClosedOut || summary.waiting != nil {
            let opens = hours.opens.map { "; they open again \($0)" } ?? ""
            lines.append("The hours are \(PlainText.printable(hours.text))\(opens).")
        }
        if summary.doubtsDeadTokens {
            lines.append(Summary.deadTokensDoubt)
        } else if tally.count(.unregistered) > 0, let path = summary.unregisteredPath {
            lines.append("Tokens to delete: \(PlainText.printable(path))")
        }
        if let advice = tally.writtenOffAdvice {
            lines.append(PlainText.wrapped(advice, PlainText.width))
        }
        if tally.toSendAgain > 0, let path = summary.retryRowsPath {
            lines.append("Rows to send again: \(PlainText.printable(path))")
            if let advice = tally.ownUnknownAdvice { lines.append(advice) }
            if let command = summary.retryCommand {
                lines.append("To send them:")
                lines.append("  " + styled(PlainText.printable(command), .bold))
            }
        }
        if tally.count(.suspect) > 0 {
            lines.append(PlainText.wrapped(Outcome.suspectAdvice, PlainText.width))
        }
        if summary.exitStatus == .bug, let violation = tally.identityViolation(),
            summary.stop == nil
        {
            lines.append("This is a bug in fanfare, please report it: \(violation)")
        }
        return lines
    }

    private func styled(_ text: String, _ styles: PlainText.Style...) -> String {
        PlainText.styled(text, styles, usesColor: usesColor)
    }
}
