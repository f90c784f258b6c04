import FanfareTestSupport
import Testing

@testable import FanfareCompression

/// Vectors of other implementations, whole and in every kind of pieces.
@Suite struct DecompressorTests {
    private static let vectors: [(CompressionFormat, [UInt8], [(bytes: Int, text: Int)])] = [
        (.gzip, CompressedVectors.gzip, CompressedVectors.gzipParts),
        (.zstd, CompressedVectors.zstd, CompressedVectors.zstdParts),
    ]

    /// The decompressed bytes, and the fault.
    private struct Decoded: Equatable {
        var text: [UInt8] = []
        var fault: CompressionFault?
        var kind: CompressionFault.Kind? { fault?.kind }
    }

    /// Decodes bytes that come in chunks, into spaces of a size.
    private func decode(
        _ format: CompressionFormat, _ chunks: [ArraySlice<UInt8>], space spaceBytes: Int = 4096
    ) -> Decoded {
        var decompressor = Decompressor(format)
        var decoded = Decoded()
        var space = [UInt8](repeating: 0, count: spaceBytes)
        for chunk in chunks {
            var rest = chunk
            while true {
                let step = rest.withUnsafeBufferPointer { rest in
                    space.withUnsafeMutableBytes { decompressor.decode(rest, into: $0) }
                }
                decoded.text += space[..<step.produced]
                rest = rest.dropFirst(step.consumed)
                if let fault = step.fault {
                    decoded.fault = fault
                    return decoded
                }
                if step.produced == 0 { break }
            }
            #expect(rest.isEmpty, "nothing is left over unless there is no room")
        }
        decoded.fault = decompressor.faultAtEnd
        return decoded
    }

    private func decode(_ format: CompressionFormat, _ bytes: [UInt8]) -> Decoded {
        decode(format, [bytes[...]])
    }

    private static func chunks(_ bytes: [UInt8], of size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
    }

    private let text = Array(CompressedVectors.text.utf8)

    @Test func `members and frames follow each other, in chunks and spaces of every size`() {
        for (format, bytes, _) in Self.vectors {
            for size in 1...bytes.count {
                let chunks = Self.chunks(bytes, of: size)
                #expect(decode(format, chunks) == Decoded(text: text), "\(format), \(size)")
                #expect(decode(format, chunks, space: 1) == Decoded(text: text))
            }
            for size in 1...text.count + 1 {
                #expect(decode(format, [bytes[...]], space: size) == Decoded(text: text))
            }
            for split in 0...bytes.count {
                let pieces = [bytes[..<split], bytes[split...]]
                #expect(decode(format, pieces) == Decoded(text: text), "\(format), \(split)")
            }
        }
    }

    @Test func `bytes may be cut off behind a member only`() {
        for (format, bytes, parts) in Self.vectors {
            var ends = [0: 0]
            var end = (bytes: 0, text: 0)
            for part in parts {
                end = (end.bytes + part.bytes, end.text + part.text)
                ends[end.bytes] = end.text
            }
            #expect(end == (bytes.count, text.count))
            for cut in 1..<bytes.count {
                let decoded = decode(format, Array(bytes[..<cut]))
                #expect(text.starts(with: decoded.text))
                if let length = ends[cut] {
                    #expect(decoded == Decoded(text: Array(text[..<length])), "\(format), \(cut)")
                } else {
                    #expect(decoded.kind == .truncated, "\(format), \(cut)")
                }
                let slow = decode(format, Self.chunks(Array(bytes[..<cut]), of: 1))
                #expect(slow == decoded, "\(format), \(cut)")
            }
        }
    }

    /// A member ends with a checksum and the length; of our first one at 45 and 49.
    @Test(arguments: [
        (CompressionFormat.gzip, 45, "incorrect data check"),
        (.gzip, 49, "incorrect length check"),
        (.zstd, 49, "restored data doesn't match checksum"),
    ])
    func `a wrong checksum and a wrong length are noticed`(
        format: CompressionFormat, place: Int, says: String
    ) {
        var bytes = format == .gzip ? CompressedVectors.gzip : CompressedVectors.zstd
        bytes[place] ^= 1
        for size in [1, 7, bytes.count] {
            let decoded = decode(format, Self.chunks(bytes, of: size))
            #expect(decoded.text == Array(text[..<40]), "all that is in front of it")
            #expect(decoded.kind == .damaged(says))
            #expect(decoded.fault?.text == "its \(format) data is damaged: \(says)")
        }
    }

