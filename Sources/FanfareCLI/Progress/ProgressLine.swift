import Fanfare
import FanfareBase
import FanfareCore

/// A reading as a line for people.
package struct ProgressLine {
    private let reading: ProgressReading
    private let clock: (Int64) -> String

    /// - Parameters:
    ///   - reading: The figures to show.
    ///   - clock: Returns the text of a moment in milliseconds of UNIX time.
    package init(
        _ reading: ProgressReading,
        clock: @escaping (Int64) -> String = TimestampWriter.string(milliseconds:)
    ) {
        self.reading = reading
        self.clock = clock
    }

    // MARK: Live

    /// A part of the live line, in the order in which they stand in it.
    private enum Part: Int {
        case state, share, wholeJob, rows, trouble, pause, waiting, rate, left, outcomes, inFlight,
            latency,
            limitation
    }

    /// The parts by importance; the line drops the first one last.
    private static let byImportance: [Part] = [
        .state, .share, .rows, .wholeJob, .trouble, .pause, .waiting, .rate, .left, .outcomes,
        .limitation,
        .inFlight,
        .latency,
    ]

    private static let gap = "  "

    /// The line for a terminal of a width: as much as there is room for, the most important first.
    package func live(width: Int) -> String {
        var chosen: [(part: Part, text: String)] = []
        var room = width
        for part in Self.byImportance {
            let gap = chosen.isEmpty ? 0 : Self.gap.count
            guard let text = forms(of: part).first(where: { $0.count + gap <= room }) else {
                continue
            }
            chosen.append((part, text))
            room -= text.count + gap
        }
        return chosen.sorted { $0.part.rawValue < $1.part.rawValue }.map(\.text)
            .joined(separator: Self.gap)
    }

    /// Returns the forms of a part, the longest first; none when there is nothing to say.
    private func forms(of part: Part) -> [String] {
        switch part {
        case .state: return reading.state == .running ? [] : [reading.state.rawValue]
        case .share: return share.map { [$0] } ?? []
        case .rows: return [Self.rows(reading.rows)]
        case .trouble: return trouble
        case .pause: return pauses
        case .waiting: return waiting.map { [$0] } ?? []
        case .rate: return ["\(rate)/s"]
        case .left: return left.map { ["\($0) left"] } ?? []
        case .outcomes: return outcomes
        case .wholeJob: return wholeJob.map { [$0] } ?? []
        case .inFlight:
            return [
                inFlight, "\(reading.inFlight) in flight",
            ]
        case .latency: return latency.map { [$0] } ?? []
        case .limitation: return reading.limitation.map { ["limit: \($0.text)"] } ?? []
        }
    }

    private var outcomes: [String] {
        guard reading.rows > 0 else { return [] }
        if isUnsent { return ["\(Self.grouped(reading.counts[.invalid])) invalid"] }
        let share = NumberText.share(reading.good, of: reading.rows)
        return [longOutcomes, "\(share) \(reading.goodWord)"]
    }

    private var longOutcomes: String {
        "\(Self.grouped(reading.good)) \(reading.goodWord), "
            + "\(Self.grouped(reading.unregistered)) unregistered, "
            + "\(Self.grouped(reading.bad)) other"
            + (reading.skipped > 0 ? ", \(Self.grouped(reading.skipped)) skipped" : "")
    }

    /// True if no row has been sent so far, or ever is: then it means nothing that none was
    /// accepted.
    var isUnsent: Bool {
        reading.rows > 0 && reading.valid == 0
            && reading.rows == reading.counts[.invalid] + reading.counts[.skipped]
    }

    var inFlight: String {
        "\(reading.inFlight) in flight on \(reading.connections) connection"
            + (reading.connections == 1 ? "" : "s")
    }

    // MARK: Plain

    /// The line for a log.
    package var plain: String {
        var parts: [String] = []
        if let share { parts.append("\(share) done") }
        if let wholeJob { parts.append(wholeJob) }
        parts.append("\(Self.rows(reading.rows)), \(rate)/s")
        parts.append(inFlight)
        var line = parts.joined(separator: ", ")
        if isUnsent {
            line += ": \(Self.grouped(reading.counts[.invalid])) invalid"
        } else {
            line += ": \(longOutcomes)"
        }
        if let latency { line += "; \(latency)" }
        if let trouble = trouble.first { line += "; \(trouble)" }
        if let pause = pauses.first { line += "; \(pause)" }
        if let waiting { line += "; \(waiting)" }
        if let left { line += "; \(left) left" }
        if let limitation = reading.limitation { line += "; limited by \(limitation.text)" }
        return reading.state == .running ? line : "\(reading.state.rawValue): \(line)"
    }

    // MARK: Figures

    var share: String? {
        // Whole per cents, never all before all is done.
        reading.inputShare.map { "\(Int(min(max($0, 0), 1) * 100)) %" }
    }

    /// The rows of all workers together.
    var wholeJob: String? {
        reading.wholeJob.map { job in
            let rows = "\(Self.grouped(job.finished)) of \(Self.grouped(job.rows))"
            return rows + " rows" + (job.isAllCounted ? "" : " so far")
                + " by \(job.workers) worker" + (job.workers == 1 ? "" : "s")
        }
    }

    var rate: String {
        Self.grouped(UInt64(min(max(reading.rowsPerSecond, 0), 1e15).rounded()))
    }

    var left: String? {
        guard let seconds = reading.secondsLeft else { return nil }
        // A job of more than a year has a rate that says nothing.
        guard seconds < 31_536_000 else { return nil }
        // Tenths of a second would only flicker.
        return seconds < 59.5
            ? "\(Int(seconds.rounded(.up))) s"
            : NumberText.duration(milliseconds: Int64(seconds) * 1000)
    }

    /// A provider that is waited for, and for how long.
    var trouble: [String] {
        guard let trouble = reading.trouble else { return [] }
        func time(_ seconds: Double) -> String {
            NumberText.duration(milliseconds: Int64(seconds) * 1000)
        }
        let route = reading.routes.first { $0.gauges.trouble == trouble }
        let name = route.map { "\($0.provider.rawValue): " } ?? ""
        let short = "\(name)no answer for \(time(trouble.seconds))"
        return [
            "\(short) (\(trouble.reason.text(.commandLine))), giving up after "
                + "\(time(trouble.patienceSeconds))", short,
        ]
    }

    /// Providers that let nothing start for now, the longest form first.
    var pauses: [String] {
        let forms = reading.pauses.map(\.forms)
        return (forms.first ?? []).indices.map { place in
            forms.map { $0[place] }.joined(separator: ", ")
        }
    }

    var waiting: String? {
        reading.waitsUntilMilliseconds.map {
            "\(Self.grouped(reading.waitingRows)) wait until "
                + clock($0)
        }
    }

    var latency: String? { latencies.first }

    /// The latencies with and without the time that they are about.
    var latencies: [String] {
        guard let latency = reading.latency else { return [] }
        let p50 = NumberText.latency(nanoseconds: latency.p50)
        let p99 = NumberText.latency(nanoseconds: latency.p99)
        let seconds = max(Int(reading.recentSeconds.rounded()), 1)
        let short = "p50 \(p50), p99 \(p99)"
        return ["\(short) in the last \(seconds) s", short]
    }

    private static func rows(_ number: UInt64) -> String {
        "\(grouped(number)) row" + (number == 1 ? "" : "s")
    }

    private static func grouped(_ number: UInt64) -> String { NumberText.grouped(number) }
}
