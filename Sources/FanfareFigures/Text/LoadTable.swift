package import FanfareBase
package import FanfareCore

/// A load test's result as text for people, at most 80 columns wide.
package struct LoadTable {
    private let result: LoadResult
    private let usesColor: Bool
    private let naming: Naming

    /// Prepares to render a result.
    /// - Parameters:
    ///   - result: The result to show.
    ///   - usesColor: True if it uses ANSI colors.
    ///   - naming: The way in which settings are named.
    package init(_ result: LoadResult, usesColor: Bool, naming: Naming = .members) {
        self.result = result
        self.usesColor = usesColor
        self.naming = naming
    }

    /// Returns the table, with a line end at its end.
    package func render() -> String {
        var lines: [String] = []
        if let stop = result.stop {
            let sentence = PlainText.printable("Stopped: \(stop.statement.text(naming))")
            lines.append(styled(PlainText.wrapped(sentence, PlainText.width), .red))
        }
        // A service that could not be reached has no figures.
        let isEmpty = result.stop != nil && result.steps.allSatisfy { $0.figures.started == 0 }
        if !isEmpty, let step = result.steps.first, result.steps.count == 1, result.knee == nil {
            lines += details(of: step)
        } else if !isEmpty, !result.steps.isEmpty {
            lines += overview
        }
        if let kneeSentence {
            lines += ["", styled(PlainText.wrapped(kneeSentence, PlainText.width), .bold)]
        }
        lines += notes.flatMap { ["", styled(PlainText.wrapped($0, PlainText.width), .yellow)] }
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
            lines.append("  " + PlainText.padded(name, 14) + value)
        }
        add("load", Self.describe(step))
        add("requests", counts(of: figures))
        for (status, count) in figures.statuses.sorted(by: { $0.key < $1.key }) {
            add("  status \(status)", "\(NumberText.grouped(count))  (\(share(count, figures)))")
        }
        for (kind, count) in figures.failures.sorted(by: { $0.value > $1.value }) {
            add("  failed", "\(NumberText.grouped(count))  \(PlainText.fitted(kind, 40))")
        }
        let seconds = NumberText.duration(milliseconds: step.measuredNanoseconds / 1_000_000)
        add(
            "throughput",
            "\(NumberText.perSecond(step.throughput)) answers a second over \(seconds)")
        if case .open = step.load {
            add(
                "late starts",
                "\(NumberText.grouped(figures.lateStarts)), \(NumberText.grouped(figures.ownLateStarts)) of "
                    + "them by our own fault")
        }
        add(
            "CPU",
            "\(NumberText.latency(nanoseconds: Int64(step.processorPerRequest))) a request; the busiest "
                + "lane used \(Int((step.busyShare * 100).rounded())) % of a core")
        lines.append("")
        let names = LoadStep.percentiles.map(\.name) + ["max"]
        lines.append(
            styled("  " + PlainText.padded("", 14) + names.map { Self.cell($0) }.joined(), .dim))
        lines.append(latencyLine("service time", figures.service))
        lines.append(latencyLine("response time", figures.response))
        return lines
    }

    private func counts(of figures: LoadFigures) -> String {
        var text =
            "\(NumberText.grouped(figures.started)) started, "
            + "\(NumberText.grouped(figures.answered)) answered"
        let rest = [
            ("failed", figures.failed), ("unfinished", figures.unfinished),
            ("not started", figures.unstarted),
        ]
        for (name, count) in rest where count > 0 {
            text += ", \(NumberText.grouped(count)) \(name)"
        }
        return text
    }

    private func share(_ count: UInt64, _ figures: LoadFigures) -> String {
        NumberText.share(count, of: figures.due)
    }

    private func latencyLine(_ name: String, _ histogram: LatencyHistogram) -> String {
        guard histogram.count > 0 else { return "  " + PlainText.padded(name, 14) + "none" }
        let values =
            LoadStep.percentiles.map { histogram.percentile($0.percent) } + [histogram.max]
        return "  " + PlainText.padded(name, 14)
            + values.map { Self.cell(NumberText.latency(nanoseconds: $0)) }.joined()
    }

    /// Returns the demand of a step, in words.
    static func describe(_ step: LoadStep) -> String {
        switch step.load {
        case .closed:
            "closed loop, \(step.inFlight ?? 0) in flight"
        case .open(let from, let to):
            from == to
                ? "open loop, \(NumberText.perSecond(from)) a second"
                : "open loop, from \(NumberText.perSecond(from)) to \(NumberText.perSecond(to)) a second"
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
            let cells = [
                Self.offered(step), NumberText.perSecond(step.throughput),
                NumberText.share(figures.errors, of: figures.due),
                NumberText.latency(nanoseconds: figures.service.percentile(99)),
                NumberText.latency(nanoseconds: figures.response.percentile(50)),
                NumberText.latency(nanoseconds: figures.response.percentile(99)),
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
        return NumberText.perSecond(to)
    }

    // MARK: The knee

    private var kneeSentence: String? {
        guard let knee = result.knee else { return nil }
        let p99 = NumberText.latency(nanoseconds: knee.bounds.p99)
        let errors = NumberText.percent(knee.bounds.errorShare * 100)
        let bounds = "a 99th percentile of \(p99) and \(errors) errors"
        var text: String
        switch (knee.rate, knee.tooMuch) {
        case (let rate?, let tooMuch?):
            text =
                "\(NumberText.perSecond(rate)) a second keep \(bounds); "
                + "\(NumberText.perSecond(tooMuch)) do not."
        case (let rate?, nil):
            text =
                "\(NumberText.perSecond(rate)) a second keep \(bounds); "
                + (knee.isComplete ? "more was not tried." : "whether more do was not found out.")
        case (nil, let tooMuch?):
            text = "Not even \(NumberText.perSecond(tooMuch)) a second keep \(bounds)."
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

    /// The meaning of the figures, sentence by sentence.
    var sentences: [String] {
        [result.stop.map { "Stopped: \($0.statement.text(naming))" }, kneeSentence]
            .compactMap(\.self) + result.crossings.map { $0.line(naming) } + notes
    }

    private var notes: [String] {
        var notes: [Statement] = []
        if result.steps.contains(where: \.hasHeldUpStarts) {
            notes.append(
                "The server kept requests from starting: response times count from when a request "
                    + "was due, and are what a user would have seen. Service times leave the "
                    + "waiting out.")
        }
        if let step = result.steps.first(where: { $0.hasDialedForAnswers(result.connections) }) {
            notes.append(
                "Connections did not last: \(NumberText.grouped(step.connections)) were opened for "
                    + "\(NumberText.grouped(step.figures.answered)) answers. A lane opens 200 a "
                    + "second to a server of HTTP/1.1 that says that it closes, 50 to others, and that "
                    + "may be the limit of the figures; more \(.lanes) open more.")
        }
        if result.steps.contains(where: { $0.generatorLimit == .lateStarts }) {
            notes.append(
                "Generator-limited: requests started late though the server had room. The figures "
                    + "say more about this machine than about the server; use more \(.lanes) or "
                    + "another machine.")
        }
        if result.steps.contains(where: { $0.generatorLimit == .processor }) {
            notes.append(
                "Generator-limited: a lane used its core to the full. The figures say more about "
                    + "this machine than about the server; use more \(.lanes) or another machine.")
        }
        return notes.map { $0.text(naming) }
    }

    // MARK: Text

    private static func cell(_ text: String, _ width: Int = 10) -> String {
        PlainText.leftPadded(text, width)
    }

    private func styled(_ text: String, _ style: PlainText.Style) -> String {
        PlainText.styled(text, [style], usesColor: usesColor)
    }
}