    @Test func `no wrong bit does harm`() {
        for (format, bytes, _) in Self.vectors {
            for bit in 0..<8 * bytes.count {
                var wrong = bytes
                wrong[bit / 8] ^= 1 << UInt8(bit % 8)
                let decoded = decode(format, wrong)
                #expect(decoded.text.count < 1 << 20)
                let slow = decode(format, Self.chunks(wrong, of: 1))
                // A frame that has another size than it says fails with its last piece.
                #expect(slow.text.starts(with: decoded.text), "\(format), \(bit)")
                #expect(slow.fault == decoded.fault, "\(format), \(bit)")
            }
        }
    }

    // MARK: Behind the end

    @Test func `zeros behind gzip are padding, and nothing else is`() {
        let bytes = CompressedVectors.gzip
        for (more, kind) in [
            ([0], nil), ([UInt8](repeating: 0, count: 10_240), nil),
            (Array("x".utf8), .trailingGarbage), ([0, 0, 1], .trailingGarbage),
            ([0] + bytes, .trailingGarbage), ([0x1F, 0x8C], .trailingGarbage),
            ([0x1F], .truncated),
        ] as [([UInt8], CompressionFault.Kind?)] {
            for size in [1, 8192] {
                let decoded = decode(.gzip, Self.chunks(bytes + more, of: size))
                #expect(decoded.text == text)
                #expect(decoded.kind == kind)
            }
        }
    }

    @Test func `nothing may follow zstd but zstd`() {
        let bytes = CompressedVectors.zstd
        for more in [Array("token\n".utf8), [0, 0, 0, 0, 0]] {
            for size in [1, 8192] {
                let decoded = decode(.zstd, Self.chunks(bytes + more, of: size))
                #expect(decoded.text == text)
                #expect(decoded.kind == .trailingGarbage)
            }
        }
    }

    // MARK: Limits

    @Test func `a window has 128 MiB at most`() throws {
        let fits = try #require(CompressedVectors.windows[27])
        #expect(decode(.zstd, fits) == Decoded(text: Array(repeating: 0x61, count: 10)))
        for log in [28, 31] {
            let decoded = decode(.zstd, try #require(CompressedVectors.windows[log]))
            #expect(decoded.kind == .windowTooLarge)
            #expect(decoded.fault?.text.contains("more than 128 MiB") == true)
        }
    }

    /// RFC 8878 §3.1.1.2.2 reserves block type 3.
    @Test func `blocks in front of a damaged one are not lost`() {
        let header: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
        let block = [5 << 3, 0, 0] + Array("aaaa\n".utf8)
        let bytes = header + block + block + [3 << 1 | 5 << 3, 0, 0, 0, 0, 0, 0, 0]
        for size in 1...bytes.count {
            let decoded = decode(.zstd, Self.chunks(bytes, of: size))
            #expect(decoded.text == Array("aaaa\naaaa\n".utf8))
            guard case .damaged = decoded.kind else {
                Issue.record("\(String(describing: decoded.kind))")
                continue
            }
        }
    }

    @Test func `what grows without end comes out in pieces`() {
        let bomb = CompressedVectors.zstdBomb(0x61, blocks: 8192)
        #expect(bomb.count == 6 + 4 * 8192)
        var decompressor = Decompressor(.zstd)
        var (produced, rest) = (0, bomb[...])
        var space = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let step = rest.withUnsafeBufferPointer { rest in
                space.withUnsafeMutableBytes { decompressor.decode(rest, into: $0) }
            }
            produced += step.produced
            rest = rest.dropFirst(step.consumed)
            if step.produced == 0 { break }
        }
        #expect(produced == 1 << 30)
        #expect(decompressor.faultAtEnd == nil)
    }
}
