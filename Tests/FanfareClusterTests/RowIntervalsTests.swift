import FanfareCore
import FanfareTestSupport
import Testing

@Suite struct RowIntervalsTests {
    /// Each operation against a set of numbers, which can be nothing but right.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `the intervals are those of the set`(seed: UInt64) {
        var dice = Dice(seed: seed)
        var intervals = RowIntervals()
        var set: Set<UInt64> = []
        for _ in 0..<60 {
            let low = UInt64(dice.number(0...40))
            let span = low..<low + UInt64(dice.number(0...12))
            if dice.chance(0.6) {
                intervals.insert(span)
                set.formUnion(span)
            } else {
                intervals.remove(span)
                set.subtract(span)
            }
            #expect(intervals.spans.flatMap { Array($0) } == set.sorted())
            #expect(intervals.count == UInt64(set.count))
            #expect(intervals.first == set.min() && intervals.end == set.max().map { $0 + 1 })
            let touches = zip(intervals.spans, intervals.spans.dropFirst()).contains {
                $0.upperBound >= $1.lowerBound
            }
            #expect(!touches)
            let window = UInt64(dice.number(0...30))..<UInt64(dice.number(30...60))
            #expect(
                intervals.intersection(window).spans.flatMap { Array($0) }
                    == set.intersection(window).sorted())
        }
    }
}

@Suite struct ShareRuleTests {
    /// Max-min fair shares by hand: Bertsekas and Gallager, Data Networks, section 6.5.
    @Test(
        arguments: [
            ([10, 10, 10], 90, [10, 10, 10]),
            ([100, 100, 100], 90, [30, 30, 30]),
            ([10, 100, 100], 90, [10, 40, 40]),
            ([10, 20, 100], 90, [10, 20, 60]),
            ([0, 100], 90, [0, 90]),
            ([1], 0, [0]),
        ] as [([Int64], Int64, [Int64])])
    func `each gets what it wants, or an equal part of the rest`(
        wants: [Int64], rate: Int64, parts: [Int64]
    ) {
        for index in wants.indices {
            var others = wants
            others.remove(at: index)
            #expect(ShareRule.part(wanted: wants[index], others: others, of: rate) == parts[index])
        }
    }
}
