import FanfareBase
import Testing

@testable import FanfareCore

/// Rows that wait for others to share a request with.
@Suite struct RowGroupsTests {
    private let sharing = RequestSharing(rowsMax: 3, linger: .milliseconds(50))

    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `rows with the same key go when they are enough`() {
        var groups = RowGroups(sharing)
        #expect(groups.add(1, [1], now: at(0)) == nil)
        #expect(groups.add(2, [2], now: at(1)) == nil)
        #expect(groups.add(3, [1], now: at(2)) == nil)
        #expect(groups.add(4, [1], now: at(3)) == [1, 3, 4])
        #expect(groups.waitingCount == 1)
        // One with the same key is another one, and younger.
        #expect(groups.add(5, [1], now: at(4)) == nil)
        #expect(groups.deadline(behind: at(4)) == at(51))
        #expect(groups.takeOldest(now: at(50), isLast: false) == nil)
        #expect(groups.takeOldest(now: at(51), isLast: false) == [2])
        #expect(groups.takeOldest(now: at(51), isLast: false) == nil)
        #expect(groups.takeOldest(now: at(51), isLast: true) == [5])
        #expect(groups.waitingCount == 0 && groups.deadline(behind: at(51)) == nil)
    }

    @Test func `what was due at the last look waits for something else`() {
        var groups = RowGroups(sharing)
        _ = groups.add(1, [1], now: at(0))
        #expect(groups.deadline(behind: at(49)) == at(50))
        #expect(groups.deadline(behind: at(50)) == nil)
    }

    @Test func `two full requests may wait, and then the oldest goes`() {
        var groups = RowGroups(sharing)
        for row in 1...6 {
            #expect(groups.hasRoom)
            _ = groups.add(RequestID(row), [UInt8(row)], now: at(0))
        }
        #expect(!groups.hasRoom)
        #expect(groups.takeOldest(now: at(0), isLast: true) == [1])
        #expect(groups.hasRoom)
    }

    @Test func `halves go first, and as they are`() {
        var groups = RowGroups(sharing)
        _ = groups.add(9, [1], now: at(0))
        groups.halve([1, 2, 3])
        #expect(groups.waitingCount == 4)
        #expect(groups.takeClosed() == [1, 2])
        #expect(groups.takeAll() == [3, 9])
        #expect(groups.waitingCount == 0 && groups.takeClosed() == nil)
    }

    @Test func `what is halved again goes before other halves`() {
        var groups = RowGroups(sharing)
        groups.halve([1, 2, 3, 4])
        #expect(groups.takeClosed() == [1, 2])
        groups.halve([1, 2])
        let order = (0..<3).map { _ in groups.takeClosed() }
        #expect(order == [[1], [2], [3, 4]])
    }

    @Test func `the oldest row goes alone, and those behind it stay together`() {
        var groups = RowGroups(sharing)
        _ = groups.add(7, [1], now: at(0))
        _ = groups.add(8, [1], now: at(1))
        _ = groups.add(9, [2], now: at(2))
        #expect(groups.takeOne() == 7)
        #expect(groups.waitingCount == 2)
        groups.halve([1, 2, 3])
        #expect(groups.takeOne() == 1)
        #expect(groups.takeOne() == 2)
        #expect(groups.takeClosed() == [3])
        #expect(groups.waitingCount == 2)
        #expect(groups.takeOne() == 8)
        #expect(groups.takeOne() == 9)
        #expect(groups.takeOne() == nil && groups.waitingCount == 0)
    }

    @Test func `rows that went with another one are known by it, once`() {
        var groups = RowGroups(sharing)
        groups.board([2, 3], on: 1)
        #expect(groups.takeFellows(of: 2) == nil)
        #expect(groups.takeFellows(of: 1) == [2, 3])
        #expect(groups.takeFellows(of: 1) == nil)
    }
}

extension RowGroups {
    fileprivate mutating func add(
        _ row: RequestID, _ key: [UInt8], now: Instant
    ) -> [RequestID]? {
        key.withUnsafeBufferPointer { add(row, $0, now: now) }
    }
}
