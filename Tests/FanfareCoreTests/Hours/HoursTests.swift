import FanfareCore
import Foundation
import Testing

/// The times when a window opens and closes, by clocks that jump.
@Suite struct HoursTests {
    private static func rules(_ name: String) throws -> TimeZoneRules {
        let data = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)"))
        return try TimeZoneRules(tzif: [UInt8](data))
    }

    private static func moment(_ text: String) throws -> Int64 {
        Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
    }

    private static func window(_ text: String) throws -> Hours {
        let minutes = text.split { ":-".contains($0) }.compactMap { Int($0) }
        try #require(minutes.count == 4)
        return Hours(
            opensMinute: minutes[0] * 60 + minutes[1], closesMinute: minutes[2] * 60 + minutes[3])
    }

    @Test(
        arguments: [
            ("09:00-20:00", "Asia/Kolkata", "2026-01-01T03:29:59Z", false, "2026-01-01T03:30:00Z"),
            ("09:00-20:00", "Asia/Kolkata", "2026-01-01T03:30:00Z", true, "2026-01-01T14:30:00Z"),
            ("09:00-20:00", "Asia/Kolkata", "2026-01-01T14:30:00Z", false, "2026-01-02T03:30:00Z"),
            // The night before a change is an hour shorter or longer.
            ("09:00-20:00", "Europe/Berlin", "2026-03-28T20:00:00Z", false, "2026-03-29T07:00:00Z"),
            ("09:00-20:00", "Europe/Berlin", "2026-10-24T20:00:00Z", false, "2026-10-25T08:00:00Z"),
            // Over midnight, and over the change.
            ("22:00-06:00", "Europe/Berlin", "2026-03-28T21:00:00Z", true, "2026-03-29T04:00:00Z"),
            ("22:00-06:00", "Europe/Berlin", "2026-10-24T20:00:00Z", true, "2026-10-25T05:00:00Z"),
            ("22:00-06:00", "Europe/Berlin", "2026-06-01T04:00:00Z", false, "2026-06-01T20:00:00Z"),
            // 02:30 is jumped over: at 02:00 it is 03:00.
            ("02:30-05:00", "Europe/Berlin", "2026-03-29T00:30:00Z", false, "2026-03-29T01:00:00Z"),
            ("00:00-02:30", "Europe/Berlin", "2026-03-29T00:30:00Z", true, "2026-03-29T01:00:00Z"),
            // All of it is jumped over: the next day then.
            ("02:10-02:50", "Europe/Berlin", "2026-03-29T00:30:00Z", false, "2026-03-30T00:10:00Z"),
            // 02:30 comes twice: what has closed opens again, by the clock on the wall.
            ("01:00-02:30", "Europe/Berlin", "2026-10-25T00:00:00Z", true, "2026-10-25T00:30:00Z"),
            ("01:00-02:30", "Europe/Berlin", "2026-10-25T00:30:00Z", false, "2026-10-25T01:00:00Z"),
            ("01:00-02:30", "Europe/Berlin", "2026-10-25T01:00:00Z", true, "2026-10-25T01:30:00Z"),
            // 30 December 2011 did not happen in Samoa.
            ("09:00-20:00", "Pacific/Apia", "2011-12-30T09:00:00Z", false, "2011-12-30T19:00:00Z"),
            ("00:00-24:00", "UTC", "2026-01-01T12:00:00Z", true, "2026-01-02T00:00:00Z"),
            ("20:00-00:00", "UTC", "2026-01-01T12:00:00Z", false, "2026-01-01T20:00:00Z"),
            ("20:00-24:00", "UTC", "2026-01-01T23:59:59Z", true, "2026-01-02T00:00:00Z"),
        ])
    func `it is open or not, until a moment`(
        hours: String, zone: String, now: String, isOpen: Bool, until: String
    ) throws {
        let state = try Self.window(hours).state(at: Self.moment(now), in: Self.rules(zone))
        #expect(state.isOpen == isOpen)
        #expect(try state.until == Self.moment(until))
    }

    @Test(
        arguments: [
            "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Chatham",
            "Australia/Lord_Howe",
        ], ["09:00-20:00", "22:00-06:00", "02:15-02:45", "01:30-03:00"])
    func `Foundation's clock says the same, minute by minute over both changes`(
        name: String, hours: String
    ) throws {
        let window = try Self.window(hours)
        let rules = try Self.rules(name)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: name))
        for start in [
            "2026-03-07T00:00:00Z", "2026-03-28T12:00:00Z", "2026-04-04T00:00:00Z",
            "2026-09-26T00:00:00Z", "2026-10-24T12:00:00Z", "2026-10-31T12:00:00Z",
        ] {
            var state: Hours.State?
            for minute in 0..<(60 * 36) as Range<Int64> {
                let now = try Self.moment(start) + minute * 60
                let parts = calendar.dateComponents(
                    [.hour, .minute], from: Date(timeIntervalSince1970: Double(now)))
                let time = try Int64(#require(parts.hour) * 3600 + #require(parts.minute) * 60)
                let isOpen =
                    window.opens < window.closes
                    ? (window.opens..<window.closes).contains(time)
                    : time >= window.opens || time < window.closes
                // The same state from the beginning to the end that was told.
                if let before = state, now < before.until {
                    #expect(before.isOpen == isOpen, "\(now)")
                } else {
                    let new = window.state(at: now, in: rules)
                    #expect(new.isOpen == isOpen && new.until > now, "\(now)")
                    if let before = state { #expect(now - before.until < 60) }
                    state = new
                }
            }
        }
    }
}
