import FanfareBase
import FanfareCore

/// A forecast of when each time zone's rows are sent, from the rates, the hours and the end of a job.
///
/// Rows of zones that are open at the same time take turns, in the order of the inputs. A zone that
/// closes with rows left goes on when it opens again, unless its rows are skipped then. In a job
/// without hours all rows are in one zone, which is always open.
struct HoursPlan {
    /// The terms of a job that decide when its rows may be sent.
    struct Terms {
        /// The hours; `nil` if rows may be sent at any time.
        var hours: Hours?
        /// True if rows outside their hours are skipped instead of waiting.
        var skips = false
        /// The moment after which nothing may start, in milliseconds of UNIX time.
        var untilMilliseconds: Int64?
        /// The time in which the rates rise to their height.
        var rise: Duration = .zero
    }

    /// The name of the zone that holds the rows of a job without hours.
    static let always = ""

    /// The forecast for one zone's rows.
    struct Zone {
        let name: String
        let rows: UInt64
        /// The rules of the zone; `nil` for the one that is always open.
        fileprivate let rules: TimeZoneRules?
        /// The moment when the first of the rows may be sent, in UNIX seconds.
        let opens: Int64
        /// The moment when the zone closes for the first time.
        let closes: Int64
        /// The rows that are left when the zone closes for the first time; `nil` before it does.
        fileprivate var leftAtClose: UInt64?
        /// The rows that are never sent, because the job ends before, or because they are skipped when
        /// the zone is closed.
        fileprivate(set) var unsent: UInt64 = 0

        /// The times in which the zone is open now, or will be next.
        fileprivate var open: (from: Int64, to: Int64)
        /// Rows that are left, by route.
        fileprivate var rest: [Double]
        /// The end of the time in which rows were sent so far.
        fileprivate var sentUntil: Int64?

        fileprivate init(
            _ name: String, _ rows: [UInt64], _ rules: TimeZoneRules?,
            _ open: (from: Int64, to: Int64)
        ) {
            self.name = name
            self.rows = rows.reduce(0, +)
            self.rules = rules
            (opens, closes) = open
            self.open = open
            rest = rows.map { Double($0) }
        }

        /// The rows that are left when the zone closes for the first time.
        var leftOver: UInt64 { leftAtClose ?? 0 }

        /// The moment when the last of those that are sent is sent; `nil` without a rate, or if that is
        /// years ahead.
        var last: Int64? { sum > 0 ? nil : sentUntil }

        fileprivate var sum: Double { rest.reduce(0, +) }

        /// The rows that are left, where the rate's parts of rows are rounded.
        fileprivate var rowsLeft: UInt64 { UInt64(max(sum, 0).rounded()) }

        /// Gives up the rows that are left.
        fileprivate mutating func giveUp() {
            unsent += rowsLeft
            for route in rest.indices { rest[route] = 0 }
        }
    }

    private(set) var zones: [Zone] = []
    private let terms: Terms

    /// The moment when the last row of all is sent; `nil` if that is not known.
    var end: Int64? {
        guard zones.allSatisfy({ $0.last != nil || $0.unsent == $0.rows }) else { return nil }
        return zones.compactMap(\.last).max()
    }

    /// The rows that are never sent, by their zones.
    var unsent: [(zone: String, rows: UInt64)] {
        zones.filter { $0.unsent > 0 }.map { ($0.name, $0.unsent) }
    }

    /// - Parameters:
    ///   - counts: The rows of each zone, by route.
    ///   - terms: The hours and the end.
    ///   - rates: The rates.
    ///   - now: UNIX seconds.
    init(_ counts: [String: [UInt64]], _ terms: Terms, rates: RouteRates, now: Int64) {
        self.terms = terms
        var table = ZoneTable()
        for (name, rows) in counts {
            var (rules, open) = (nil as TimeZoneRules?, (from: now, to: Int64.max))
            if let hours = terms.hours {
                guard let known = table.rules(name) else { continue }
                (rules, open) = (known, Self.open(from: now, hours, known))
            }
            zones.append(Zone(name, rows, rules, open))
        }
        zones.sort { ($0.opens, $0.name) < ($1.opens, $1.name) }
        giveUpClosed(from: now)
        if rates.areKnown { send(rates, from: now) }
    }

