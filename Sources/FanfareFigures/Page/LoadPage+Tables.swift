import FanfareBase
import FanfareCore

extension LoadPage {
    /// Writes the tables: the steps with their loads and results, the answers, and the settings.
    func writeTables(to markup: inout Markup) {
        if !steps.isEmpty {
            markup.section("Steps") { markup in
                let hasRemarks = steps.contains { !$0[Self.head.count - 1].isEmpty }
                let count = Self.head.count - (hasRemarks ? 0 : 1)
                markup.table(
                    caption: "Steps", columns: Array(Self.head.prefix(count)),
                    textColumns: [0, Self.head.count - 1],
                    rows: steps.map { Array($0.prefix(count)) }, isWide: true)
            }
        }
        for (title, columns, rows) in [
            ("Answers", ["answer", "requests"], answers),
            ("Settings", ["setting", "value"], settings),
        ] where !rows.isEmpty {
            markup.section(title) { markup in
                markup.table(
                    caption: title, columns: columns,
                    textColumns: title == "Answers" ? [0] : [0, 1], rows: rows)
            }
        }
    }

    // On a phone each cell stands alone with its heading, so that each heading is whole.
    private static let head = [
        "offered", "due", "answers/s", "errors", "service p50", "service p99", "response p50",
        "response p99", "p99.9", "max", "late starts", "CPU/request", "remarks",
    ]

    /// One line for each step.
    private var steps: [[String]] {
        result.steps.map { step in
            let figures = step.figures
            func time(_ nanoseconds: Int64) -> String {
                NumberText.latency(nanoseconds: nanoseconds)
            }
            return [
                Self.offered(step), NumberText.grouped(figures.due),
                NumberText.perSecond(step.throughput),
                NumberText.percent(figures.errorShare * 100),
                time(figures.service.percentile(50)), time(figures.service.percentile(99)),
                time(figures.response.percentile(50)), time(figures.response.percentile(99)),
                time(figures.response.percentile(99.9)), time(figures.response.max),
                "\(NumberText.grouped(figures.lateStarts)) "
                    + "(\(NumberText.grouped(figures.ownLateStarts)) own)",
                time(Int64(step.processorPerRequest)), mark(of: step),
            ]
        }
    }

    /// The demand of a step, in as few words as a column has room for.
    static func offered(_ step: LoadStep) -> String {
        switch step.load {
        case .closed: return "\(step.inFlight ?? 0) in flight"
        case .open(let from, let to):
            let end = "\(NumberText.perSecond(to))/s"
            return from == to ? end : "\(NumberText.perSecond(from)) to \(end)"
        }
    }

    private func mark(of step: LoadStep) -> String {
        var marks: [String] = []
        if step.isWithinBounds == false { marks.append("too much") }
        if step.generatorLimit != nil { marks.append("generator-limited") }
        return marks.joined(separator: ", ")
    }

    /// The answers of all steps.
    private var answers: [[String]] {
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
            ["status \($0.key)", NumberText.grouped($0.value)]
        }
        rows += failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            ["failed: \($0.key)", NumberText.grouped($0.value)]
        }
        if rest.unfinished > 0 {
            rows.append(["unfinished", NumberText.grouped(rest.unfinished)])
        }
        if rest.unstarted > 0 {
            rows.append(["not started", NumberText.grouped(rest.unstarted)])
        }
        return rows
    }

    /// The settings of the measurement.
    private var settings: [[String]] {
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
                case .real(let number): NumberText.perSecond(number)
                }
            rows.append([name.replacing("_", with: " "), text])
        }
        return rows
    }
}
