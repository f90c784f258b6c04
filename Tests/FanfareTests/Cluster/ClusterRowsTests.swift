import FanfareBase
import FanfareSystem
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare
@testable import FanfareCore

/// A file that is written to while a worker reads it.
@Suite struct ClusterRowsTests {
    private let rowCount = 20_000

    /// A worker that may read a cut of 20,000 rows, of a file that was written an hour ago.
    private func world() throws -> DeskWorld {
        var world = try DeskWorld(
            rowCount: rowCount, blockRows: UInt64(rowCount), cutRows: UInt64(rowCount))
        try FileManager.default.setAttributes(
            [.modificationDate: Date().addingTimeInterval(-3_600)],
            ofItemAtPath: world.folder.path("rows.csv"))
        try world.talk()
        return world
    }

    /// Writes over a row in place.
    private func write(_ text: String, overRow number: Int, in world: DeskWorld) throws {
        let path = world.folder.path("rows.csv")
        let content = try String(contentsOfFile: path, encoding: .utf8)
        let place = try #require(content.range(of: "\nt\(number),"))
        let offset = content.utf8.distance(
            from: content.startIndex, to: content.index(after: place.lowerBound))
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private func tokens(in batch: RowBatch) -> [String] {
        (0..<batch.rowCount).map { row in
            String(decoding: batch.value(of: .token, row: row), as: UTF8.self)
        }
    }

    @Test func `no row goes of a cut that was written to since it was summed`() throws {
        let world = try world()
        let batch = RowBatch(slotCount: DeskWorld.schema.slotCount)
        #expect(try world.rows.fill(batch))
        #expect(tokens(in: batch).first == "t1" && batch.rowCount < 15_000)
        try write("t9", overRow: 15_000, in: world)
        // The rows before it are as they were, but who knows that before the sum?
        #expect(try !world.rows.fill(batch))
        #expect(try world.desk.update { $0.member.drainVerdict } == .inputDiffers)
    }

    @Test func `a file that was written with the same bytes is read on`() throws {
        let world = try world()
        let batch = RowBatch(slotCount: DeskWorld.schema.slotCount)
        #expect(try world.rows.fill(batch))
        var read = batch.rowCount
        try write("t15000", overRow: 15_000, in: world)
        while read < rowCount, try world.rows.fill(batch) { read += batch.rowCount }
        #expect(read == rowCount)
        #expect(tokens(in: batch).last == "t\(rowCount)")
        #expect(try world.desk.update { $0.member.drainVerdict } == nil)
    }
}
