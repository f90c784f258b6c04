import Testing

@testable import FanfareCompression

@Suite struct CompressionFormatTests {
    private func format(_ head: [UInt8]) -> CompressionFormat? {
        head.withUnsafeBufferPointer { CompressionFormat(head: $0) }
    }

    /// RFC 1952 §2.3.1, RFC 8878 §3.1.1 and §3.1.2.
    @Test func `the first bytes tell`() {
        #expect(format([0x1F, 0x8B]) == .gzip)
        #expect(format([0x1F, 0x8B, 8, 0]) == .gzip)
        #expect(format([0x28, 0xB5, 0x2F, 0xFD]) == .zstd)
        for last in UInt8(0)...15 {
            #expect(format([0x50 + last, 0x2A, 0x4D, 0x18]) == .zstd)
        }
        for head in [
            [], [0x1F], [0x28, 0xB5, 0x2F], [0x60, 0x2A, 0x4D, 0x18], [0x50, 0x2A, 0x4D],
            Array("token".utf8),
        ] as [[UInt8]] {
            #expect(format(head) == nil)
        }
    }

    @Test func `an ending is taken off a name`() {
        #expect(CompressionFormat.split("a/rows.csv.gz") == (.gzip, "a/rows.csv"))
        #expect(CompressionFormat.split("rows.ndjson.ZST") == (.zstd, "rows.ndjson"))
        #expect(CompressionFormat.split("rows.csv") == (nil, "rows.csv"))
        #expect(CompressionFormat.split("gz") == (nil, "gz"))
    }
}
