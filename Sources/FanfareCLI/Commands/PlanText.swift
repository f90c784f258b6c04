import Fanfare
import FanfareBase

/// The end of a rehearsed job, for people, as far as it can be known before.
enum PlanText {
    /// The zones that are named; of the others only the sum is.
    private static let zonesMax = 3

    /// `done about Sunday 11:42 here, at that rate; 2,100 rows of America/Los_Angeles do not fit`.
    /// - Parameters:
    ///   - result: The result of a rehearsal with hours or an end.
    ///   - now: UNIX seconds.
    /// - Returns: The text; `nil` if nothing is to be said.
    static func plan(_ result: JobResult, now: Int64) -> String? {
        text(
            end: result.plannedEnd.map { LocalTime.text($0, now: now) },
            unsent: result.plannedUnsent)
    }

    /// The same in figures.
    static func text(end: String?, unsent: [(zone: String, rows: UInt64)]) -> String? {
        var parts: [String] = []
        if let end { parts.append("done about \(end) here, at that rate") }
        let zones = unsent.sorted { ($1.rows, $0.zone) < ($0.rows, $1.zone) }
        // The room that the sum of one other zone takes is enough for its name.
        let named = zones.count == zonesMax + 1 ? zones.count : zonesMax
        var texts = zones.prefix(named).map {
            rows($0.rows) + ($0.zone.isEmpty ? "" : " of \($0.zone)")
        }
        let others = zones.dropFirst(named)
        if !others.isEmpty {
            texts.append(
                "\(rows(others.reduce(0) { $0 + $1.rows })) of \(others.count) other zones")
        }
        if !texts.isEmpty {
            let isOne = zones.reduce(0) { $0 + $1.rows } == 1
            parts.append(texts.joined(separator: ", ") + (isOne ? " does" : " do") + " not fit")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private static func rows(_ count: UInt64) -> String {
        "\(NumberText.grouped(count)) \(count == 1 ? "row" : "rows")"
    }
}
