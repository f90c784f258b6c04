import FanfareBase
import FanfareCore
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

@Suite struct LineOrderingTests {
    private struct Rows: LineSource {
        let rows: [UInt64]

        /// Lines of different lengths, up to more than a block of a run.
        static func line(_ row: UInt64) -> String {
            "\(row)," + String(repeating: "x", count: row % 97 == 0 ? 70_000 : Int(row % 13))
        }

        func forEachLine(_ body: LineOrdering.Body) throws(FanfareError) {
            for row in rows {
                var line = Self.line(row)
                let bytes = line.withUTF8 { Array($0) }
                try bytes.withUnsafeBufferPointer { bytes throws(FanfareError) in
                    try body(row, bytes)
                }
            }
        }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func order(_ rows: [UInt64], _ ordering: LineOrdering) throws -> [UInt64] {
        var ordered: [UInt64] = []
        try ordering.order(Rows(rows: rows)) { row, line throws(FanfareError) in
            ordered.append(row)
            #expect(String(decoding: line, as: UTF8.self) == Rows.line(row))
        }
        return ordered
    }

    @Test(arguments: [64, 700, 1 << 20], [64, 5000, 1 << 20])
    func `any order becomes the right one, in any memory, and leaves no file`(
        windowBytes: Int, lateBytes: Int
    ) throws {
        var generator = SplitMix64(seed: UInt64(windowBytes + lateBytes))
        var shuffled = Array(UInt64(1)...600)
        shuffled.shuffle(using: &generator)
        var ordering = LineOrdering(folder: folder.path)
        ordering.windowBytes = windowBytes
        ordering.lateBytes = lateBytes
        // With runs of a line or two these are eight lengths of them.
        ordering.runsMax = 2
        let late = Array(UInt64(300)...600) + Array(1..<300)
        let orders: [[UInt64]] = [
            shuffled, shuffled.reversed(), late, [], [1], (1...600).reversed(),
        ]
        for rows in orders {
            #expect(try order(rows, ordering) == rows.sorted())
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `a disk that takes no late lines is told`() {
        var ordering = LineOrdering(folder: "/nowhere/at/all")
        ordering.windowBytes = 64
        ordering.lateBytes = 64
        #expect(throws: FanfareError.self) {
            try order(Array((1...100).reversed()), ordering)
        }
        // An order without late lines needs no file.
        #expect(throws: Never.self) { try order(Array(1...100), ordering) }
    }
}
