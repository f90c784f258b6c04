import FanfareCore

/// Counts the rows of each time zone, for a rehearsal.
///
/// Use from one thread at a time.
struct ZoneCensus {
    private let settings: WindowSettings
    private var zones = ZoneTable()
    private(set) var counts: [String: UInt64] = [:]

    init(_ settings: WindowSettings) {
        self.settings = settings
    }

    /// Counts a row that could be sent.
    /// - Returns: False if nobody knows its zone.
    mutating func count(_ batch: RowBatch, _ index: Int) -> Bool {
        var name: String?
        if let slot = settings.slot {
            let field = batch.field(row: index, slot: slot)
            if !field.isMissing && field.length > 0 {
                name = unsafe String(decoding: batch.value(field), as: UTF8.self)
            }
        }
        guard let zone = name ?? settings.zone else { return false }
        if counts[zone] == nil {
            guard zones.rules(zone) != nil else { return false }
        }
        counts[zone, default: 0] += 1
        return true
    }

    /// What people are told: a line for each zone, those that come first before the others.
    static func lines(
        _ counts: [String: UInt64], _ settings: WindowSettings, now: Int64
    ) -> [String] {
        var zones = ZoneTable()
        var found: [(first: Int64, zone: String, text: String)] = []
        for (zone, count) in counts {
            guard let rules = zones.rules(zone) else { continue }
            var state = settings.window.state(at: now, in: rules)
            let first = state.isOpen ? now : state.until
            if !state.isOpen { state = settings.window.state(at: first, in: rules) }
            let text =
                "\(zone): \(count) rows, from \(local(first, rules)) to \(local(state.until, rules)) "
                + "local time"
            found.append((first, zone, text))
        }
        return found.sorted { ($0.first, $0.zone) < ($1.first, $1.zone) }.map(\.text)
    }

    /// `2026-11-22 09:00`.
    private static func local(_ moment: Int64, _ rules: TimeZoneRules) -> String {
        let text = TimestampWriter.string(milliseconds: (moment + rules.offset(at: moment)) * 1000)
        return text.prefix(16).split(separator: "T").joined(separator: " ")
    }
}
