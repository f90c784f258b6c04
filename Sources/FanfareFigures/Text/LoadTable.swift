package import FanfareCore

/// A load test's result as text for people, at most 80 columns wide.
package struct LoadTable {
    private typealias Text = SummaryTable

    private let result: LoadResult
    private let usesColor: Bool

    /// Prepares to render a result.
    package init(_ result: LoadResult, usesColor: Bool) {
        self.result = result
        self.usesColor = usesColor
    }

    /// The table, with a line end at its end.
    package func render() -> String {
        var lines: [String] = []
        if let stop = result.stop {
            let sentence = Text.printable("Stopped: \(stop.message)")
            lines.append(styled(Text.wrapped(sentence, Text.width), .red))
        }
        if let step = result.steps.first, result.steps.count == 1, result.knee == nil {
            lines += details(of: step)
        } else if !result.steps.isEmpty {
            lines += overview
        }
        if let kneeSentence {
            lines += ["", styled(Text.wrapped(kneeSentence, Text.width), .bold)]
        }
        lines += notes.flatMap { ["", styled(Text.wrapped($0, Text.width), .yellow)] }
        if let violation = result.violation {
            lines.append("This is a bug in fanfare, please report it: \(violation)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: One step

    private func details(of step: LoadStep) -> [String] {
        let figures = step.figures
        var lines: [String] = []
        func add(_ name: String, _ value: String) {
            lines.append("  " + Text.padded(name, 14) + value)
        }
        add("load", Self.describe(step))
        add("requests", counts(of: figures))
        for (status, count) in figures.statuses.sorted(by: { $0.key < $1.key }) {
            add("  status \(status)", "\(Text.grouped(count))  (\(share(count, figures)))")
        }
        for (kind, count) in figures.failures.sorted(by: { $0.value > $1.value }) {
            add("  failed", "\(Text.grouped(count))  \(Text.fitted(kind, 40))")
        }
        let seconds = Text.duration(milliseconds: step.measuredNanoseconds / 1_000_000)
        add("throughput", "\(Self.perSecond(step.throughput)) answers a second over \(seconds)")
        if case .open = step.load {
            add(
                "late starts",
                "\(Text.grouped(figures.lateStarts)), \(Text.grouped(figures.ownLateStarts)) of "
                    + "them by our own fault")
        }
        add(
            "CPU",
            "\(Text.latency(nanoseconds: Int64(step.processorPerRequest))) a request; the busiest "
                + "lane used \(Int((step.busyShare * 100).rounded())) % of a core")
        lines.append("")
        let names = LoadStep.percentiles.map(\.name) + ["max"]
        lines.append(
            styled("  " + Text.padded("", 14) + names.map { Self.cell($0) }.joined(), .dim))
        lines.append(latencyLine("service time", figures.service))
        lines.append(latencyLine("response time", figures.response))
        return lines
    }

    private func counts(of figures: LoadFigures) -> String {
        var text =
            "\(Text.grouped(figures.started)) started, "
            + "\(Text.grouped(figures.answered)) answered"
        let rest = [
            ("failed", figures.failed), ("unfinished", figures.unfinished),
            ("not started", figures.unstarted),
        ]
        for (name, count) in rest where count > 0 { text += ", \(Text.grouped(count)) \(name)" }
        return text
    }

    private func share(_ count: UInt64, _ figures: LoadFigures) -> String {
        Text.share(count, of: figures.due)
    }

    private func latencyLine(_ name: String, _ histogram: LatencyHistogram) -> String {
        guard histogram.count > 0 else { return "  " + Text.padded(name, 14) + "none" }
        let values =
            LoadStep.percentiles.map { histogram.percentile($0.percent) } + [histogram.max]
        return "  " + Text.padded(name, 14)
            + values.map { Self.cell(Text.latency(nanoseconds: $0)) }.joined()
    }

    /// What a step asked for, in words.
    static func describe(_ step: LoadStep) -> String {
        switch step.load {
        case .closed:
            "closed loop, \(step.inFlight ?? 0) in flight"
        case .open(let from, let to):
            from == to
                ? "open loop, \(perSecond(from)) a second"
                : "open loop, from \(perSecond(from)) to \(perSecond(to)) a second"
        }
    }

    // MARK: Several steps

    private var overview: [String] {
        let head = ["offered/s", "answers/s", "errors", "service", "response", "response"]
        let below = ["", "", "", "p99", "p50", "p99"]
        var lines = [
            styled("  " + head.map { Self.cell($0, 11) }.joined(), .dim),
            styled("  " + below.map { Self.cell($0, 11) }.joined(), .dim),
        ]
        for step in result.steps {
            let figures = step.figures
            let errors = figures.refused + figures.failed + figures.unfinished + figures.unstarted
            let cells = [
                Self.offered(step), Self.perSecond(step.throughput),
                Text.share(errors, of: figures.due),
                Text.latency(nanoseconds: figures.service.percentile(99)),
                Text.latency(nanoseconds: figures.response.percentile(50)),
                Text.latency(nanoseconds: figures.response.percentile(99)),
            ]
            lines.append("  " + cells.map { Self.cell($0, 11) }.joined() + mark(of: step))
        }
        return lines
    }

    private func mark(of step: LoadStep) -> String {
        if step.generatorLimit != nil { return "  " + styled("limited", .yellow) }
        return step.isWithinBounds == false ? "  " + styled("too much", .yellow) : ""
    }

    private static func offered(_ step: LoadStep) -> String {
        guard case .open(_, let to) = step.load else { return "-" }
        return perSecond(to)
    }

    // MARK: The knee

    private var kneeSentence: String? {
        guard let knee = result.knee else { return nil }
        let p99 = Text.latency(nanoseconds: knee.bounds.p99)
        let errors = LoadTable.percent(knee.bounds.errorShare * 100)
        let bounds = "a 99th percentile of \(p99) and \(errors) errors"
        var text: String
        switch (knee.rate, knee.tooMuch) {
        case (let rate?, let tooMuch?):
            text =
                "\(Self.perSecond(rate)) a second keep \(bounds); "
                + "\(Self.perSecond(tooMuch)) do not."
        case (let rate?, nil):
            text = "\(Self.perSecond(rate)) a second keep \(bounds); more was not tried."
        case (nil, let tooMuch?):
            text = "Not even \(Self.perSecond(tooMuch)) a second keep \(bounds)."
        case (nil, nil):
            text = "No rate was tried."
        }
        if !knee.isComplete { text += " The search did not come to its end." }
        if knee.isGeneratorLimited {
            text += " This machine was at its limit where it was too much: the service may do more."
        }
        return "Knee: " + text
    }

    // MARK: What it means

    /// What the figures mean, sentence by sentence.
    var sentences: [String] {
        [result.stop.map { "Stopped: \($0.message)" }, kneeSentence].compactMap(\.self) + notes
    }

    private var notes: [String] {
        var notes: [String] = []
        if result.steps.contains(where: \.hasHeldUpStarts) {
            notes.append(
                "The server kept requests from starting: response times count from when a request "
                    + "was due, and are what a user would have seen. Service times leave the "
                    + "waiting out.")
        }
        if result.steps.contains(where: { $0.generatorLimit == .lateStarts }) {
            notes.append(
                "Generator-limited: requests started late though the server had room. The figures "
                    + "say more about this machine than about the server; use more --lanes or "
                    + "another machine.")
        }
        if result.steps.contains(where: { $0.generatorLimit == .processor }) {
            notes.append(
                "Generator-limited: a lane used its core to the full. The figures say more about "
                    + "this machine than about the server; use more --lanes or another machine.")
        }
        return notes
    }

    // MARK: Text

    private static func cell(_ text: String, _ width: Int = 10) -> String {
        Text.leftPadded(text, width)
    }

    /// A rate with three digits or more.
    package static func perSecond(_ rate: Double) -> String {
        if rate > 0 && rate < 0.01 { return "< 0.01" }
        if rate >= 100 { return SummaryTable.grouped(UInt64(rate.rounded())) }
        let hundredths = UInt64((rate * 100).rounded())
        if hundredths.isMultiple(of: 100) { return "\(hundredths / 100)" }
        let digits = hundredths % 100
        return "\(hundredths / 100).\(digits < 10 ? "0" : "")\(digits)"
    }

    /// A percentage, with one digit behind the point if it says anything.
    static func percent(_ value: Double) -> String {
        let tenths = UInt64((min(value, 1e9) * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }

    private func styled(_ text: String, _ style: SummaryTable.Style) -> String {
        usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
