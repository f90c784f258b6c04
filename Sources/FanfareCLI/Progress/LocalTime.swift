import FanfareBase

#if canImport(Glibc)
    import Glibc
#endif

/// Moments as the clock on this machine's wall shows them (`TZ`, or /etc/localtime).
enum LocalTime {
    private static let days = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    /// `Sunday 11:42`; a week ahead and more with the date.
    /// - Parameters:
    ///   - moment: UNIX seconds.
    ///   - now: UNIX seconds, too.
    /// - Returns: The text; empty for a moment that no calendar has.
    static func text(_ moment: Int64, now: Int64) -> String {
        var seconds = time_t(moment)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return "" }
        let (hour, minute, weekday) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_wday)
        let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
        let clock = "\(NumberText.twoDigits(hour)):\(NumberText.twoDigits(minute))"
        if abs(moment - now) < 6 * 86_400 { return "\(days[Int(weekday)]) \(clock)" }
        return "\(year)-\(NumberText.twoDigits(month))-\(NumberText.twoDigits(day)) \(clock)"
    }
}
