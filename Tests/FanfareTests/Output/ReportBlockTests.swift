import FanfareCore
import Testing

@testable import Fanfare

@Suite struct ReportBlockTests {
    private func block(_ lines: [String], firstRow: UInt64 = 1) -> ReportBlock {
        let block = ReportBlock()
        for (index, line) in lines.enumerated() {
            _ = block.append(row: firstRow + UInt64(index)) { $0.append(line) }
        }
        return block
    }

    @Test func `whole lines are counted from the front`() {
        let block = block(["aaa\n", "b\n", "cc\n"])
        let expected = [
            -1: (0, 0), 0: (0, 0), 3: (0, 0), 4: (1, 4), 5: (1, 4), 6: (2, 6), 8: (2, 6),
            9: (3, 9), 100: (3, 9),
        ]
        for (limit, (count, bytes)) in expected {
            let whole = block.wholeLines(within: limit)
            #expect(whole.count == count && whole.bytes == bytes, "within \(limit)")
        }
    }

    @Test func `a line break inside a value does not end a line`() {
        let block = block(["1,\"a\nb\"\n", "2,c\n"])
        #expect(block.wholeLines(within: 7).count == 0)
        #expect(block.wholeLines(within: 8).count == 1)
    }

    @Test func `a block is full at 64 KiB and empty after a reset`() {
        let line = String(repeating: "x", count: 1023) + "\n"
        let block = block(Array(repeating: line, count: 62), firstRow: 5)
        #expect(!block.append(row: 67) { $0.append(line) })
        #expect(block.append(row: 68) { $0.append(line) })
        #expect(block.rows.count == 64 && block.rows.first == 5 && block.rows.last == 68)
        block.reset()
        #expect(block.rows.isEmpty && block.lines.count == 0)
        #expect(block.wholeLines(within: 1000).count == 0)
    }
}

@Suite struct UnreportedRowsTests {
    @Test(
        arguments: [
            ([], ""), ([7], "7"), ([1, 2], "1-2"), ([23, 17, 19, 18], "17-19, 23"),
            ([5, 3, 1], "1, 3, 5"), ([1, 2, 4, 5, 9], "1-2, 4-5, 9"),
        ] as [([UInt64], String)])
    func `rows are named as ranges in order`(rows: [UInt64], text: String) {
        var unreported = UnreportedRows()
        for row in rows { unreported.add([row]) }
        #expect(unreported.description == text)
        #expect(unreported.count == rows.count)
        #expect(unreported.isEmpty == rows.isEmpty)
    }

    @Test func `a part of a block's rows is added`() {
        let rows: [UInt64] = [1, 2, 3, 4]
        var unreported = UnreportedRows()
        unreported.add(rows[4...])
        #expect(unreported.isEmpty)
        unreported.add(rows[2...])
        #expect(unreported.description == "3-4")
    }
}
