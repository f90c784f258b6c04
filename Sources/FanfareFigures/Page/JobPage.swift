import FanfareBase
package import FanfareCore

/// The page about a job: from its own counts, or from the lines of its report.
///
/// A value: facts in, bytes out, no clock. Unknown figures are left out, with a word in `notes`.
package struct JobPage: Sendable {
    /// The reasons that a page lists.
    private static let shownReasonsMax = 40

    /// A task that is left to the reader, and the command that does it.
    package struct Advice: Sendable {
        package var text: String
        package var command: String?

        /// Makes advice about a task that is left.
        package init(_ text: String, command: String? = nil) {
            self.text = text
            self.command = command
        }
    }

    package var title: String
    package var lead: String
    package var footer: String
    /// The user's remark about the job, if there is one.
    package var remark: String?
    package var tally: Tally
    package var latency: LatencyHistogram
    /// UNIX time of the first and the last moment, in milliseconds.
    package var span: ClosedRange<Int64>?
    package var series: TimeSeries?
    /// Rows that are known of; those without an outcome among them.
    package var rowCount: UInt64
    /// The reason why the job stopped before its end, if it did.
    package var stopMessage: String?
    /// The connections that were opened; no report has this number or the next two.
    package var connectionsOpened: UInt64?
    package var bytesSent: UInt64?
    package var lateStarts: UInt64?
    /// The limits that kept the job from being faster, by name, and the time of each.
    package var limits: [(name: String, seconds: Double)] = []
    /// The providers, if there are several.
    package var routes: [Summary.Route] = []
    /// The rows that are for none of them.
    package var ofNoRoute: Tally?
    /// The outcomes by a value of each row, if they are counted.
    package var groups: OutcomeGroups?
    package var settings: [(name: String, value: String)] = []
    package var advice: [Advice] = []
    /// The findings of a check, if the page is about one.
    package var check: Check?
    /// The remarks that a reader of these numbers needs.
    package var notes: [String] = []

    /// Collects the parts that every page has.
    package init(
        title: String, lead: String, footer: String, tally: Tally, latency: LatencyHistogram,
        rowCount: UInt64
    ) {
        self.title = title
        self.lead = lead
        self.footer = footer
        self.tally = tally
        self.latency = latency
        self.rowCount = rowCount
    }

    /// Puts the page together.
    /// - Returns: The page in UTF-8.
    package func render() -> [UInt8] {
        let style = check == nil ? nil : PageStyle.phoneSheet
        return PageDocument(title: title, lead: lead, footer: footer, style: style).render {
            markup in
            if let remark { markup.element("p", .style("note"), text: remark) }
            if let stopMessage {
                markup.element("p", .style("alert"), text: "Stopped early: \(stopMessage)")
            }
            markup.figures(check.map(checkFigures) ?? figures)
            if let check { write(check, to: &markup) }
            writeAdvice(to: &markup)
            writeOutcomes(to: &markup)
            writeRoutes(to: &markup)
            writeGroups(to: &markup)
            writeTime(to: &markup)
            writeLatency(to: &markup)
            writeLimits(to: &markup)
            writeSettings(to: &markup)
            writeNotes(to: &markup)
        }
    }

    // MARK: Headline

    var seconds: Double { span.map { Double($0.upperBound - $0.lowerBound) / 1000 } ?? 0 }

    private var figures: [(name: String, value: String, note: String)] {
        var figures = [
            ("Rows", NumberText.grouped(rowCount), unfinished),
            (
                "Accepted", NumberText.grouped(tally.count(.accepted)),
                NumberText.share(tally.count(.accepted), of: tally.finished)
            ),
        ]
        let dead = tally.count(.unregistered)
        if dead > 0 {
            figures.append(
                (
                    "Dead tokens", NumberText.grouped(dead),
                    NumberText.share(dead, of: tally.finished)
                ))
        }
        if tally.indefinite > 0 {
            figures.append(
                (
                    "Undecided", NumberText.grouped(tally.indefinite),
                    "throttled, failed or unknown"
                ))
        }
        if let span {
            let milliseconds = span.upperBound - span.lowerBound
            figures.append(("Duration", NumberText.duration(milliseconds: milliseconds), ""))
            let sent = timedAttempts
            if milliseconds > 0, sent > 0 {
                figures.append(
                    ("Rate", PlotUnit.number(Double(sent) / seconds), "attempts a second"))
            }
        }
        if latency.count > 0 {
            figures.append(
                (
                    "Latency", NumberText.latency(nanoseconds: latency.percentile(50)),
                    "p50; p99 \(NumberText.latency(nanoseconds: latency.percentile(99)))"
                ))
        }
        if tally.retries > 0 {
            figures.append(
                (
                    "Retries", NumberText.grouped(tally.retries),
                    "of \(NumberText.grouped(tally.attempts)) attempts"
                ))
        }
        if let connectionsOpened {
            figures.append(("Connections", NumberText.grouped(connectionsOpened), "opened"))
        }
        if let bytesSent { figures.append(("Sent", NumberText.byteCount(bytesSent), "")) }
        if let lateStarts {
            figures.append(
                ("Late starts", NumberText.grouped(lateStarts), "permits of the pace unused"))
        }
        return figures
    }

    /// The attempts within the span: a job that was carried on has others before it.
    private var timedAttempts: UInt64 { series?.total.attempts ?? tally.attempts }

    private var unfinished: String {
        let left = rowCount - min(tally.finished, rowCount)
        return left == 0 ? "" : "\(NumberText.grouped(left)) without an outcome"
    }

    private func writeAdvice(to markup: inout Markup) {
        guard !advice.isEmpty else { return }
        markup.section("What is left to do") { markup in
            for advice in advice {
                markup.element("p", text: advice.text)
                if let command = advice.command { markup.command(command) }
            }
        }
    }

    // MARK: Outcomes

    private func writeOutcomes(to markup: inout Markup) {
        markup.section("Outcomes") { markup in
            ShareBars(
                caption: "Rows by outcome", columns: ("Outcome", "Rows", "Share"),
                items: outcomeItems, whole: Double(tally.finished)
            ).write(to: &markup)
        }
        let reasons = tally.reasons.filter { $0.outcome != .accepted && !$0.isValid }
            .sorted { $0.count > $1.count }
        guard !reasons.isEmpty else { return }
        markup.section(
            "Reasons", note: "Of the rows that were not accepted, the most frequent first."
        ) {
            writeReasons(reasons, to: &$0)
        }
    }

    /// A line for each outcome, and one for rows that were only looked at and are good.
    private var outcomeItems: [ShareBars.Item] {
        func item(_ name: String, _ note: String, _ color: Int, _ count: UInt64) -> ShareBars.Item {
            ShareBars.Item(
                name, note: note, color: color, value: Double(count),
                text: NumberText.grouped(count), share: NumberText.share(count, of: tally.finished))
        }
        let valid = item(
            "\(Outcome.validReason)", "could be sent", Outcome.accepted.color, tally.valid)
        return (tally.valid > 0 ? [valid] : [])
            + Outcome.allCases.compactMap { outcome in
                let count = tally.count(outcome) - (outcome == .skipped ? tally.valid : 0)
                return count > 0
                    ? item("\(outcome.name)", outcome.words, outcome.color, count) : nil
            }
    }

    private func writeReasons(_ reasons: [Tally.ReasonCount], to markup: inout Markup) {
        let shown = reasons.prefix(Self.shownReasonsMax)
        let all = reasons.reduce(0) { $0 + $1.count }
        ShareBars(
            caption: "Rows by reason", columns: ("Reason", "Rows", "Share"),
            items: shown.map { reason in
                let status = reason.status == 0 ? "" : "\(reason.status) "
                let text = reason.reason.isEmpty ? "no reason given" : reason.reason
                return ShareBars.Item(
                    status + text, note: "\(reason.outcome.name)",
                    color: reason.outcome.color, value: Double(reason.count),
                    text: NumberText.grouped(reason.count),
                    share: NumberText.share(reason.count, of: all))
            }, whole: Double(reasons[0].count)
        ).write(to: &markup)
        if reasons.count > shown.count {
            let rest = reasons.dropFirst(shown.count).reduce(0) { $0 + $1.count }
            markup.element(
                "p", .style("note"),
                text: "And \(reasons.count - shown.count) more, of "
                    + "\(NumberText.grouped(rest)) rows.")
        }
    }

    // MARK: The end of the page

    private func writeLatency(to markup: inout Markup) {
        guard latency.count > 0 else { return }
        markup.section("Latencies of all answers") { markup in
            DistributionPlot(
                title: "How long answers took",
                note: "From the request to the end of its answer, each row's last attempt. The "
                    + "axis is logarithmic, and bars of one area are as many answers.", latency,
                percentiles: [("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9)]
            ).write(to: &markup)
        }
    }

    private func writeLimits(to markup: inout Markup) {
        let all = limits.reduce(0) { $0 + $1.seconds }
        guard all > 0 else { return }
        markup.section("What the limit was", note: "What kept the job from being faster.") {
            ShareBars(
                caption: "Time by limit", columns: ("Limit", "Time", "Share"),
                items: limits.filter { $0.seconds > 0 }.sorted { $0.seconds > $1.seconds }.map {
                    let milliseconds = Int64(clamping: $0.seconds * 1000)
                    return ShareBars.Item(
                        $0.name, color: 0, value: $0.seconds,
                        text: NumberText.duration(milliseconds: milliseconds),
                        share: NumberText.share(
                            UInt64(milliseconds), of: UInt64(clamping: all * 1000)))
                }, whole: all
            ).write(to: &$0)
        }
    }

    private func writeRoutes(to markup: inout Markup) {
        guard !routes.isEmpty else { return }
        markup.section("Providers", note: "What became of the rows of each, in this run.") {
            markup in
            markup.table(
                caption: "Rows by provider",
                columns: [
                    "Provider", "Rows", "Accepted", "Dead tokens", "Undecided", "p50", "p99",
                    "Limited by",
                ], textColumns: [0, 7],
                rows: routes.map { route in
                    let (tally, latency) = (route.tally, route.latency)
                    func time(_ nanoseconds: Int64) -> String {
                        latency.count == 0 ? "" : NumberText.latency(nanoseconds: nanoseconds)
                    }
                    return [
                        route.name, NumberText.grouped(tally.finished),
                        NumberText.grouped(tally.count(.accepted)),
                        NumberText.grouped(tally.count(.unregistered)),
                        NumberText.grouped(tally.indefinite), time(latency.p50),
                        time(latency.p99), route.limits.ranked.first?.limitation.text ?? "",
                    ]
                } + rowsOfNoRoute, isWide: true)
        }
    }

    private var rowsOfNoRoute: [[String]] {
        ofNoRoute.map { [["none", NumberText.grouped($0.finished), "0", "0", "0", "", "", ""]] }
            ?? []
    }

    private func writeSettings(to markup: inout Markup) {
        guard !settings.isEmpty else { return }
        markup.section("Settings") { markup in
            markup.table(
                caption: "Settings", columns: ["Setting", "Value"], textColumns: [0, 1],
                rows: settings.map { [$0.name, $0.value] })
        }
    }

    private func writeNotes(to markup: inout Markup) {
        guard !notes.isEmpty else { return }
        markup.section("What to know about these numbers") { markup in
            markup.element("ul") { markup in
                for note in notes { markup.element("li", text: note) }
            }
        }
    }
}

extension Outcome {
    /// The number of its color in the style sheet.
    var color: Int { Int(rawValue) }

    /// The meaning, in a few words.
    var words: String {
        switch self {
        case .accepted: "the provider took it"
        case .unregistered: "dead token, to be deleted"
        case .suspect: "bad token, or wrong environment or topic"
        case .rejected: "can never succeed"
        case .throttled: "refused for rate reasons, attempts ran out"
        case .failed: "not processed, attempts ran out"
        case .unknown: "may have arrived, or not"
        case .invalid: "not sent: did not pass the checks"
        case .skipped: "not sent: came too late, or was not to be"
        }
    }
}
