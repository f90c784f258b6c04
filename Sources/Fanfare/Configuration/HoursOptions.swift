/// The hours at which rows may be sent, by the clock of each row's place.
public struct HoursOptions: Sendable, Equatable {
    /// The opening time, in minutes since midnight: 0 to 1439.
    public var opensMinute: Int
    /// The closing time, 0 to 1440; one earlier than `opensMinute` is on the next day.
    public var closesMinute: Int
    /// The zone of rows that name none: `Europe/Berlin`.
    public var timezone: String?
    /// The input's column that names a row's zone.
    public var timezoneColumn: String?
    /// True if rows outside their window are `skipped`, instead of waiting for it.
    public var skipsOutside = false

    /// A window that needs a zone as well.
    public init(opensMinute: Int, closesMinute: Int) {
        self.opensMinute = opensMinute
        self.closesMinute = closesMinute
    }
}
