import FanfareCore
import Testing

@testable import Fanfare

/// The rows that lanes have, and how far their lines have come.
@Suite struct ClusterHandedOutTests {
    private static let key = GrantKey(range: .cut(at: 0), epoch: 7)

    private static let other = GrantKey(range: .cut(at: 1_000), epoch: 7)

    /// Parts of one grant.
    private static func handedOut(_ parts: [Range<UInt64>]) -> ClusterHandedOut {
        var out = ClusterHandedOut()
        for rows in parts { out.add(.init(key: key, rows: rows, isInDoubt: false)) }
        return out
    }

    @Test(arguments: [1, 63, 64, 65, 127, 128, 129, 1_000])
    func `progress ends at the first row without a line`(count: UInt64) {
        for open in 0..<count {
            var out = Self.handedOut([100..<100 + count])
            // Lines name rows by their numbers, which begin at 1.
            out.lined((100..<100 + count).filter { $0 != 100 + open }.map { $0 + 1 }[...])
            #expect(out.progress().map(\.lined) == [100 + open])
            #expect(out.openRows == 1)
            out.lined([101 + open])
            #expect(out.progress().map(\.lined) == [100 + count])
            #expect(out.progress().isEmpty)
        }
    }

    @Test func `progress stays in the first part that is open`() {
        var out = Self.handedOut([100..<200, 200..<300])
        out.lined(Array(201...300)[...])
        #expect(out.progress().map(\.lined) == [100])
        out.lined(Array(101...150)[...])
        #expect(out.progress().map(\.lined) == [150])
        out.lined(Array(151...200)[...])
        #expect(out.progress().map(\.lined) == [300])
    }

    @Test func `each grant has its own progress, and lines of foreign rows change nothing`() {
        var out = Self.handedOut([100..<200])
        out.add(.init(key: Self.other, rows: 1_000..<1_100, isInDoubt: false))
        out.lined([1, 50, 201, 1_001, 1_002, 5_000])
        #expect(
            Dictionary(uniqueKeysWithValues: out.progress().map { ($0.key, $0.lined) })
                == [Self.key: 100, Self.other: 1_002])
        #expect(out.openRows == 198)
    }

    @Test func `rows that come again under another grant count once, and hold both`() {
        var out = Self.handedOut([100..<200])
        out.lined(Array(101...150)[...])
        out.add(.init(key: Self.other, rows: 90..<170, isInDoubt: false))
        #expect(out.openRows == 60)
        #expect(out.takeRepeated(in: 90..<110) == RowIntervals(100..<110))
        #expect(out.takeRepeated(in: 90..<110).isEmpty)
        #expect(out.takeRepeated(in: 110..<300) == RowIntervals(110..<170))
        out.lined(Array(91...100)[...])
        func lined() -> [GrantKey: UInt64] {
            Dictionary(uniqueKeysWithValues: out.progress().map { ($0.key, $0.lined) })
        }
        #expect(lined() == [Self.key: 150, Self.other: 150])
        out.lined(Array(151...200)[...])
        #expect(lined() == [Self.key: 200, Self.other: 170])
        #expect(out.linedRows == RowIntervals(90..<200))
        #expect(out.openRows == 0)
    }
}
