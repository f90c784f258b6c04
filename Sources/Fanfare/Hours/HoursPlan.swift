import FanfareBase
import FanfareCore

/// A forecast of when each time zone's rows are sent, from the rate and the hours of the windows.
///
/// Rows of zones that are open at the same time take turns, in the order of the inputs. A zone that
/// closes with rows left goes on when it opens again.
struct HoursPlan {
    /// The forecast for one zone's rows.
    struct Zone: Equatable {
        var name: String
        var rows: UInt64
        /// The moment when the first of them may be sent, in UNIX seconds.
        var opens: Int64
        /// The moment when its window closes for the first time.
        var closes: Int64
        /// The moment when the last of them is sent; `nil` without a rate, or if that is years
        /// ahead.
        var last: Int64?
        /// The rows that are left when the window closes for the first time.
        var leftOver: UInt64 = 0
    }

    private(set) var zones: [Zone] = []
    /// The moment when the last row of all is sent; `nil` if that is not known.
    var end: Int64? {
        let ends = zones.compactMap(\.last)
        return ends.count == zones.count ? ends.max() : nil
    }

    private struct Progress {
        var rules: TimeZoneRules
        var rest: Double
        var opens: Int64
        var closes: Int64
        var hasClosed = false
    }

    /// - Parameters:
    ///   - counts: The rows of each zone.
    ///   - settings: The windows.
    ///   - rate: Rows a second; `nil` for as many as possible.
    ///   - now: UNIX seconds.
    init(
        _ counts: [String: UInt64], _ settings: WindowSettings, rate: Double?, now: Int64
    ) {
        var table = ZoneTable()
        var progress: [Progress] = []
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            guard let rules = table.rules(name) else { continue }
            let (opens, closes) = Self.window(from: now, settings.window, rules)
            zones.append(Zone(name: name, rows: count, opens: opens, closes: closes))
            progress.append(
                Progress(rules: rules, rest: Double(count), opens: opens, closes: closes))
        }
        if let rate, rate > 0 { send(&progress, rate, settings.window, from: now) }
        zones.sort { ($0.opens, $0.name) < ($1.opens, $1.name) }
    }

    /// The window that is open at a moment, or else the next one.
    private static func window(
        from moment: Int64, _ window: Hours, _ rules: TimeZoneRules
    ) -> (opens: Int64, closes: Int64) {
        let state = window.state(at: moment, in: rules)
        guard !state.isOpen else { return (moment, state.until) }
        return (state.until, window.state(at: state.until, in: rules).until)
    }

    /// Goes from one moment at which something changes to the next.
    private mutating func send(
        _ progress: inout [Progress], _ rate: Double, _ window: Hours, from start: Int64
    ) {
        var now = Double(start)
        for _ in 0..<Limits.hoursPlanStepsMax {
            let waiting = progress.indices.filter { progress[$0].rest > 0 }
            guard !waiting.isEmpty else { return }
            for index in waiting where Double(progress[index].closes) <= now {
                if !progress[index].hasClosed {
                    zones[index].leftOver = UInt64(progress[index].rest.rounded(.up))
                }
                progress[index].hasClosed = true
                (progress[index].opens, progress[index].closes) = Self.window(
                    from: progress[index].closes, window, progress[index].rules)
            }
            let open = waiting.filter { Double(progress[$0].opens) <= now }
            let rest = open.reduce(0) { $0 + progress[$1].rest }
            // The next zone that opens or closes, if not all that is open is sent before.
            let changes = waiting.map {
                Double(Double(progress[$0].opens) > now ? progress[$0].opens : progress[$0].closes)
            }
            let change = changes.min() ?? now
            guard !open.isEmpty, now + rest / rate <= change else {
                let share = open.isEmpty ? 0 : (change - now) * rate / rest
                for index in open { progress[index].rest *= max(1 - share, 0) }
                now = change
                continue
            }
            now += rest / rate
            for index in open {
                progress[index].rest = 0
                zones[index].last = Int64(now.rounded(.up))
            }
        }
    }

    // MARK: Text

    /// The lines for people: one for each zone, the earliest zones first.
    var lines: [String] {
        var table = ZoneTable()
        return zones.compactMap { zone in
            guard let rules = table.rules(zone.name) else { return nil }
            var line =
                "\(zone.name): \(zone.rows) rows, from \(rules.clock(at: zone.opens)) to "
                + "\(rules.clock(at: zone.closes)) local time"
            if let last = zone.last { line += ", the last about \(rules.clock(at: last))" }
            if zone.leftOver > 0 {
                line += "; \(zone.leftOver) are left over then, and wait for the next window"
            }
            return line
        }
    }
}

extension TimeZoneRules {
    /// Returns a moment as a clock of the zone shows it: `2026-11-22 09:00`.
    func clock(at moment: Int64) -> String {
        let text = TimestampWriter.string(milliseconds: (moment + offset(at: moment)) * 1000)
        return text.prefix(16).split(separator: "T").joined(separator: " ")
    }
}
