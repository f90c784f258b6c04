import FanfareCore
import Testing

@Suite struct ThresholdTests {
    static func counts(_ pairs: [Outcome: UInt64]) -> OutcomeCounts {
        var counts = OutcomeCounts()
        for (outcome, count) in pairs { counts[outcome] = count }
        return counts
    }

    @Test(
        arguments: [
            ("suspect>50%", .suspect, .share(500_000), "suspect>50%"),
            ("unregistered > 5 %", .unregistered, .share(50_000), "unregistered>5%"),
            ("failed>0%", .failed, .share(0), "failed>0%"),
            ("unknown>99.9999%", .unknown, .share(999_999), "unknown>99.9999%"),
            ("invalid>0.5%", .invalid, .share(5_000), "invalid>0.5%"),
            ("rejected>012.50%", .rejected, .share(125_000), "rejected>12.5%"),
            ("throttled>0.001%", .throttled, .share(10), "throttled>0.001%"),
            ("accepted>0", .accepted, .count(0), "accepted>0"),
            (" skipped>1000", .skipped, .count(1000), "skipped>1000"),
            (
                "failed>999999999999999999", .failed, .count(999_999_999_999_999_999),
                "failed>999999999999999999"
            ),
        ] as [(String, Outcome, Threshold.Amount, String)])
    func `a bound is a share or a number of rows`(
        text: String, outcome: Outcome, amount: Threshold.Amount, canonical: String
    ) throws {
        let threshold = try Threshold(text)
        #expect(threshold == Threshold(outcome, amount))
        #expect(threshold.description == canonical)
        #expect(try Threshold(canonical) == threshold)
    }

    @Test func `a colon stands for what a shell takes for itself`() throws {
        #expect(try Threshold("suspect:10%") == Threshold("suspect>10%"))
        #expect(try Threshold("failed : 7") == Threshold("failed>7"))
    }

