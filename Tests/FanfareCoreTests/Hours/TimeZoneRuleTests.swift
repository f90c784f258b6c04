import Foundation
import Testing

@testable import FanfareCore

/// Rules as POSIX writes them: TZ in chapter 8 of the base definitions.
@Suite struct TimeZoneRuleTests {
    private func read(_ text: String) -> TimeZoneRule? { TimeZoneRule(Array(text.utf8)[...]) }

    @Test(
        arguments: [
            ("UTC0", 0), ("CET-1", 3600), ("<+0530>-5:30", 19_800), ("<-03>3", -10_800),
            ("<+1245>-12:45", 45_900), ("ABC+1:02:03", -3723), ("ABC167", -601_200),
            ("ABC0:59:59", -3599),
        ] as [(String, Int64)])
    func `an offset is west of Greenwich, in hours, minutes and seconds`(
        text: String, offset: Int64
    ) throws {
        let rule = try #require(read(text))
        #expect(rule.offset(at: 0) == offset)
    }

    @Test(arguments: [
        "", "AB0", "ABC", "<+03", "<+03>", "ABC168", "ABC1:60", "ABC1:", "ABC1:00:60", "ABC0001",
        "ABC1x", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0/3", "CET-1CEST,M0.5.0,M10.5.0/3",
        "CET-1CEST,M3.6.0,M10.5.0/3", "CET-1CEST,M3.0.0,M10.5.0/3", "CET-1CEST,M3.5.7,M10.5.0/3",
        "CET-1CEST,J0,J9", "CET-1CEST,J366,J9", "CET-1CEST,366,9", "CET-1CEST,M3.5.0,M10.5.0/3x",
        "ÄÖÜ1",
    ])
    func `what is no rule is none`(text: String) {
        let rule = read(text)
        #expect(rule == nil)
    }

    /// The moments in UNIX seconds, of which there are 86,400 to a day.
    private static func moment(_ text: String) throws -> Int64 {
        Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
    }

    @Test(
        arguments: [
            // The last Sundays of March and October: the 28th and the 31st in 2100, at 01:00 UTC.
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2100-03-28T01:00:00Z", 3600, 7200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2100-10-31T01:00:00Z", 7200, 3600),
            // A month with four of them: 25 October 2026.
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:00:00Z", 7200, 3600),
            ("EST5EDT,M12.5.0,M1.1.0", "2026-12-27T07:00:00Z", -18_000, -14_400),
            // South of the equator it is summer at the turn of the year; by half an hour here.
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-10-03T15:30:00Z", 37_800, 39_600),
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2027-04-03T15:00:00Z", 39_600, 37_800),
            // J60 is 1 March in every year, and 59, counted from zero, only where there is no leap day.
            ("EST5EDT,J60,J300", "2027-03-01T07:00:00Z", -18_000, -14_400),
            ("EST5EDT,J60,J300", "2028-03-01T07:00:00Z", -18_000, -14_400),
            // 2000 was a leap year, 2100 is none.
            ("EST5EDT,J60,J300", "2000-03-01T07:00:00Z", -18_000, -14_400),
            ("EST5EDT,59,J300", "2000-02-29T07:00:00Z", -18_000, -14_400),
            ("EST5EDT,J60,J300", "2100-03-01T07:00:00Z", -18_000, -14_400),
            ("EST5EDT,59,J300", "2027-03-01T07:00:00Z", -18_000, -14_400),
            ("EST5EDT,59,J300", "2028-02-29T07:00:00Z", -18_000, -14_400),
            ("EST5EDT,J59,J300", "2028-02-28T07:00:00Z", -18_000, -14_400),
            // At another time than 02:00, also before the day.
            ("ZZZ0AAA,J100/1:30,J300", "2027-04-10T01:30:00Z", 0, 3600),
            ("ZZZ0AAA,J100/-1:30,J300", "2027-04-09T22:30:00Z", 0, 3600),
            ("zza0aaz,J100,J300/26:00:01", "2027-10-28T01:00:01Z", 3600, 0),
        ] as [(String, String, Int64, Int64)])
    func `a clock changes on the day and at the time that the rule names`(
        text: String, moment: String, before: Int64, after: Int64
    ) throws {
        let rule = try #require(read(text))
        let moment = try Self.moment(moment)
        #expect(rule.offset(at: moment - 1) == before && rule.offset(at: moment) == after)
        #expect(rule.nextTransition(after: moment - 1) == moment)
        let next = try #require(rule.nextTransition(after: moment))
        #expect(next > moment && rule.offset(at: next) == before)
    }
}
