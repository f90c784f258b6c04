import FanfareBase
import FanfareCore
import Testing

@Suite struct OutcomeMapTests {
    @Test func `each row keeps its first outcome`() {
        var map = OutcomeMap()
        let rows: [UInt64] = [1, 65_535, 65_536, 3_000_000, 2]
        for (index, row) in rows.enumerated() {
            let outcome = Outcome.allCases[index]
            #expect(map.insert(row, outcome) == .inserted)
            #expect(map.insert(row, .skipped) == .present)
        }
        #expect(map.count == 5)
        for (index, row) in rows.enumerated() {
            #expect(map.take(row)?.outcome == Outcome.allCases[index])
            #expect(map.take(row)?.isRepeated == true)
        }
        for row: UInt64 in [0, 3, 65_537, 70_000, 3_000_001, 1 << 40] {
            #expect(map.take(row) == nil)
        }
    }

    @Test func `no row is beyond the number of rows that a job may have`() {
        var map = OutcomeMap()
        let last = Limits.checkpointRowsMax
        #expect(map.insert(last, .accepted) == .inserted)
        // The page that it is in may be filled, and no other.
        #expect(map.insert(last + 65_535, .accepted) == .inserted)
        #expect(map.insert(last + 65_536, .accepted) == .full)
        #expect(map.count == 2)
    }

    @Test func `a map has no more pages than it may have`() {
        var map = OutcomeMap(pagesMax: 2)
        #expect(map.insert(1, .accepted) == .inserted)
        #expect(map.insert(1 << 32, .accepted) == .inserted)
        #expect(map.insert(70_000, .accepted) == .full)
        #expect(map.insert(2, .accepted) == .inserted)
        // Beyond what a row number may be.
        #expect(map.insert(1 << 50, .accepted) == .full)
    }

    private static func withKey<Result>(
        _ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        var text = text
        return text.withUTF8(body)
    }

    @Test func `keys are found among many others`() {
        var map = KeyedOutcomes()
        for number in 0..<20_000 {
            let outcome = Outcome.allCases[number % Outcome.count]
            let row = UInt64(number) * 400_000 + 1
            #expect(
                Self.withKey("key \(number)") { map.insert($0, row: row, outcome) } == .inserted)
        }
        #expect(Self.withKey("key 7") { map.insert($0, row: 1, .accepted) } == .present)
        #expect(map.count == 20_000)
        for number in 0..<20_000 {
            let asked = Outcome.allCases[(number + 1) % Outcome.count]
            let found = Self.withKey("key \(number)") { map.take($0, for: asked) }
            let row = UInt64(number) * 400_000 + 1
            let outcome = Outcome.allCases[number % Outcome.count]
            #expect(found == (number == 7 ? .repeated : .row(row, outcome)))
        }
        #expect(map.repeatedCount == 1)
        #expect(
            Self.withKey("key 5") { map.take($0, for: .failed) }
                == .again(2_000_001, Outcome.allCases[5], first: Outcome.allCases[6]))
        #expect(Self.withKey("key 5") { map.take($0, for: .failed) } == .repeated)
        #expect(Self.withKey("key 20000") { map.take($0, for: .failed) } == .none)
        #expect(Self.withKey("") { map.take($0, for: .failed) } == .none)
    }

    @Test func `a table has no more keys than it may have`() {
        var map = KeyedOutcomes(countMax: 3)
        for number in 0..<3 {
            #expect(Self.withKey("\(number)") { map.insert($0, row: 1, .failed) } == .inserted)
        }
        #expect(Self.withKey("3") { map.insert($0, row: 1, .failed) } == .full)
        #expect(Self.withKey("2") { map.insert($0, row: 1, .failed) } == .present)
    }
}
