import FanfareBase
package import FanfareCore

extension ReportDigest {
    /// Returns the digest as a table for people: plain text of at most 80 columns.
    ///
    /// - Parameters:
    ///   - hasCheckpoint: True if the job can be carried on; without that, rows without a line may have been excluded.
    ///   - usesColor: True if it has ANSI colors; the caller knows about terminals and `NO_COLOR`.
    /// - Returns: The table.
    package func table(hasCheckpoint: Bool = false, usesColor: Bool = false) -> String {
        let names = files.map { PlainText.printable($0.name) }.joined(separator: ", ")
        var lines = [PlainText.styled(names, [.bold], usesColor: usesColor), ""]
        lines += PlainText.lines(of: tally, usesColor: usesColor)
        lines.append(PlainText.line("rows", count: rows.count))
        if missingRows > 0 {
            lines.append(
                PlainText.line(hasCheckpoint ? "missing" : "without line", count: missingRows))
        }
        if repeatedLines > 0 { lines.append(PlainText.line("repeated", count: repeatedLines)) }
        if let groups { lines += [""] + groups.lines(usesColor: usesColor) }
        let figures = figureLines
        if !figures.isEmpty { lines += [""] + figures }
        return lines.map { $0 + "\n" }.joined()
    }

    private var figureLines: [String] {
        var lines: [String] = []
        if tally.attempts > 0 {
            lines.append(PlainText.line("attempts", NumberText.grouped(tally.attempts)))
            lines.append(PlainText.line("retries", NumberText.grouped(tally.retries)))
        }
        if tally.retries > 0 { lines += [PlainText.line("by attempts", attemptsText)] }
        let statuses = rowsByStatus.enumerated().filter { $0.element > 0 && $0.offset > 0 }
            .sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }
            .map { "\($0.offset): \(NumberText.grouped($0.element))" }
        if !statuses.isEmpty { lines += Self.listed("statuses", statuses) }
        if latency.count > 0 {
            lines.append(
                PlainText.line("latency", PlainText.line(of: Summary.Latency(latency))))
        }
        if let sent {
            for (name, moment) in [
                ("first sent", sent.lowerBound), ("last sent", sent.upperBound),
            ] {
                lines.append(
                    PlainText.line(name, TimestampWriter.string(milliseconds: moment)))
            }
        }
        if let milliseconds = durationMilliseconds {
            var text = NumberText.duration(milliseconds: milliseconds)
            if let rate = rowsPerSecond {
                text += ", \(NumberText.grouped(UInt64(clamping: rate))) rows a second"
            }
            lines.append(PlainText.line("duration", text))
        }
        return lines
    }

    /// The first few, and then all the rest: `1: 990, 2: 8, 3: 2`.
    private var attemptsText: String {
        let shown = 5
        let counts = rowsByAttempts.enumerated().dropFirst().filter { $0.element > 0 }
        var parts = counts.prefix(shown).map { "\($0.offset): \(NumberText.grouped($0.element))" }
        let rest = counts.dropFirst(shown).reduce(0) { $0 + $1.element }
        if rest > 0 { parts.append("more: \(NumberText.grouped(rest))") }
        return parts.joined(separator: ", ")
    }

    private static func listed(_ name: String, _ parts: [String]) -> [String] {
        let text = PlainText.wrapped(
            parts.joined(separator: ", "), PlainText.width - 16)
        return text.split(separator: "\n").enumerated().map {
            PlainText.line($0.offset == 0 ? name : "", String($0.element))
        }
    }
}
