import FanfareBase
import FanfareCore
import FanfareSystem

/// The sending windows of a plan.
extension PreparedJob {
    /// The settings that decide when rows may be sent; `nil` for no limits of time.
    var windows: WindowSettings? {
        guard let options = configuration.window else { return nil }
        return WindowSettings(
            window: Hours(
                opensMinute: options.opensMinute, closesMinute: options.closesMinute),
            zone: options.timezone, slot: preparation.zoneSlot, skips: options.skipsOutside,
            untilMilliseconds: configuration.engine.untilMilliseconds,
            folder: waitingFolder)
    }

    /// The terms that decide when the job's rows may be sent; `nil` if neither hours nor an end do.
    var terms: HoursPlan.Terms? {
        let engine = configuration.engine
        guard windows != nil || engine.untilMilliseconds != nil else { return nil }
        return HoursPlan.Terms(
            hours: windows?.window, skips: windows?.skips ?? false,
            untilMilliseconds: engine.untilMilliseconds, rise: engine.ramp)
    }

    /// Returns the hours in words.
    /// - Parameter now: UNIX seconds.
    /// - Returns: The hours; `nil` for no limits of time.
    func hours(now: Int64) -> Summary.Hours? {
        guard let options = configuration.window else { return nil }
        let hours = options.shownTimes
        guard options.timezoneColumn == nil else {
            let column = options.timezoneColumn ?? ""
            return Summary.Hours(text: "\(hours), by each row's \(column)", opens: nil)
        }
        var zones = ZoneTable()
        guard let zone = options.timezone, let rules = zones.rules(zone), let windows else {
            return Summary.Hours(text: hours, opens: nil)
        }
        let state = windows.window.state(at: now, in: rules)
        return Summary.Hours(
            text: "\(hours) in \(zone)",
            opens: state.isOpen ? nil : rules.clock(at: state.until))
    }

    /// - Throws: `FanfareError` with code `configuration`.
    static func check(_ window: HoursOptions?) throws(FanfareError) {
        guard let window else { return }
        guard (0..<1440).contains(window.opensMinute), (0...1440).contains(window.closesMinute),
            window.opensMinute != window.closesMinute
        else {
            throw FanfareError(
                .configuration, "a window opens and closes at different minutes of a day")
        }
        guard window.timezone != nil || window.timezoneColumn != nil else {
            throw FanfareError(
                .configuration, "\(.window) needs \(.timezone) or \(.timezoneColumn) as well")
        }
        var zones = ZoneTable()
        guard zones.rules("UTC") != nil else {
            throw FanfareError(
                .configuration,
                "there is no time zone data in \(ZoneTable.systemFolder); the package tzdata has it"
            )
        }
        if let zone = window.timezone, zones.rules(zone) == nil {
            throw FanfareError(
                .configuration,
                "\(.timezone): '\(zone)' is not in \(ZoneTable.systemFolder); names are such as "
                    + "Europe/Berlin, America/New_York or UTC")
        }
    }
}

extension HoursOptions {
    /// `09:00-20:00`.
    var shownTimes: String { "\(Self.time(opensMinute))-\(Self.time(closesMinute))" }

    private static func time(_ minute: Int) -> String {
        [minute / 60, minute % 60].map { String(String(100 + $0).dropFirst()) }
            .joined(separator: ":")
    }
}
