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
            let whole = block.wholeRows(within: OutputLengths(report: limit))
            #expect(whole == count, "within \(limit)")
            #expect(block.lengths(ofFirst: whole) == OutputLengths(report: bytes))
        }
    }

    /// Rows 1 to 4: the second and fourth are dead, the third is to be tried again.
    @Test func `a row counts only with all it has`() {
        let block = ReportBlock()
        for row in UInt64(1)...4 {
            if row.isMultiple(of: 2) { block.addUnregistered { $0.append("dead\n") } }
            if row == 3 {
                var text = "three\n"
                text.withUTF8 { block.addRetryRow($0) }
            }
            _ = block.append(row: row) { $0.append("\(row)\n") }
        }
        func whole(_ report: Int, _ unregistered: Int, _ retryRows: Int) -> Int {
            block.wholeRows(
                within: OutputLengths(
                    retryRows: retryRows, unregistered: unregistered, report: report))
        }
        #expect(whole(8, 10, 6) == 4)
        #expect(whole(8, 9, 6) == 3)
        #expect(whole(8, 10, 5) == 2)
        #expect(whole(8, 4, 6) == 1)
        #expect(whole(1, 10, 6) == 0)
        #expect(
            (0...4).map { block.lengths(ofFirst: $0) } == [
                OutputLengths(), OutputLengths(report: 2),
                OutputLengths(unregistered: 5, report: 4),
                OutputLengths(retryRows: 6, unregistered: 5, report: 6),
                OutputLengths(retryRows: 6, unregistered: 10, report: 8),
            ])
        block.reset()
        #expect(OutputKind.allCases.allSatisfy { block.bytes(of: $0).isEmpty })
        #expect(block.lengths(ofFirst: 0) == OutputLengths())
    }

    @Test func `rows to try again make a block full, too`() {
        let block = ReportBlock()
        var text = String(repeating: "x", count: 64 * 1024)
        text.withUTF8 { block.addRetryRow($0) }
        #expect(block.append(row: 1) { $0.append("1\n") })
    }

    @Test func `a line break inside a value does not end a line`() {
        let block = block(["1,\"a\nb\"\n", "2,c\n"])
        #expect(block.wholeRows(within: OutputLengths(report: 7)) == 0)
        #expect(block.wholeRows(within: OutputLengths(report: 8)) == 1)
    }

    @Test func `a block is full at 64 KiB and empty after a reset`() {
        let line = String(repeating: "x", count: 1023) + "\n"
        let block = block(Array(repeating: line, count: 62), firstRow: 5)
        #expect(!block.append(row: 67) { $0.append(line) })
        #expect(block.append(row: 68) { $0.append(line) })
        #expect(block.rows.count == 64 && block.rows.first == 5 && block.rows.last == 68)
        block.reset()
        #expect(block.rows.isEmpty && block.lines.count == 0)
        #expect(block.wholeRows(within: OutputLengths(report: 1000)) == 0)
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
