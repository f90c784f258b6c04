/// Two results of the same load test, figure by figure.
package struct LoadComparison: Sendable {
    /// The figures of each step that are compared.
    package enum Metric: String, CaseIterable, Sendable {
        case throughput = "answers/s"
        case median = "response p50"
        case tail = "response p99"
        case processor = "CPU/request"
        case errors = "errors"
        case knee = "knee, a second"
    }

    /// The figures of one step; `nil` for a figure that could not be measured.
    package struct Figures: Equatable, Sendable {
        /// Answers a second.
        package var throughput: Double?
        /// The median of the response times in milliseconds.
        package var median: Double?
        package var tail: Double?
        /// The processor time per request in microseconds.
        package var processor: Double?
        /// Per cent.
        package var errors: Double?
        /// Requests a second, of a search.
        package var knee: Double?

        /// Takes the knee alone: the steps of two searches are not at the same rates.
        package init(knee: Double?) {
            self.knee = knee ?? 0
        }

        /// Collects the figures of a step.
        package init(
            throughput: Double, median: Double?, tail: Double?, processor: Double?, errors: Double
        ) {
            self.throughput = throughput
            self.median = median
            self.tail = tail
            self.processor = processor
            self.errors = errors
        }

        /// Takes them from a step.
        package init(_ step: LoadStep) {
            let response = step.figures.response
            let isAnswered = step.figures.answeredInTime > 0
            self.init(
                throughput: step.throughput,
                median: response.count > 0 ? Double(response.percentile(50)) / 1e6 : nil,
                tail: response.count > 0 ? Double(response.percentile(99)) / 1e6 : nil,
                processor: isAnswered ? step.processorPerRequest / 1000 : nil,
                errors: step.figures.errorShare * 100)
        }

        package subscript(metric: Metric) -> Double? {
            switch metric {
            case .throughput: throughput
            case .median: median
            case .tail: tail
            case .processor: processor
            case .errors: errors
            case .knee: knee
            }
        }
    }

    /// One figure of one step, before and now.
    package struct Change: Equatable, Sendable {
        /// Counted from 1.
        package var step: Int
        package var metric: Metric
        package var before: Double
        package var now: Double
        package var hasRegressed: Bool
        /// True if the difference is more than earlier runs differ from each other, as far as that is known.
        package var isBeyondSpread = true

        package init(
            step: Int, metric: Metric, before: Double, now: Double, hasRegressed: Bool,
            isBeyondSpread: Bool = true
        ) {
            self.step = step
            self.metric = metric
            self.before = before
            self.now = now
            self.hasRegressed = hasRegressed
            self.isBeyondSpread = isBeyondSpread
        }
    }

    /// The name of the earlier result.
    package let name: String
    /// The share by which a figure may be worse.
    package let regressionMax: Double
    /// The spreads of the earlier runs that a figure may be worse; `nil` if there is one such run.
    package let spreads: Double?
    package let changes: [Change]
    /// The differences between the two machines, in words; empty if there are none.
    package let differences: [String]

    /// Compares two results.
    /// - Parameters:
    ///   - name: The name of the earlier result.
    ///   - before: The figures of its steps.
    ///   - now: The figures of the later result, for the same steps.
    ///   - regressionMax: The share by which a figure may be worse. Errors, which are shares
    ///     themselves, may have so many more of all requests.
    ///   - differences: The differences between the two machines, in words.
    package init(
        name: String, before: [Figures], now: [Figures], regressionMax: Double,
        differences: [String] = []
    ) {
        self.name = name
        self.regressionMax = regressionMax
        self.differences = differences
        spreads = nil
        var changes: [Change] = []
        for (index, (before, now)) in zip(before, now).enumerated() {
            for metric in Metric.allCases {
                guard let old = before[metric] else { continue }
                // Without answers there is no time of theirs; the throughput says so already.
                guard let new = now[metric] else { continue }
                changes.append(
                    Change(
                        step: index + 1, metric: metric, before: old, now: new,
                        hasRegressed: Self.isWorse(metric, old, new, by: regressionMax)))
            }
        }
        self.changes = changes
    }

    /// True if any figure is worse than allowed.
    package var hasRegressed: Bool { changes.contains(where: \.hasRegressed) }

    /// Returns the first figure that is worse by more than a share.
    func firstChange(worseBy share: Double) -> Change? {
        changes.first {
            $0.isBeyondSpread && Self.isWorse($0.metric, $0.before, $0.now, by: share)
        }
    }

    static func isWorse(
        _ metric: Metric, _ before: Double, _ now: Double, by share: Double
    ) -> Bool {
        // Results are written with three digits behind the point: less than that is no difference.
        let rounding = 0.0005
        return switch metric {
        case .throughput, .knee: now + rounding < before * (1 - share)
        case .median, .tail, .processor: now > before * (1 + share) + rounding
        case .errors: now > before + 100 * share + rounding
        }
    }
}
