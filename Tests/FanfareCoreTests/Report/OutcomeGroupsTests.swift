import FanfareCore
import FanfareFigures
import Testing

/// Outcomes by a value of each row.
@Suite struct OutcomeGroupsTests {
    private func groups(_ rows: [(String, Outcome, Int)]) -> OutcomeGroups {
        var groups = OutcomeGroups(column: "variant")
        for (name, outcome, count) in rows {
            for _ in 0..<count { groups.record(name, outcome) }
        }
        return groups
    }

    @Test func `rows are counted by value and outcome, and compared with the largest group`() throws
    {
        let groups = groups([
            ("A", .accepted, 15), ("A", .failed, 20), ("A", .skipped, 15),
            ("B", .accepted, 25), ("B", .failed, 25),
        ])
        #expect(groups.groups.map(\.name) == ["A", "B"])
        #expect(groups.groups.map(\.counts.all) == [50, 50] && groups.outcomes.count == 3)
        #expect(groups.tests.count == 2 && groups.tests[0] == nil)
        // Of all rows, as any share of a job is: R's prop.test of 15 and 25 of 50.
        let test = try #require(groups.tests[1])
        #expect(abs(test.difference - 0.2) < 1e-12)
        #expect(abs(try #require(test.probability) - 0.041_226_8) < 1e-6)
        #expect(
            groups.lines().map { $0.split(separator: " ").joined(separator: " ") } == [
                "by variant rows accepted difference", "A 50 30.0 %",
                "B 50 50.0 % +20.0 pp, p = 0.041",
            ])
    }

    @Test func `a group of which nothing was sent keeps its column`() {
        let groups = groups([("apns", .accepted, 9), ("", .invalid, 3)])
        let lines = groups.lines()
        #expect(
            lines.dropFirst().map { $0.split(separator: " ").joined(separator: " ") } == [
                "apns 9 100.0 %", "(none) 3 0.0 % -100.0 pp, too few rows",
            ])
        #expect(
            lines[1].hasSuffix("100.0 %") && lines[2].dropFirst(lines[1].count).hasPrefix("  -"))
    }

    @Test func `a job in the given order and its report compare with the same group`() throws {
        var groups = groups([("A", .accepted, 1), ("B", .accepted, 2), ("C", .failed, 2)])
        let given = groups.tests
        #expect(given.map { $0 == nil } == [false, true, false])
        groups.sort()
        #expect(groups.groups.map(\.name) == ["B", "C", "A"])
        #expect(groups.tests.map { $0 == nil } == [true, false, false])
        #expect(groups.tests[2] == given[0] && groups.tests[1] == given[2])
        #expect(OutcomeGroups(column: "variant").tests.isEmpty)
    }

    @Test func `the largest come first when they are sorted, by name where they are as large`() {
        var groups = groups([("b", .accepted, 1), ("c", .accepted, 2), ("a", .accepted, 1)])
        groups.sort()
        #expect(groups.groups.map(\.name) == ["c", "a", "b"])
        groups.record("a", .failed)
        #expect(groups.groups.map(\.counts.all) == [2, 2, 1])
    }

    @Test func `of too many values the later ones are counted together`() {
        var groups = OutcomeGroups(column: "id")
        for number in 0..<10_002 { groups.record("\(number)", .accepted) }
        #expect(groups.groups.count == 10_000 && groups.rest[.accepted] == 2)
        groups.record("17", .failed)
        #expect(groups.groups[17].counts.all == 2)
    }

    @Test func `differences are told in points, with what chance may do`() {
        for (first, second, words) in [
            ((15, 50), (25, 50), "+20.0 pp, p = 0.041"),
            ((25, 50), (15, 50), "-20.0 pp, p = 0.041"),
            ((500, 1000), (500, 1000), "0.0 pp, may be chance"),
            ((100, 1000), (500, 1000), "+40.0 pp, p < 0.001"),
            ((4, 40), (4, 40), "0.0 pp, too few rows"),
            ((600, 600), (640, 640), "no difference"), ((0, 3), (0, 2), "no difference"),
        ] as [((UInt64, UInt64), (UInt64, UInt64), String)] {
            #expect(ShareTest((first.0, of: first.1), (second.0, of: second.1))?.words == words)
        }
    }
}