    @Test func `fewer than a bound from below cross it, the bound itself does not`() throws {
        let share = try Threshold("accepted < 90 %")
        #expect(share.description == "accepted<90%")
        #expect(share.isCrossed(by: Self.counts([.accepted: 89, .suspect: 11])))
        #expect(!share.isCrossed(by: Self.counts([.accepted: 90, .suspect: 10])))
        // Skipped rows are no part of the whole; invalid ones were to be sent, and are.
        #expect(!share.isCrossed(by: Self.counts([.accepted: 9, .failed: 1, .skipped: 1000])))
        #expect(share.isCrossed(by: Self.counts([.invalid: 1])))
        #expect(share.isCrossed(by: Self.counts([.accepted: 506, .invalid: 494])))
        #expect(
            try !Threshold("accepted<50%").isCrossed(
                by: Self.counts([.accepted: 506, .invalid: 494])))
        #expect(share.base(of: Self.counts([.accepted: 5, .invalid: 3, .skipped: 2])) == 8)
        // Of no rows there is too little of everything.
        #expect(share.isCrossed(by: Self.counts([:])))
        #expect(share.isCrossed(by: Self.counts([.skipped: 3])))
        let all = try Threshold("accepted<100%")
        #expect(all.isCrossed(by: Self.counts([.accepted: 999_999, .failed: 1])))
        #expect(!all.isCrossed(by: Self.counts([.accepted: 10])))
        let rows = try Threshold("accepted<1000")
        #expect(rows.isCrossed(by: Self.counts([.accepted: 999])))
        #expect(!rows.isCrossed(by: Self.counts([.accepted: 1000])))
    }

    @Test(arguments: [
        ("", "is not of the form"), ("suspect", "is not of the form"),
        ("suspect>=5%", "has >=, and a bound is above an amount: suspect>5%"),
        ("accepted<=90%", "has <=, and a bound is below an amount: accepted<90%"),
        ("suspect=5%", "is not of the form"),
        ("accepted<0%", "can never hold: no share is below 0%"),
        ("accepted<100.5%", "can never hold: the whole is 100%"),
        ("accepted<101%", "can never hold: the whole is 100%"),
        ("suspect>100%", "can never hold: the whole is 100%"),
        ("accepted<>5%", "is not of the form"), ("accepted<x", "has no number of rows or share in"),
        ("suspect>1>2", "is not of the form"), ("suspect>", "has no number of rows or share"),
        ("suspect>%", "has no share"), ("suspect>-1", "has no number"),
        ("suspect>1.5", "has no number"), ("suspect>1k", "has no number"),
        ("suspect>.5%", "has no share"), ("suspect>5.%", "has no share"),
        ("suspect>5.5.5%", "has no share"), ("suspect>1e1%", "has no share"),
        ("suspect>\u{661}%", "has no share"), ("suspect>1.00001%", "has more than four digits"),
        ("suspect>250%", "can never hold"),
        ("suspect>1000000000000000000", "has no number"),
        ("Suspect>5%", "has no outcome before its >; there are accepted, unregistered, "),
        (">5%", "has no outcome"), ("all>5%", "has no outcome"),
    ])
    func `what is no bound is refused`(text: String, problem: String) {
        do throws(Threshold.Fault) {
            _ = try Threshold(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.problem.hasPrefix(problem), "\(text): \(error.problem)")
        }
    }

    @Test func `more than a bound crosses it, the bound itself does not`() throws {
        let half = try Threshold("suspect>50%")
        #expect(!half.isCrossed(by: Self.counts([:])))
        #expect(!half.isCrossed(by: Self.counts([.suspect: 5, .accepted: 5])))
        #expect(half.isCrossed(by: Self.counts([.suspect: 6, .accepted: 5])))
        let ten = try Threshold("failed>10")
        #expect(!ten.isCrossed(by: Self.counts([.failed: 10])))
        #expect(ten.isCrossed(by: Self.counts([.failed: 11, .accepted: 1_000_000])))
        let some = try Threshold("unregistered>0%")
        #expect(!some.isCrossed(by: Self.counts([.accepted: 5])))
        #expect(some.isCrossed(by: Self.counts([.accepted: 1 << 60, .unregistered: 1])))
    }

    @Test func `shares are of the rows that were sent, or of all for those that were not`() throws {
        let mixed = Self.counts([.suspect: 6, .accepted: 4, .invalid: 50, .skipped: 40])
        #expect(try Threshold("suspect>50%").isCrossed(by: mixed))
        #expect(try !Threshold("suspect>60%").isCrossed(by: mixed))
        #expect(try Threshold("invalid>49%").isCrossed(by: mixed))
        #expect(try !Threshold("invalid>50%").isCrossed(by: mixed))
        #expect(try Threshold("skipped>39.9%").isCrossed(by: mixed))
        #expect(try Threshold("suspect>50%").base(of: mixed) == 10)
        #expect(try Threshold("invalid>50%").base(of: mixed) == 100)
    }
}

@Suite struct StopRuleTests {
    private func rule(_ texts: String...) throws -> StopRule {
        StopRule(try texts.map { try Threshold($0) })
    }

    /// Feeds outcomes one by one.
    /// - Returns: The number of rows that had come when the rule spoke, if it did.
    private func stops(
        _ rule: StopRule, _ outcomes: [Outcome], rowCount: UInt64? = nil, batch: Int = 1
    ) -> Int? {
        var rule = rule
        var counts = OutcomeCounts()
        for (index, outcome) in outcomes.enumerated() {
            counts[outcome] += 1
            guard (index + 1).isMultiple(of: batch) || index + 1 == outcomes.count else { continue }
            if rule.check(counts, rowCount: rowCount) != nil { return index + 1 }
        }
        return nil
    }

    private func repeating(_ outcome: Outcome, _ count: Int) -> [Outcome] {
        Array(repeating: outcome, count: count)
    }

    @Test func `a share speaks as soon as the first thousand cannot turn it`() throws {
        let rule = try rule("suspect>50%")
        #expect(stops(rule, repeating(.suspect, 5000)) == 501)
        #expect(stops(rule, repeating(.accepted, 499) + repeating(.suspect, 501)) == 1000)
        #expect(stops(rule, repeating(.accepted, 500) + repeating(.suspect, 5000)) == nil)
        let alternating = (0..<5000).map { $0.isMultiple(of: 2) ? Outcome.suspect : .accepted }
        #expect(stops(rule, alternating) == nil)
    }

