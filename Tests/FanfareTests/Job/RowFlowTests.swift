import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

/// Batches that lanes ask for, take, and leave to each other.
@Suite struct RowFlowTests {
    private static let schema = RowSchema()
    private let flow = RowFlow(
        batches: 2, slotCount: Self.schema.slotCount, control: JobControl())
    private let now = Instant(nanoseconds: 0)

    private func batch() -> RowBatch {
        RowBatch(inputCapacity: 64, rowCapacity: 4, slotCount: Self.schema.slotCount)
    }

    private func readThreeRows() {
        flow.read(from: RowReading.source([.text("token\na\nb\nc\n")]))
    }

    @Test func `asking for a batch takes none`() throws {
        #expect(!flow.queue.hasBatch(now: now))
        readThreeRows()
        for _ in 0..<2 { #expect(flow.queue.hasBatch(now: now) && !flow.queue.isExhausted) }
        let batch = try #require(flow.queue.nextBatch())
        #expect(batch.untaken == 0..<3)
        #expect(!flow.queue.hasBatch(now: now) && flow.queue.isExhausted)
    }

    @Test func `a batch that is handed back behind the end of the input comes again`() throws {
        readThreeRows()
        let batch = try #require(flow.queue.nextBatch())
        _ = batch.take(fromEnd: false)
        #expect(flow.queue.isExhausted)
        flow.queue.handBack(batch)
        #expect(flow.queue.hasBatch(now: now) && !flow.queue.isExhausted)
        #expect(flow.queue.nextBatch() === batch && batch.untaken == 1..<3)
        #expect(flow.queue.isExhausted)
    }

    @Test func `a batch that was handed back comes before those that no lane has had`() {
        let (first, second) = (batch(), batch())
        flow.queue.handOut(first)
        flow.queue.handOut(second)
        #expect(flow.queue.nextBatch() === first)
        flow.queue.handBack(first)
        #expect(flow.queue.nextBatch() === first && flow.queue.nextBatch() === second)
    }

    @Test(arguments: [false, true])
    func `the reader gets a batch whose window has closed before it was taken`(
        wasTaken: Bool
    ) {
        let closing = batch()
        closing.closes = Instant(nanoseconds: 10)
        flow.queue.handOut(closing)
        if wasTaken, let batch = flow.queue.nextBatch() { flow.queue.handBack(batch) }
        #expect(flow.queue.hasBatch(now: Instant(nanoseconds: 9)))
        #expect(!flow.queue.hasBatch(now: Instant(nanoseconds: 10)))
        var home: [RowBatch] = []
        while let batch = flow.queue.takeEmpty() { home.append(batch) }
        #expect(home.count == 3 && home.contains { $0 === closing })
    }
}
