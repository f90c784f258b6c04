import FanfareBase
import FanfareCore

/// The page that shows a job while it runs: one file, whose script gets the job's news.
///
/// A value: facts in, bytes out. Each part that changes has a place with an id, which the script
/// fills with text and never with markup. Nothing on it moves, so it suits people who want less
/// motion.
package struct LivePage: Sendable {
    /// The heading, also of the window.
    package var title: String
    /// One line below the title: the work of the job.
    package var lead: String
    /// The user's remark about the job, if there is one.
    package var remark: String?
    /// The providers, if there are several.
    package var routes: [String] = []
    /// The column that tells the variants apart, and their names, if rows choose one.
    package var variants: (column: String, names: [String])?
    package var settings: [(name: String, value: String)] = []
    /// True if there are buttons for people who have the key.
    package var canSteer = false
    /// The word by which a viewer shows that it has read the page; empty for none.
    package var readerWord = ""
    /// True if it is a load test, which has steps and no outcomes, pace or events.
    package var isLoadTest = false

    /// Collects the parts that every page has.
    package init(title: String, lead: String) {
        self.title = title
        self.lead = lead
    }

    /// The text of the page's one `style` element.
    package static var style: [UInt8] {
        Array("\(PageStyle.sheet)\(PageStyle.liveSheet)".utf8)
    }

    /// The text of the page's one `script` element.
    package static var script: [UInt8] { Array("\(LiveScript.text)".utf8) }

    /// Puts the page together.
    /// - Returns: The page in UTF-8.
    package func render() -> [UInt8] {
        var markup = Markup()
        markup.fixed("<!DOCTYPE html>\n")
        markup.element("html", .init("lang", "en")) { markup in
            markup.line()
            markup.element("head", content: writeHead)
            markup.line()
            markup.element("body") { markup in
                markup.element("header", content: writeHeader)
                markup.line()
                markup.element(
                    "main", .init("id", "main"), .init("data-reader", readerWord)
                ) { markup in
                    writeFigures(to: &markup)
                    if canSteer { writeControls(to: &markup) }
                    if isLoadTest { writeSteps(to: &markup) } else { writeOutcomes(to: &markup) }
                    writePlots(to: &markup)
                    writeRoutes(to: &markup)
                    writeVariants(to: &markup)
                    writeLimits(to: &markup)
                    if !isLoadTest { writeEvents(to: &markup) }
                    writeSettings(to: &markup)
                    markup.line()
                }
                markup.line()
                markup.element("footer", .init("id", "footer"), text: "Shown by fanfare.")
                markup.line()
                markup.element("script") { markup in markup.fixed(LiveScript.text) }
            }
            markup.line()
        }
        markup.line()
        return markup.finish()
    }

    private func writeHead(_ markup: inout Markup) {
        markup.screenSettings()
        // A browser that finds none asks the server for one.
        markup.empty("link", .init("rel", "icon"), .init("href", "data:,"))
        markup.element("title", text: title)
        markup.element("style") { markup in
            markup.fixed(PageStyle.sheet)
            markup.fixed(PageStyle.liveSheet)
        }
    }

    private func writeHeader(_ markup: inout Markup) {
        markup.element("h1", .init("id", "title"), .init("tabindex", "-1"), text: title)
        markup.element("p", .init("id", "lead"), text: lead)
        if let remark { markup.element("p", .style("note"), text: remark) }
        markup.element("noscript") { markup in
            markup.element(
                "p", .style("alert"), text: "This page needs JavaScript to show the job's news.")
        }
        markup.line()
        markup.element("div", .style("now"), .init("id", "now")) { markup in
            markup.element("p", .style("state"), .init("id", "state"), text: "Connecting…")
            // The one part that is read aloud, and only when something has happened: at each tenth of the way, too.
            markup.element(
                "p", .style("told"), .init("id", "told"), .init("role", "status"), text: "")
            markup.element(
                "progress", .init("id", "progress"), .init("max", "1"),
                .init("aria-label", "Share of the rows that is done"), text: "")
            markup.element("p", .style("note"), .init("id", "progress-text"), text: "")
        }
        markup.element(
            "p", .init("id", "save"), .init("hidden", "hidden")
        ) { markup in
            markup.element(
                "a", .init("id", "save-link"), .init("download", "fanfare-job.html"),
                text: "Save this page")
        }
    }

    // MARK: Figures

    /// The numbers that are looked at first, by their ids.
    private static let figures: [(id: String, name: String)] = [
        ("rows", "Rows"), ("accepted", "Accepted"), ("dead", "Dead tokens"), ("other", "Others"),
        ("rate", "Rate"), ("left", "Time left"), ("latency", "Latency"),
        ("in-flight", "In flight"), ("limit", "Limit"), ("retries", "Retries"),
        ("connections", "Connections"), ("pace", "Pace"),
    ]

    /// The same for a load test.
    private static let loadFigures: [(id: String, name: String)] = [
        ("step", "Step"), ("rate", "Rate"), ("latency", "Latency"), ("left", "Time left"),
        ("rows", "Requests"), ("accepted", "Good answers"), ("other", "Errors"),
        ("in-flight", "In flight"), ("limit", "Limit"), ("connections", "Connections"),
    ]

    private func writeFigures(to markup: inout Markup) {
        markup.element(
            "p", .style("alert"), .init("id", "alert"), .init("hidden", "hidden"), text: "")
        markup.element("dl", .style("figures")) { markup in
            for (id, name) in isLoadTest ? Self.loadFigures : Self.figures {
                markup.line()
                markup.element("div") { markup in
                    markup.element("dt", text: name)
                    markup.element("dd") { markup in
                        markup.element("b", .init("id", id), text: "–")
                        markup.element("small", .init("id", "\(id)-note"), text: "")
                    }
                }
            }
        }
    }

    private func writeOutcomes(to markup: inout Markup) {
        markup.section("Outcomes") { markup in
            Self.writeBars(
                "Rows by outcome", ("Outcome", "Rows"), prefix: "o",
                Outcome.allCases.map { ("\($0.name)", "\($0.name)", $0.words, $0.color) },
                to: &markup)
        }
    }

    private func writeSteps(to markup: inout Markup) {
        markup.section("Steps", note: "Those that are over, with response times.") { markup in
            markup.element("p", .init("id", "no-steps"), text: "None yet.")
            markup.table(
                caption: "Steps", columns: ["Load", "Answers a second", "p50", "p99", "Errors"],
                rows: [], bodyID: "steps")
        }
    }

    private func writeLimits(to markup: inout Markup) {
        markup.section("What the limit was", note: "What has kept it from being faster.") {
            Self.writeBars(
                "Time by limit", ("Limit", "Time"), prefix: "l",
                Limitation.allCases.map { ("\($0.name)", $0.text, "", 0) }, to: &$0)
        }
    }

    /// Writes a table like that of `ShareBars`, whose lines are shown when they have a value.
    private static func writeBars(
        _ caption: String, _ columns: (name: String, value: String), prefix: String,
        _ items: [(id: String, name: String, note: String, color: Int)], to markup: inout Markup
    ) {
        markup.element("table", .style("bars")) { markup in
            markup.element("caption", text: caption)
            markup.element("thead") { markup in
                markup.element("tr") { markup in
                    for (name, style) in [
                        (columns.name, "t"), (columns.value, "n"), ("Share", "n"),
                    ] {
                        markup.element("th", .init("scope", "col"), .style(style), text: name)
                    }
                    markup.element("th", .init("aria-hidden", "true"), .style("bar"), text: "")
                }
            }
            markup.element("tbody") { markup in
                for item in items {
                    let id = "\(prefix)-\(item.id)"
                    markup.line()
                    markup.element("tr", .init("id", id), .init("hidden", "hidden")) { markup in
                        markup.element("th", .init("scope", "row"), .style("t")) { markup in
                            markup.text(item.name)
                            if !item.note.isEmpty {
                                markup.element("small", .style("note"), text: " \(item.note)")
                            }
                        }
                        markup.element("td", .style("n"), .init("id", "\(id)-value"), text: "")
                        markup.element("td", .style("n"), .init("id", "\(id)-share"), text: "")
                        markup.element("td", .init("aria-hidden", "true"), .style("bar")) {
                            $0.element(
                                "svg", .init("viewBox", "0 0 1000 10"),
                                .init("preserveAspectRatio", "none")
                            ) { markup in
                                markup.empty(
                                    "path", .style("f\(item.color)"), .init("id", "\(id)-bar"),
                                    .init("d", "M0 0"))
                            }
                        }
                    }
                }
            }
        }
    }

    // MARK: Over time

    private func writePlots(to markup: inout Markup) {
        markup.section("Over time", note: "From the beginning on, looked at once a second.") {
            Self.writePlot(
                "plot-rate", isLoadTest ? "Requests finished" : "Rows finished",
                lines: [("rate", 0)], to: &$0)
            Self.writePlot("plot-latency", "Latency", lines: [("p50", 0), ("p99", 3)], to: &$0)
        }
    }

    private static func writePlot(
        _ id: String, _ title: String, lines: [(name: String, color: Int)],
        to markup: inout Markup
    ) {
        markup.line()
        markup.element("figure", .init("id", id)) { markup in
            markup.element("figcaption") { markup in
                markup.element("h3", text: title)
                // The drawing, in words.
                markup.element("p", .init("id", "\(id)-text"), text: "Nothing yet.")
            }
            if lines.count > 1 { markup.legend(lines) }
            markup.element("div", .style("live-plot"), .init("aria-hidden", "true")) { markup in
                markup.element(
                    "svg", .init("viewBox", "0 0 1000 200"), .init("preserveAspectRatio", "none")
                ) { markup in
                    markup.empty("path", .style("g"), .init("d", "M0 0h1000M0 100h1000M0 200h1000"))
                    for (index, line) in lines.enumerated() {
                        markup.empty(
                            "path", .style("l l\(line.color) d\(index % 4)"),
                            .init("id", "\(id)-\(line.name)"), .init("d", "M0 0"))
                    }
                }
                markup.element("span", .style("top"), .init("id", "\(id)-top"), text: "")
                markup.element("span", .style("from"), .init("id", "\(id)-from"), text: "")
                markup.element("span", .style("to"), text: "now")
            }
        }
    }

    // MARK: Events, settings

    private func writeEvents(to markup: inout Markup) {
        markup.section("Events", note: "The last ones, the newest first.") { markup in
            markup.element("p", .init("id", "no-events"), text: "None yet.")
            markup.element(
                "ol", .style("events"), .init("id", "events"), .init("tabindex", "0"),
                .init("aria-label", "Events"), .init("hidden", "hidden"), text: "")
        }
    }

    private func writeSettings(to markup: inout Markup) {
        guard !settings.isEmpty else { return }
        markup.section("Settings") { markup in
            markup.folded("Show the settings") { markup in
                markup.table(
                    caption: "Settings", columns: ["Setting", "Value"], textColumns: [0, 1],
                    rows: settings.map { [$0.name, $0.value] })
            }
        }
    }
}
