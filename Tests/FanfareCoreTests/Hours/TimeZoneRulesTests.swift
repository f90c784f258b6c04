import FanfareBase
import FanfareCore
import Foundation
import Testing

/// The system's zones, held against published facts and against Foundation's reading of them.
@Suite struct TimeZoneRulesTests {
    private static let folder = "/usr/share/zoneinfo"

    private static func rules(_ name: String) throws -> TimeZoneRules {
        let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
        return try TimeZoneRules(tzif: [UInt8](data))
    }

    /// UNIX seconds of `2026-03-29T01:00:00Z`.
    private static func moment(_ text: String) throws -> Int64 {
        Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
    }

    @Test(
        arguments: [
            // The European Union changes at 01:00 UTC on the last Sundays of March and October.
            ("Europe/Berlin", "2026-03-29T01:00:00Z", 3600, 7200),
            ("Europe/Berlin", "2026-10-25T01:00:00Z", 7200, 3600),
            // The United States at 02:00 local time, second Sunday of March, first of November.
            ("America/New_York", "2026-03-08T07:00:00Z", -18_000, -14_400),
            ("America/New_York", "2026-11-01T06:00:00Z", -14_400, -18_000),
            // The Chatham Islands at 02:45 standard time: first Sunday of April, last of September.
            ("Pacific/Chatham", "2026-04-04T14:00:00Z", 49_500, 45_900),
            ("Pacific/Chatham", "2026-09-26T14:00:00Z", 45_900, 49_500),
            // Lord Howe Island moves by half an hour.
            ("Australia/Lord_Howe", "2026-04-04T15:00:00Z", 39_600, 37_800),
        ])
    func `a clock changes when it was published to`(
        name: String, text: String, before: Int64, after: Int64
    ) throws {
        let rules = try Self.rules(name)
        let moment = try Self.moment(text)
        #expect(rules.offset(at: moment - 1) == before && rules.offset(at: moment) == after)
        #expect(rules.nextTransition(after: moment - 1) == moment)
        #expect(try #require(rules.nextTransition(after: moment)) > moment)
    }

    @Test func `zones without changes have none`() throws {
        let kolkata = try Self.rules("Asia/Kolkata")
        let now = try Self.moment("2026-06-01T00:00:00Z")
        #expect(kolkata.offset(at: now) == 19_800 && kolkata.nextTransition(after: now) == nil)
        let utc = try Self.rules("UTC")
        #expect(utc.offset(at: now) == 0 && utc.nextTransition(after: 0) == nil)
        #expect(try Self.rules("Etc/GMT+12").offset(at: now) == -43_200)
    }

    @Test(
        arguments: [
            "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Chatham",
            "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo", "Europe/Dublin",
            "Antarctica/Troll", "Asia/Gaza", "America/Nuuk", "Pacific/Apia", "Asia/Tehran",
        ])
    func `offsets are those that Foundation reads, now and in the far future`(
        name: String
    ) throws {
        let rules = try Self.rules(name)
        let zone = try #require(TimeZone(identifier: name))
        // 11 days and some hours apart, from 1950 to 2037, where all files have their transitions.
        for moment in stride(from: -631_152_000, to: 2_114_380_800, by: 977_777) as StrideTo<Int64>
        {
            let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
            #expect(rules.offset(at: moment) == Int64(expected), "\(moment)")
        }
    }

    @Test func `the rule holds behind the last transition`() throws {
        // In 2100 as ever: CET-1CEST,M3.5.0,M10.5.0/3; 28 March and 31 October are last Sundays.
        let berlin = try Self.rules("Europe/Berlin")
        let spring = try Self.moment("2100-03-28T01:00:00Z")
        let autumn = try Self.moment("2100-10-31T01:00:00Z")
        #expect(berlin.offset(at: spring - 1) == 3600 && berlin.offset(at: spring) == 7200)
        #expect(berlin.nextTransition(after: spring) == autumn)
        #expect(berlin.offset(at: autumn - 1) == 7200 && berlin.offset(at: autumn) == 3600)
    }

    /// A file of version 2 with no transitions but those of its footer.
    private static func file(_ footer: String) -> [UInt8] {
        let header =
            Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
            + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
        let type = [0, 0, 0, 0, 0, 0] as [UInt8] + Array("UTC\0".utf8)
        return header + type + header + type + Array("\n\(footer)\n".utf8)
    }

    @Test(
        arguments: [
            ("EST5EDT", nil), ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z"),
            // 1 March is day 60 by Julian count in every year, and 59 from zero in this one.
            ("AAA0BBB,J60/0,J300", "2026-03-01T00:00:00Z"),
            ("AAA0BBB,59/0,300", "2026-03-01T00:00:00Z"),
            ("<+0330>-3:30<+0430>,J79/24,J263/24", "2026-03-20T20:30:00Z"),
            ("AAA0BBB-2:30:15,M2.1.1/-1:30,M12.5.6/167", "2026-02-01T22:30:00Z"),
        ])
    func `a rule is read in all its forms`(text: String, change: String?) throws {
        guard let change else {
            #expect(throws: TimeZoneRules.Fault.self) {
                try TimeZoneRules(tzif: Self.file(text))
            }
            return
        }
        let rules = try TimeZoneRules(tzif: Self.file(text))
        let year = try Self.moment("2026-01-15T00:00:00Z")
        #expect(rules.nextTransition(after: year) == (try Self.moment(change)))
    }

    @Test func `a rule holds at the ends of time`() throws {
        // One million cycles of 400 years lie between them, after which all days come again.
        let berlin = try TimeZoneRules(tzif: Self.file("CET-1CEST,M3.5.0,M10.5.0/3"))
        let far: Int64 = 1_000_000 * 12_622_780_800
        let spring = try Self.moment("2026-03-29T01:00:00Z")
        for shift in [-far, far] {
            #expect(berlin.offset(at: spring + shift - 1) == 3600)
            #expect(berlin.offset(at: spring + shift) == 7200)
            #expect(berlin.nextTransition(after: spring + shift - 1) == spring + shift)
        }
        for text in ["CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0"] {
            let rules = try TimeZoneRules(tzif: Self.file(text))
            #expect([-18_000, -14_400, 3600, 7200].contains(rules.offset(at: .min)))
            #expect([-18_000, -14_400, 3600, 7200].contains(rules.offset(at: .max)))
            #expect(try #require(rules.nextTransition(after: .min)) > .min)
            #expect(rules.nextTransition(after: .max) == nil)
        }
    }

    @Test func `what is no zone is refused, at every length`() throws {
        let good = Self.file("CET-1CEST,M3.5.0,M10.5.0/3")
        #expect(try TimeZoneRules(tzif: good).offset(at: 0) == 3600)
        for count in 0..<good.count - 1 {
            #expect(throws: TimeZoneRules.Fault.self) {
                try TimeZoneRules(tzif: Array(good.prefix(count)))
            }
        }
        var dice = SplitMix64(seed: 7)
        for _ in 0..<5000 {
            // Any answer will do, but no trap.
            var bytes = good
            for _ in 0..<4 {
                bytes[.random(in: 0..<bytes.count, using: &dice)] = .random(
                    in: 0...255, using: &dice)
            }
            guard let rules = try? TimeZoneRules(tzif: bytes) else { continue }
            _ = rules.offset(at: 1_800_000_000)
            _ = rules.nextTransition(after: 1_800_000_000)
        }
    }
}