    @Test func `a few rows at the beginning are no reason`() throws {
        let early = repeating(.suspect, 400) + repeating(.accepted, 5000)
        #expect(stops(try rule("suspect>50%"), early) == nil)
    }

    @Test func `rows that were never sent do not hide the others`() throws {
        let outcomes = repeating(.invalid, 3000) + repeating(.suspect, 5000)
        #expect(stops(try rule("suspect>50%"), outcomes) == 3501)
        #expect(stops(try rule("invalid>50%"), outcomes) == 501)
    }

    @Test func `a shorter job is measured by its length`() throws {
        let rule = try rule("suspect>50%")
        #expect(stops(rule, repeating(.suspect, 400), rowCount: 400) == 201)
        #expect(stops(rule, repeating(.suspect, 400), rowCount: nil) == nil)
        let mixed = repeating(.accepted, 199) + repeating(.suspect, 201)
        #expect(stops(rule, mixed, rowCount: 400) == 400)
        #expect(
            stops(rule, repeating(.invalid, 200) + repeating(.suspect, 200), rowCount: 400) == 301)
        #expect(stops(rule, repeating(.suspect, 5000), rowCount: 5000) == 501)
    }

    @Test func `a handful of rows is left alone`() throws {
        let rule = try rule("suspect>50%")
        #expect(stops(rule, repeating(.suspect, 50), rowCount: 50) == nil)
        #expect(stops(rule, repeating(.suspect, 60), rowCount: 60) == 51)
        #expect(stops(rule, repeating(.suspect, 1), rowCount: 1) == nil)
        #expect(stops(try self.rule("suspect>0%"), repeating(.suspect, 1), rowCount: 1) == 1)
    }

    @Test func `the batch with the thousandth outcome counts whole, and is the last`() throws {
        let rule = try rule("suspect>50%")
        let late = repeating(.accepted, 600) + repeating(.suspect, 5000)
        // 600 of 1,200, then 900 of 1,500.
        #expect(stops(rule, late, batch: 600) == nil)
        #expect(stops(rule, late, batch: 1500) == 1500)
    }

    @Test func `a number of rows is watched all the time`() throws {
        let outcomes = repeating(.accepted, 100_000) + repeating(.unregistered, 101)
        let rule = try rule("suspect>50%", "unregistered>100")
        #expect(stops(rule, outcomes, batch: 1) == 100_101)
        var spent = rule
        _ = spent.check(ThresholdTests.counts([.accepted: 1000]), rowCount: nil)
        #expect(spent.isWatching)
    }

    @Test func `nothing to watch is nothing to do`() throws {
        var none = StopRule([])
        #expect(!none.isWatching)
        #expect(none.check(ThresholdTests.counts([.suspect: 1000]), rowCount: 1000) == nil)
        var share = try rule("suspect>50%")
        _ = share.check(ThresholdTests.counts([.accepted: 1000]), rowCount: nil)
        #expect(!share.isWatching)
    }

    @Test func `a number of rows is that of all workers, and a share that of its own`() throws {
        var both = try rule("failed>5", "suspect>50%")
        let others = ThresholdTests.counts([.failed: 4, .suspect: 5_000])
        let first = ThresholdTests.counts([.failed: 1, .accepted: 99])
        #expect(both.check(first, others: others, rowCount: nil) == nil)
        let second = ThresholdTests.counts([.failed: 2, .accepted: 99])
        #expect(both.check(second, others: others, rowCount: nil) == Threshold(.failed, .count(5)))
        let order = others.inOrder
        #expect(OutcomeCounts(inOrder: order[...]) == others)
        #expect(order.reduce(0, +) == 5_004)
    }

    @Test func `the first bound that is crossed is named`() throws {
        var both = try rule("failed>5", "suspect>1")
        let counts = ThresholdTests.counts([.failed: 3, .suspect: 2])
        #expect(both.check(counts, rowCount: nil) == Threshold(.suspect, .count(1)))
    }
}
