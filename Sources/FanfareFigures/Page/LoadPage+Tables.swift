import FanfareCore

extension LoadPage {
    /// One line for each step.
    var stepTable: String {
        let head = [
            "load", "due", "answers/s", "errors", "service p50", "p99", "response p50", "p99",
            "p99.9", "max", "late starts", "CPU/request", "",
        ]
        let rows = result.steps.map { step in
            let figures = step.figures
            func time(_ nanoseconds: Int64) -> String {
                SummaryTable.latency(nanoseconds: nanoseconds)
            }
            return [
                LoadTable.describe(step), SummaryTable.grouped(figures.due),
                LoadTable.perSecond(step.throughput),
                LoadTable.percent(figures.errorShare * 100),
                time(figures.service.percentile(50)), time(figures.service.percentile(99)),
                time(figures.response.percentile(50)), time(figures.response.percentile(99)),
                time(figures.response.percentile(99.9)), time(figures.response.max),
                "\(SummaryTable.grouped(figures.lateStarts)) "
                    + "(\(SummaryTable.grouped(figures.ownLateStarts)) own)",
                time(Int64(step.processorPerRequest)), mark(of: step),
            ]
        }
        return Self.table("Steps", head, rows)
    }

    private func mark(of step: LoadStep) -> String {
        var marks: [String] = []
        if step.isWithinBounds == false { marks.append("too much") }
        if step.generatorLimit != nil { marks.append("generator-limited") }
        return marks.joined(separator: ", ")
    }

    /// What came back, over all steps.
    var answerTable: String {
        var statuses: [UInt16: UInt64] = [:]
        var failures: [String: UInt64] = [:]
        var rest = (unfinished: UInt64(0), unstarted: UInt64(0))
        for step in result.steps {
            statuses.merge(step.figures.statuses, uniquingKeysWith: +)
            failures.merge(step.figures.failures, uniquingKeysWith: +)
            rest.unfinished += step.figures.unfinished
            rest.unstarted += step.figures.unstarted
        }
        var rows = statuses.sorted { $0.key < $1.key }.map {
            ["status \($0.key)", SummaryTable.grouped($0.value)]
        }
        rows += failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            ["failed: \($0.key)", SummaryTable.grouped($0.value)]
        }
        if rest.unfinished > 0 {
            rows.append(["unfinished", SummaryTable.grouped(rest.unfinished)])
        }
        if rest.unstarted > 0 {
            rows.append(["not started", SummaryTable.grouped(rest.unstarted)])
        }
        return Self.table("Answers", ["", "requests"], rows)
    }

    /// What it was measured with.
    var settingsTable: String {
        let stamp = result.stamp
        var rows = [
            ["command", stamp.command], ["cores", String(stamp.cores)], ["kernel", stamp.kernel],
            ["TLS", stamp.tls ?? "none"],
        ]
        for (name, value) in result.settings {
            let text =
                switch value {
                case .text(let text): text ?? "none"
                case .whole(let number): number.map(String.init) ?? "none"
                case .real(let number): LoadTable.perSecond(number)
                }
            rows.append([name.replacing("_", with: " "), text])
        }
        return Self.table("Settings", ["", ""], rows)
    }

    private static func table(_ title: String, _ head: [String], _ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "" }
        var html = "<h2>\(title)</h2>\n<div class=\"wide\"><table>\n"
        if head.contains(where: { !$0.isEmpty }) {
            html += "<tr>" + head.map { "<th>\(HTMLText.escaped($0))</th>" }.joined() + "</tr>\n"
        }
        for row in rows {
            html += "<tr>" + row.map { "<td>\(HTMLText.escaped($0))</td>" }.joined() + "</tr>\n"
        }
        return html + "</table></div>\n"
    }

    /// Colours with enough contrast on both backgrounds.
    static let style = """
        :root { --text: #1c1e21; --back: #fff; --soft: #5c6370; --grid: #dfe2e6;
          --c0: #0b62c4; --c1: #b34700; --c2: #6b7280; --c3: #c01c3f; }
        @media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --back: #16181c;
          --soft: #a0a6b0; --grid: #353a42; --c0: #6cb0ff; --c1: #ffa25e; --c2: #9aa1ad;
          --c3: #ff7d95; } }
        body { color: var(--text); background: var(--back); margin: 2rem auto; max-width: 60rem;
          padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
        figure { margin: 2rem 0; } figcaption { font-weight: 600; }
        .legend { margin: 0; font-size: .9rem; } .legend span { margin-right: 1rem; }
        .note { border-left: 4px solid var(--c1); padding-left: .75rem; }
        svg { width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 12px; }
        svg .grid { stroke: var(--grid); } svg polyline { fill: none; stroke-width: 2; }
        svg .y { text-anchor: end; dominant-baseline: middle; } svg .x { text-anchor: middle; }
        svg .label { text-anchor: end; }
        polyline.c0 { stroke: var(--c0); } polyline.c1 { stroke: var(--c1); }
        polyline.c2 { stroke: var(--c2); } polyline.c3 { stroke: var(--c3); }
        span.c0 { color: var(--c0); } span.c1 { color: var(--c1); }
        span.c2 { color: var(--c2); } span.c3 { color: var(--c3); }
        circle.c0 { fill: var(--c0); } circle.c1 { fill: var(--c1); }
        circle.c2 { fill: var(--c2); } circle.c3 { fill: var(--c3); }
        .wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; }
        th, td { text-align: left; padding: .25rem .75rem .25rem 0; white-space: nowrap;
          border-bottom: 1px solid var(--grid); }
        td { font-variant-numeric: tabular-nums; }
        """
}
