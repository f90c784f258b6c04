import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Rows out of compressed files and pipes.
@Suite struct CompressedInputTests {
    private static let text = CompressedVectors.text
    private static let vectors = [
        ("gz", CompressedVectors.gzip), ("zst", CompressedVectors.zstd),
    ]
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ bytes: [UInt8], _ name: String) throws -> RowInput {
        try folder.write(bytes, to: name)
        return .file(folder.path(name))
    }

    /// The rows that are whole in the first bytes of the text.
    private func rows(inFirst count: Int) throws -> [ReadRow] {
        let text = Self.text.utf8.prefix(count)
        guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return try RowReading.rows([.text(String(decoding: text[...end], as: UTF8.self))])
    }

    @Test(arguments: ["rows.csv", "rows", "rows.csv.gz", "rows.tsv.zst"])
    func `compressed rows are the rows, under any name of the file`(name: String) throws {
        let expected = try RowReading.rows([.text(Self.text)])
        #expect(expected.count == 12)
        for (_, bytes) in Self.vectors {
            let input = try file(bytes, name)
            for capacity in [16, 17, 50, 4096] {
                #expect(try RowReading.rows([input], inputCapacity: capacity) == expected)
                #expect(
                    try RowReading.rows([input], inputCapacity: capacity, rowCapacity: 1)
                        == expected)
            }
        }
    }

    @Test func `rows in memory are decompressed, and may stand between others`() throws {
        let more = RowInput.text("token\nff\n")
        for (_, bytes) in Self.vectors {
            let inputs = [more, try file(bytes, "rows"), more]
            let rows = try RowReading.rows(inputs)
            #expect(rows.map(\.input) == [0] + Array(repeating: 1, count: 12) + [2])
            #expect(rows.map(\.line) == [2] + Array(2...13) + [2])
        }
    }

    @Test(arguments: ["rows.ndjson.gz", "rows.jsonl.ZST"])
    func `the name tells the format behind the ending`(name: String) throws {
        for (_, bytes) in Self.vectors {
            let rows = try RowReading.rows([try file(bytes, name)])
            #expect(rows.count == 13)
            #expect(rows.allSatisfy { $0.fault == .invalidJSON })
        }
    }

    @Test func `a file that is cut off fails behind the rows that are whole`() throws {
        for ((ending, bytes), parts) in zip(
            Self.vectors, [CompressedVectors.gzipParts, CompressedVectors.zstdParts])
        {
            var ends = Set<Int>()
            for part in parts { ends.insert((ends.max() ?? 0) + part.0) }
            for cut in 4..<bytes.count where !ends.contains(cut) {
                let input = try file(Array(bytes[..<cut]), "rows.csv.\(ending)")
                let source = RowReading.source([input])
                var reading = RowReading(source)
                let error = fanfareError {
                    try reading.readAll(inputCapacity: 64, rowCapacity: 64)
                }
                let message = try #require(error?.message)
                #expect(error?.code == .input)
                #expect(message.hasPrefix(input.name + " cannot be read"))
                #expect(message.contains("data is cut off before the end"))
                #expect(reading.rows == (try rows(inFirst: try decoded(bytes, cut))))
                if !reading.rows.isEmpty {
                    #expect(message.contains("cannot be read on after row \(reading.rows.count):"))
                }
            }
        }
    }

    /// The size of the text that comes out of the first bytes: read as one column without a header.
    private func decoded(_ bytes: [UInt8], _ cut: Int) throws -> Int {
        let source = try ByteSource(.memory(Array(bytes[..<cut]), name: "")) { false }
        var space = [UInt8](repeating: 0, count: 4096)
        var count = 0
        while let read = try? space.withUnsafeMutableBytes({ try source.read(into: $0) }),
            read > 0
        {
            count += read
        }
        return count
    }

    @Test func `a damaged file and what follows it stop the reading behind the rows`() throws {
        var damaged = CompressedVectors.gzip
        damaged[45] ^= 1
        for (bytes, count, reason) in [
            (damaged, 3, "its gzip data is damaged: incorrect data check"),
            (
                CompressedVectors.gzip + Array("token\n".utf8), 12,
                "behind its gzip data there is something else"
            ),
        ] {
            var reading = RowReading(RowReading.source([try file(bytes, "rows.csv")]))
            let error = fanfareError { try reading.readAll(inputCapacity: 64, rowCapacity: 8) }
            #expect(reading.rows.count == count)
            #expect(
                error?.message
                    == "\(folder.path("rows.csv")) cannot be read on after row \(count): \(reason)")
        }
    }

    @Test func `a file of nothing is empty also when it is compressed`() throws {
        let nothing = Array(CompressedVectors.gzip[116..<136])
        let source = RowReading.source([try file(nothing, "rows")])
        let error = fanfareError { try source.openFirst() }
        #expect(error?.message.contains("is empty: neither a CSV header nor a row") == true)
    }

    @Test func `a row that never ends takes no more memory than a long one`() throws {
        let head = Array("token\n".utf8)
        let frame: [UInt8] =
            [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38, UInt8(head.count << 3) | 1, 0, 0] + head
        let bomb = frame + CompressedVectors.zstdBomb(0x61, blocks: 64)
        let source = RowReading.source([.memory(bomb, name: "bomb")])
        let batch = RowBatch(
            inputCapacity: 4096, rowCapacity: 8, slotCount: source.schema.slotCount)
        #expect(try source.fill(batch))
        #expect(batch.rowCount == 1 && batch.rows[0].fault.code == .rowTooLong)
        #expect(batch.inputCapacity <= Limits.rowBytesMax)
        #expect(try !source.fill(batch))
    }

    // MARK: Pipes

    /// A pipe that a source reads by its name.
    private struct SlowPipe {
        let pipe = Pipe()
        var input: RowInput { .file("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)") }
        func write(_ bytes: ArraySlice<UInt8>) throws {
            try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
        }
    }

    @Test func `a pipe that gives too few bytes for any text would wait`() throws {
        for (_, bytes) in Self.vectors {
            let slow = SlowPipe()
            let source = try ByteSource(slow.input) { false }
            var text: [UInt8] = []
            var space = [UInt8](repeating: 0, count: 7)
            for index in bytes.indices {
                try slow.write(bytes[index...index])
                while !source.wouldWait {
                    let count = try space.withUnsafeMutableBytes { try source.read(into: $0) }
                    try #require(count > 0, "it is not at its end")
                    text += space[..<count]
                }
                let isKnown = index + 1 >= CompressionFormat.headBytes
                #expect(text.count == (isKnown ? try decoded(bytes, index + 1) : 0))
            }
            #expect(text == Array(Self.text.utf8))
            try slow.pipe.fileHandleForWriting.close()
            #expect(!source.wouldWait)
            #expect(try space.withUnsafeMutableBytes { try source.read(into: $0) } == 0)
            #expect(source.isAtEnd)
        }
    }

    @Test func `rows of a pipe do not wait for the next ones`() throws {
        for (_, bytes) in Self.vectors {
            let slow = SlowPipe()
            try slow.write(bytes[..<60])
            let source = RowReading.source([slow.input])
            let batch = RowBatch(
                inputCapacity: 4096, rowCapacity: 64, slotCount: source.schema.slotCount)
            #expect(try source.fill(batch))
            #expect(batch.rowCount == 3)
            try slow.write(bytes[60...])
            try slow.pipe.fileHandleForWriting.close()
            var count = 3
            while try source.fill(batch) { count += batch.rowCount }
            #expect(count == 12)
        }
    }

    @Test func `who gives up waiting for a pipe is not told that it was cut off`() throws {
        let slow = SlowPipe()
        try slow.write(CompressedVectors.gzip[..<60])
        let source = RowReading.source([slow.input])
        let batch = RowBatch(
            inputCapacity: 4096, rowCapacity: 64, slotCount: source.schema.slotCount)
        #expect(try source.fill(batch))
        source.cancellation.set()
        // The part of a row that is there is taken for the last row, as of any pipe.
        while try source.fill(batch) {}
    }
}
