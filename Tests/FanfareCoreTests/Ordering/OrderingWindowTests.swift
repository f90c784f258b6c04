import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct OrderingWindowTests {
    /// The lines that leave a window, each of which is its row's number and some padding.
    private func leaving(
        _ rows: [UInt64], bytesMax: Int
    ) -> (inOrder: [UInt64], late: [UInt64], hasTurned: Bool) {
        var window = OrderingWindow(bytesMax: bytesMax)
        var (inOrder, late): ([UInt64], [UInt64]) = ([], [])
        func take(_ row: UInt64, _ line: UnsafeBufferPointer<UInt8>, _ isLate: Bool) {
            #expect(String(decoding: line, as: UTF8.self) == "\(row)-------")
            if isLate { late.append(row) } else { inOrder.append(row) }
        }
        for row in rows {
            let line = Array("\(row)-------".utf8)
            line.withUnsafeBufferPointer { window.add(row: row, $0) }
            if window.isFull { window.turn(isEnd: false, take) }
        }
        let hasTurned = window.hasTurned
        window.turn(isEnd: true, take)
        return (inOrder, late, hasTurned)
    }

    @Test func `what fits comes in order, from any order`() {
        let rows: [UInt64] = [5, 3, 9, 1, 2, 8, 7, 4, 6]
        let left = leaving(rows, bytesMax: 1 << 20)
        #expect(left.inOrder == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(left.late.isEmpty)
        #expect(!left.hasTurned)
    }

    @Test func `a row that is not further away than the window reaches is not late`() {
        // Neighbors change places; a line and its place take 24 bytes.
        var rows: [UInt64] = []
        for pair in 0..<UInt64(500) { rows += [2 * pair + 2, 2 * pair + 1] }
        let left = leaving(rows, bytesMax: 10 * 24)
        #expect(left.inOrder == Array(1...1000))
        #expect(left.late.isEmpty)
        #expect(left.hasTurned)
    }

    @Test func `another line of the last row that has left is not late`() {
        var window = OrderingWindow(bytesMax: 1 << 20)
        var late: [Bool] = []
        for row in [5, 5, 4] as [UInt64] {
            let line = Array("x".utf8)
            line.withUnsafeBufferPointer { window.add(row: row, $0) }
            window.turn(isEnd: true) { _, _, isLate in late.append(isLate) }
        }
        #expect(late == [false, false, true])
    }

    @Test func `a row that comes long after its neighbors is late, and alone`() {
        let rows = Array(UInt64(2)...400) + [1] + Array(401...800)
        let left = leaving(rows, bytesMax: 20 * 24)
        #expect(left.inOrder == Array(2...800))
        #expect(left.late == [1])
    }

    @Test func `a row that comes long before its neighbors waits for them`() {
        let left = leaving([1000] + Array(1...999), bytesMax: 20 * 24)
        #expect(left.inOrder == Array(1...1000))
        #expect(left.late.isEmpty)
    }

    @Test(arguments: [1, 2, 3, 7, 100])
    func `every line leaves once, in order or late, and the same when it is done again`(
        lines: Int
    ) {
        var generator = SplitMix64(seed: UInt64(lines))
        var rows = Array(UInt64(1)...2000)
        rows.shuffle(using: &generator)
        let left = leaving(rows, bytesMax: lines * 24)
        #expect(left.inOrder == left.inOrder.sorted())
        #expect((left.inOrder + left.late).sorted() == Array(1...2000))
        let again = leaving(rows, bytesMax: lines * 24)
        #expect(again.inOrder == left.inOrder)
        #expect(again.late == left.late)
    }

    @Test func `lines of one row stay in the order in which they came`() {
        var lines = LineBuffer(bytesMax: 64)
        for (row, text) in [(2, "a"), (1, "b"), (2, "c"), (1, "d"), (2, "e")] {
            let text = Array(text.utf8)
            text.withUnsafeBufferPointer { lines.append(row: UInt64(row), $0) }
        }
        lines.sort()
        let sorted = (0..<lines.count).map { String(decoding: lines.line(at: $0), as: UTF8.self) }
        #expect(sorted == ["b", "d", "a", "c", "e"])
    }
}
