import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

@Suite struct HostRowsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A batch with rows whose tokens are `first`, `first + 1`, …, each with as many bytes.
    private func batch(_ first: Int, _ count: Int, bytes: Int = 8) throws -> RowBatch {
        let rows = (first..<first + count).map { number in
            let digits = "\(number)"
            return digits + String(repeating: "x", count: max(bytes - digits.count, 0)) + "\n"
        }
        let source = RowReading.source([.text("token\n" + rows.joined())])
        let batch = RowBatch(
            inputCapacity: max((bytes + 1) * count + 64, 4096), rowCapacity: max(count, 1),
            slotCount: source.schema.slotCount)
        try #require(try source.fill(batch))
        return batch
    }

    private func tokens(_ batch: RowBatch) -> [Int] {
        batch.untaken.map { index in
            let text = String(batch.value(of: .token, row: index))
            return Int(text.prefix { $0 != "x" }) ?? -1
        }
    }

    private func put(_ batch: RowBatch, into rows: HostRows) throws {
        for index in 0..<batch.rowCount { try rows.put(batch, index, verdict: .none) }
    }

    private func drain(_ rows: HostRows, most: Int = .max) throws -> [Int] {
        var found: [Int] = []
        while found.count < most, let batch = try rows.next() {
            found += tokens(batch)
            while !batch.untaken.isEmpty { _ = batch.take(fromEnd: false) }
            rows.recycle(batch)
        }
        return found
    }

    @Test(arguments: [1, 31, 32, 33, 1000, 5000])
    func `rows come back in the order in which they came`(count: Int) throws {
        let source = try batch(1, count)
        let rows = HostRows(ParkedRows(folder: folder.path), slotCount: source.slotCount)
        #expect(rows.isEmpty)
        try put(source, into: rows)
        #expect(!rows.isEmpty)
        #expect(try drain(rows) == Array(1...count))
        #expect(rows.isEmpty)
    }

    @Test func `rows of hosts that share a file do not mix, and its room is used again`() throws {
        let file = ParkedRows(folder: folder.path)
        let slots = try batch(1, 1).slotCount
        let hosts = (0..<3).map { _ in HostRows(file, slotCount: slots) }
        var put = [0, 0, 0]
        var taken = [0, 0, 0]
        for round in 0..<40 {
            for host in 0..<3 {
                let count = 100 + 37 * host
                try self.put(try batch(put[host] + 1, count, bytes: 40), into: hosts[host])
                put[host] += count
            }
            let host = round % 3
            let found = try drain(hosts[host], most: 300)
            #expect(found == Array(taken[host] + 1..<taken[host] + 1 + found.count))
            taken[host] += found.count
        }
        for host in 0..<3 {
            let found = try drain(hosts[host])
            #expect(taken[host] + found.count == put[host])
            // The last round may have taken all of them.
            #expect(found.last ?? taken[host] == put[host])
        }
    }

    @Test func `a row that is larger than a batch goes through, and its memory is not kept`() throws
    {
        let large = try batch(7, 3, bytes: 100_000)
        let rows = HostRows(ParkedRows(folder: folder.path), slotCount: large.slotCount)
        try put(large, into: rows)
        #expect(try drain(rows) == [7, 8, 9])
        try put(try batch(1, 1), into: rows)
        let next = try #require(try rows.next())
        #expect(next.inputCapacity == Limits.hostBatchBytes)
    }

    @Test func `the earliest end of a window goes with the rows`() throws {
        let source = try batch(1, 200)
        source.closes = Instant(nanoseconds: 5)
        let rows = HostRows(ParkedRows(folder: folder.path), slotCount: source.slotCount)
        try put(source, into: rows)
        while let batch = try rows.next() {
            #expect(batch.closes == Instant(nanoseconds: 5))
            while !batch.untaken.isEmpty { _ = batch.take(fromEnd: false) }
            rows.recycle(batch)
        }
    }
}
