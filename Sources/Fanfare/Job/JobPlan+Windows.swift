import FanfareBase
import FanfareCore
import FanfareSystem

/// The sending windows of a plan.
extension JobPlan {
    /// The settings that decide when rows may be sent; `nil` for no limits of time.
    var windows: WindowSettings? {
        guard let options = configuration.window else { return nil }
        return WindowSettings(
            window: SendingWindow(
                opensMinute: options.opensMinute, closesMinute: options.closesMinute),
            zone: options.timezone, slot: preparation.zoneSlot, skips: options.skipsOutside,
            untilMilliseconds: configuration.engine.untilMilliseconds,
            folder: waitingFolder)
    }

    /// - Throws: `FanfareError` with code `configuration`.
    static func check(_ window: WindowOptions?) throws(FanfareError) {
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
