import FanfareBase
import Foundation
import Testing

@testable import FanfareCompression

/// Members and frames that other implementations can read.
@Suite struct CompressorTests {
    /// Texts that compress well, badly and not at all.
    private static let texts: [[UInt8]] = {
        var dice = SplitMix64(seed: 1)
        return [
            [], [0x61], Array(repeating: 0x61, count: 1 << 20),
            (0..<70_000).map { _ in UInt8(truncatingIfNeeded: dice.next()) },
            Array("token,name\n".utf8),
        ]
    }()

    private func compressed(_ format: CompressionFormat) -> [UInt8] {
        var compressor = Compressor(format)
        var buffer = ByteBuffer()
        for text in Self.texts {
            text.withUnsafeBufferPointer { compressor.append($0, to: &buffer) }
        }
        return Array(buffer.bytes)
    }

    @Test(arguments: CompressionFormat.allCases)
    func `members behind each other are one file`(format: CompressionFormat) throws {
        let bytes = compressed(format)
        #expect(bytes.withUnsafeBufferPointer { CompressionFormat(head: $0) } == format)
        var decompressor = Decompressor(format)
        var (text, rest) = ([UInt8](), bytes[...])
        var space = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let step = rest.withUnsafeBufferPointer { rest in
                space.withUnsafeMutableBytes { decompressor.decode(rest, into: $0) }
            }
            #expect(step.fault == nil)
            text += space[..<step.produced]
            rest = rest.dropFirst(step.consumed)
            if step.produced == 0 { break }
        }
        #expect(decompressor.faultAtEnd == nil && rest.isEmpty)
        #expect(text == Self.texts.flatMap { $0 })
    }

    @Test(arguments: [("gzip", CompressionFormat.gzip), ("zstd", .zstd)])
    func `the command of that name reads it`(command: String, format: CompressionFormat) throws {
        let path = "/usr/bin/\(command)"
        guard FileManager.default.isExecutableFile(atPath: path) else { return }
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).\(command)")
        try Data(compressed(format)).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: path)
        process.arguments = ["-dc"]
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect([UInt8](text) == Self.texts.flatMap { $0 })
    }
}
