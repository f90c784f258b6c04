import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

@Suite struct PreparedRowsTests {
    @Test func `a place keeps its address and content while others are made`() {
        var rows = PreparedRows()
        rows.makePlace(for: 0)
        let first = rows.place(of: 0)
        rows[0].number = 17
        rows[0].bytes.append("lent to the session")
        let text = rows[0].bytes.bytes.baseAddress
        for id in 1..<2000 {
            rows.makePlace(for: RequestID(id))
            rows[RequestID(id)].number = UInt64(1000 + id)
        }
        #expect(rows.place(of: 0) == first)
        #expect(first.pointee.number == 17)
        #expect(first.pointee.bytes.bytes.baseAddress == text)
        #expect(String(first.pointee.bytes.bytes) == "lent to the session")
        let areKept = (1..<2000).allSatisfy {
            rows[RequestID($0)].number == UInt64(1000 + $0)
        }
        #expect(areKept)
    }

    @Test func `a place far ahead is made at once`() {
        var rows = PreparedRows()
        rows.makePlace(for: 1000)
        rows[1000].number = 1
        rows.makePlace(for: 3)
        rows[3].number = 2
        let numbers = [rows[1000].number, rows[3].number]
        #expect(numbers == [1, 2])
    }

    @Test func `a cleared row forgets its values and gives a large memory back`() {
        var row = PreparedRow()
        row.overrides.topic = ByteRange(start: 0, count: 3)
        for _ in 0..<1024 { row.bytes.append(String(repeating: "x", count: 1024)) }
        row.clear()
        #expect(row.bytes.count == 0)
        #expect(row.bytes.allocatedBytes == 8 * 1024)
        #expect(row.overrides.topic.isEmpty)
    }

    @Test func `a row gives what it has, and always its token and payload`() {
        var overrides = HeaderOverrides()
        for column in RowSchema.Known.allCases {
            let isAlwaysOwn = [.token, .payload, .apnsID, .id].contains(column)
            #expect(overrides.gives(column) == isAlwaysOwn, "\(column)")
        }
        let some = ByteRange(start: 0, count: 1)
        overrides.topic = some
        overrides.pushType = some
        overrides.priority = some
        overrides.expiration = some
        overrides.collapseID = some
        for column in RowSchema.Known.allCases { #expect(overrides.gives(column), "\(column)") }
    }
}
