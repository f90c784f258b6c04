import FanfareBase
import FanfareCore
import Testing

struct RowSetTests {
    @Test
    func `rows of two sets are those that both have`() {
        var (first, second) = (RowSet(), RowSet())
        // A chunk that is complete, and one that is not.
        for row in UInt64(1)...131_100 { _ = first.insert(row) }
        for row in [0, 7, 65_600, 70_000, 131_090, 131_101, 200_000] as [UInt64] {
            _ = second.insert(row)
        }
        for pair in [(first, second), (second, first)] {
            let common = pair.0.common(with: pair.1)
            #expect(common.count == 4 && common.span == 7...131_090)
        }
        #expect(first.common(with: first).count == 131_100)
        let none = RowSet().common(with: first)
        #expect(none.count == 0 && none.span == nil)
    }

    @Test
    func `contains what was inserted, in any order, and nothing else`() {
        var random = SplitMix64(seed: 7)
        var reference: Set<UInt64> = []
        var rows = RowSet()
        for _ in 0..<20_000 {
            // Around the borders of chunks of 65,536, and far beyond them.
            let row = [1, 65_530, 131_070, 1 << 33][Int(random.next() % 4)] + random.next() % 3000
            let (isNew, isNewThere) = (rows.insert(row), reference.insert(row).inserted)
            #expect(isNew == isNewThere)
        }
        #expect(rows.count == UInt64(reference.count))
        #expect(rows.highest == reference.max())
        for row in reference { #expect(rows.contains(row)) }
        for row in UInt64(0)..<140_000 where !reference.contains(row) {
            if rows.contains(row) { Issue.record("row \(row) was never inserted") }
        }
    }

    @Test
    func `a chunk that is complete still refuses its rows a second time`() {
        var rows = RowSet()
        for row in UInt64(65_536)..<131_072 { _ = rows.insert(row) }
        #expect(rows.count == 65_536)
        let again = (rows.insert(65_536), rows.insert(131_071))
        #expect(again == (false, false))
        #expect(rows.contains(100_000))
        #expect(!rows.contains(65_535))
        #expect(!rows.contains(131_072))
        #expect(rows.count == 65_536)
    }

    @Test
    func `the rows of a span that are missing are counted`() {
        var rows = RowSet()
        for row in UInt64(65_536)..<131_072 { _ = rows.insert(row) }
        _ = rows.insert(131_074)
        #expect(rows.missing(in: 65_536..<131_072) == (0, nil))
        #expect(rows.missing(in: 65_530..<131_077) == (6 + 4, 65_530))
        #expect(rows.missing(in: 131_070..<131_074) == (2, 131_072))
        // A billion rows of which none is there.
        #expect(rows.missing(in: 200_000..<1_000_200_000) == (1_000_000_000, 200_000))
        #expect(rows.missing(in: 5..<5) == (0, nil))
        // As many as a number of another user may say: 65,537 of them are there.
        let end: UInt64 = 1 << 62
        #expect(rows.missing(in: 1..<end) == (end - 1 - 65_537, 1))
        #expect(rows.missing(in: 65_536..<end) == (end - 65_536 - 65_537, 131_072))
    }

    @Test
    func `an empty set has no highest row`() {
        #expect(RowSet().highest == 0)
        #expect(!RowSet().contains(0))
    }
}
