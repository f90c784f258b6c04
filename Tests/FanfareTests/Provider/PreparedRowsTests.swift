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
        let some = ByteRange(start: 0, count: 3)
        for place in 0..<PreparedRow.fieldsMax { row.setField(place, some) }
        row.messageID = some
        row.expiration = 1
        row.ownColumns.insert(.topic)
        for _ in 0..<1024 { row.bytes.append(String(repeating: "x", count: 1024)) }
        row.clear()
        #expect(row.bytes.count == 0)
        #expect(row.bytes.allocatedBytes == 8 * 1024)
        #expect(row.fieldCount == 0)
        for place in 2..<PreparedRow.fieldsMax { #expect(row.field(place).isEmpty) }
        #expect(row.messageID.isEmpty)
        #expect(row.expiration == nil)
        #expect(!row.ownColumns.contains(.topic))
    }

    @Test func `a row brings its values up to the last one that it has`() {
        var row = PreparedRow()
        #expect(row.fieldCount == 0)
        row.setField(4, ByteRange(start: 7, count: 1))
        #expect(row.fieldCount == 5)
        row.setField(1, ByteRange(start: 3, count: 2))
        #expect(row.fieldCount == 5)
        #expect(row.field(1) == ByteRange(start: 3, count: 2))
        #expect(row.field(3).isEmpty)
        #expect(row.field(4) == ByteRange(start: 7, count: 1))
    }

    @Test func `a set has the columns that were put into it`() {
        for column in RowSchema.Known.allCases {
            var set = ColumnSet()
            set.insert(column)
            for other in RowSchema.Known.allCases {
                #expect(set.contains(other) == (other == column), "\(column) \(other)")
            }
        }
    }
}
