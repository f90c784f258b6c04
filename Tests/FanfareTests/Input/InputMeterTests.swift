import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The share of the inputs that is done.
@Suite struct InputMeterTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func rows(_ count: Int) -> String {
        "token\n" + (0..<count).map { "00\($0)\n" }.joined()
    }

    @Test func `files count by their bytes and by their rows that have an outcome`() throws {
        // The second one is as long as the first.
        let text = rows(5000)
        try folder.write(text, to: "a.csv")
        try folder.write(text, to: "b.csv")
        let source = RowReading.source([
            .file(folder.path("a.csv")), .file(folder.path("b.csv")),
        ])
        #expect(source.meter.share(finished: 0) == 0)
        let batch = RowBatch(
            inputCapacity: 1024 * 1024, rowCapacity: 5000, slotCount: source.schema.slotCount)
        #expect(try source.fill(batch) && batch.rowCount == 5000)
        #expect(source.meter.share(finished: 5000) == 0.5)
        #expect(source.meter.share(finished: 1000) == 0.1)
        while try source.fill(batch) {}
        #expect(source.meter.share(finished: 5000) == 0.5)
        #expect(source.meter.share(finished: 10_000) == 1)
        #expect(source.meter.share(finished: 20_000) == 1)
    }

    @Test(arguments: [CompressedVectors.gzip, CompressedVectors.zstd])
    func `a compressed file counts by its compressed bytes`(bytes: [UInt8]) throws {
        try folder.write(bytes, to: "rows")
        let source = RowReading.source([.file(folder.path("rows"))])
        let batch = RowBatch(
            inputCapacity: 64 * 1024, rowCapacity: 100, slotCount: source.schema.slotCount)
        while try source.fill(batch) {}
        #expect(source.meter.share(finished: 12) == 1)
        #expect(source.meter.share(finished: 3) == 0.25)
    }

    @Test func `what is not read yet is not done`() throws {
        let text = Array(rows(50_000).utf8)
        let source = RowReading.source([.memory(text, name: "rows")])
        let batch = RowBatch(
            inputCapacity: 64 * 1024, rowCapacity: 100_000, slotCount: source.schema.slotCount)
        #expect(try source.fill(batch))
        let share = try #require(source.meter.share(finished: UInt64(batch.rowCount)))
        // No more than a batch and what is read ahead for the header.
        #expect(share > 0 && share < 0.5)
    }

    @Test func `it is not known how long generated rows are, or a device`() {
        #expect(InputMeter([.generated(seed: 1)]).share(finished: 1) == nil)
        #expect(InputMeter([.file("/dev/null")]).share(finished: 1) == nil)
        #expect(InputMeter([.file(folder.path("none"))]).share(finished: 1) == nil)
        #expect(InputMeter([]).share(finished: 1) == nil)
    }
}
