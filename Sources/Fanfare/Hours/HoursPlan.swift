import FanfareBase
import FanfareCore

/// A forecast of when each time zone's rows are sent, from the rates and the hours of the windows.
///
/// Rows of zones that are open at the same time take turns, in the order of the inputs. A zone that
/// closes with rows left goes on when it opens again, unless its rows are skipped then.
struct HoursPlan {
    /// The forecast for one zone's rows.
    struct Zone: Equatable {
        var name: String
        var rows: UInt64
        /// The moment when the first of them may be sent, in UNIX seconds.
        var opens: Int64
        /// The moment when its window closes for the first time.
        var closes: Int64
        /// The moment when the last of those that are sent is sent; `nil` without a rate, or if that is
        /// years ahead.
        var last: Int64?
        /// The rows that are left when the window closes for the first time.
        var leftOver: UInt64 = 0
        /// The rows that are never sent, because the job ends before, or because its rows are skipped when
        /// the window is closed.
        var unsent: UInt64 = 0
    }

    private(set) var zones: [Zone] = []
    private let skips: Bool

    /// The moment when the last row of all is sent; `nil` if that is not known.
    var end: Int64? {
        guard zones.allSatisfy({ $0.last != nil || $0.unsent == $0.rows }) else { return nil }
        return zones.compactMap(\.last).max()
    }

    /// The rows that are never sent, by their zones.
    var unsent: [(zone: String, rows: UInt64)] {
        zones.filter { $0.unsent > 0 }.map { ($0.name, $0.unsent) }
    }

    private struct Progress {
        var rules: TimeZoneRules
        /// Rows that are left, by route.
        var rest: [Double]
        var opens: Int64
        var closes: Int64
        var hasClosed = false
        /// The end of the time in which rows were sent so far.
        var sentUntil: Int64?

        var sum: Double { rest.reduce(0, +) }
        /// The rows that are left, of which one may be underway; a millionth is an error of the arithmetic.
        var rows: UInt64 { UInt64(max(sum - 1e-6, 0).rounded(.up)) }
    }

    /// - Parameters:
    ///   - counts: The rows of each zone, by route.
    ///   - settings: The windows.
    ///   - rates: The rates.
    ///   - now: UNIX seconds.
    init(
        _ counts: [String: [UInt64]], _ settings: WindowSettings, rates: RouteRates, now: Int64
    ) {
        skips = settings.skips
        var table = ZoneTable()
        var progress: [Progress] = []
        for (name, rows) in counts.sorted(by: { $0.key < $1.key }) {
            guard let rules = table.rules(name) else { continue }
            let (opens, closes) = Self.window(from: now, settings.window, rules)
            zones.append(
                Zone(name: name, rows: rows.reduce(0, +), opens: opens, closes: closes))
            progress.append(
                Progress(rules: rules, rest: rows.map { Double($0) }, opens: opens, closes: closes))
        }
        giveUpClosed(&progress, settings, from: now)
        if rates.areKnown { send(&progress, rates, settings, from: now) }
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
        _ progress: inout [Progress], _ rates: RouteRates, _ settings: WindowSettings,
        from start: Int64
    ) {
        var now = Double(start)
        let until = settings.untilMilliseconds.map { Double($0) / 1000 } ?? .infinity
        for _ in 0..<Limits.hoursPlanStepsMax {
            if now >= until {
                for index in progress.indices { giveUp(&progress, index) }
            }
            let waiting = progress.indices.filter { progress[$0].sum > 0 }
            guard !waiting.isEmpty else { return }
            for index in waiting where Double(progress[index].closes) <= now {
                close(&progress, index, settings.window)
            }
            let open = waiting.filter { Double(progress[$0].opens) <= now && progress[$0].sum > 0 }
            let rest = rates.routes.indices.map { route in
                open.reduce(0) { $0 + progress[$1].rest[route] }
            }
            let speeds = rates.speeds(rest)
            // The rest of each route is sent after so long, if nothing changes before.
            let times = zip(rest, speeds).map { rest, speed in rest > 0 ? rest / speed : .infinity }
            // The next zone that opens or closes.
            let changes = waiting.filter { progress[$0].sum > 0 }.map {
                Double(Double(progress[$0].opens) > now ? progress[$0].opens : progress[$0].closes)
            }
            let change = min(changes.min() ?? now, until)
            let next = min(change, now + (times.min() ?? .infinity))
            for route in rest.indices where rest[route] > 0 {
                let isSent = now + times[route] <= next
                let share = isSent ? 1 : (next - now) * speeds[route] / rest[route]
                for index in open {
                    progress[index].rest[route] *= isSent ? 0 : max(1 - share, 0)
                }
            }
            now = next
            for index in open {
                progress[index].sentUntil = Int64(now.rounded(.up))
                zones[index].last = progress[index].sum > 0 ? nil : progress[index].sentUntil
            }
        }
    }

    /// A window closes: its rows wait for the next one, or are skipped.
    private mutating func close(_ progress: inout [Progress], _ index: Int, _ window: Hours) {
        if !progress[index].hasClosed {
            zones[index].leftOver = progress[index].rows
        }
        progress[index].hasClosed = true
        guard !skips else { return giveUp(&progress, index) }
        (progress[index].opens, progress[index].closes) = Self.window(
            from: progress[index].closes, window, progress[index].rules)
    }

    /// Gives up rows that are not sent at any rate, because their zone is closed now, or opens too late.
    private mutating func giveUpClosed(
        _ progress: inout [Progress], _ settings: WindowSettings, from start: Int64
    ) {
        for index in progress.indices {
            let opens = progress[index].opens
            // Rows to be skipped are read at once.
            let isSkipped = skips && opens > start
            let isTooLate = settings.untilMilliseconds.map { opens * 1000 >= $0 } ?? false
            if isSkipped || isTooLate { giveUp(&progress, index) }
        }
    }

    /// The rows of a zone that are left now are not sent.
    private mutating func giveUp(_ progress: inout [Progress], _ index: Int) {
        let rest = progress[index].rows
        guard rest > 0 else { return }
        zones[index].unsent = rest
        zones[index].last = progress[index].sentUntil
        for route in progress[index].rest.indices { progress[index].rest[route] = 0 }
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
                line += "; \(zone.leftOver) are left over then, and "
                line += skips ? "are skipped" : "wait for the next window"
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