    /// The time of a zone that is open at a moment, or else the next one.
    private static func open(
        from moment: Int64, _ hours: Hours, _ rules: TimeZoneRules
    ) -> (from: Int64, to: Int64) {
        let state = hours.state(at: moment, in: rules)
        guard !state.isOpen else { return (moment, state.until) }
        return (state.until, hours.state(at: state.until, in: rules).until)
    }

    /// Goes from one moment at which something changes to the next.
    private mutating func send(_ rates: RouteRates, from start: Int64) {
        let until = terms.untilMilliseconds.map { Double($0) / 1000 } ?? .infinity
        let rise = RateRise(from: Double(start), over: terms.rise / .seconds(1))
        var now = Double(start)
        for _ in 0..<Limits.hoursPlanStepsMax {
            if now >= until {
                for index in zones.indices { zones[index].giveUp() }
            }
            for index in zones.indices where Double(zones[index].open.to) <= now { close(index) }
            let waiting = zones.indices.filter { zones[$0].sum > 0 }
            guard !waiting.isEmpty else { return }
            let open = waiting.filter { Double(zones[$0].open.from) <= now }
            let rest = rates.routes.indices.map { route in
                open.reduce(0) { $0 + zones[$1].rest[route] }
            }
            let speeds = rates.speeds(rest)
            // The moments when the rest of each route is sent, if nothing changes before.
            let ends = zip(rest, speeds).map { rest, speed in
                rest > 0 ? rise.moment(rest / speed, after: now) : .infinity
            }
            // The next zone that opens or closes.
            let changes = waiting.map {
                let times = zones[$0].open
                return Double(Double(times.from) > now ? times.from : times.to)
            }
            let next = min(changes.min() ?? now, until, ends.min() ?? .infinity)
            for route in rest.indices where rest[route] > 0 {
                let isSent = ends[route] <= next
                let share =
                    isSent ? 1 : rise.time(from: now, to: next) * speeds[route] / rest[route]
                for index in open { zones[index].rest[route] *= isSent ? 0 : max(1 - share, 0) }
            }
            now = next
            for index in open { zones[index].sentUntil = Int64(now.rounded(.up)) }
        }
    }

    /// A zone closes: its rows wait until it opens again, or are skipped.
    private mutating func close(_ index: Int) {
        guard zones[index].sum > 0, let hours = terms.hours, let rules = zones[index].rules else {
            return
        }
        let left = zones[index].rowsLeft
        zones[index].leftAtClose = zones[index].leftAtClose ?? left
        guard !terms.skips, left > 0 else { return zones[index].giveUp() }
        zones[index].open = Self.open(from: zones[index].open.to, hours, rules)
    }

    /// Gives up rows that are not sent at any rate, because their zone is closed now, or opens too late.
    private mutating func giveUpClosed(from start: Int64) {
        for index in zones.indices {
            let opens = zones[index].opens
            // Rows to be skipped are read at once.
            let isSkipped = terms.skips && opens > start
            let isTooLate = terms.untilMilliseconds.map { opens * 1000 >= $0 } ?? false
            if isSkipped || isTooLate { zones[index].giveUp() }
        }
    }

    // MARK: Text

    /// The lines for people: one for each zone of a job with hours, the earliest zones first.
    var lines: [String] {
        zones.compactMap { zone in
            guard let rules = zone.rules else { return nil }
            var line =
                "\(zone.name): \(NumberText.grouped(zone.rows)) \(zone.rows == 1 ? "row" : "rows"), from \(rules.clock(at: zone.opens)) to "
                + "\(rules.clock(at: zone.closes)) local time"
            if let last = zone.last { line += ", the last about \(rules.clock(at: last))" }
            if zone.leftOver > 0 {
                let isOne = zone.leftOver == 1
                line += "; \(NumberText.grouped(zone.leftOver)) \(isOne ? "is" : "are") left over "
                line += "then, and "
                line +=
                    terms.skips
                    ? (isOne ? "is skipped" : "are skipped")
                    : (isOne ? "waits for the next window" : "wait for the next window")
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
