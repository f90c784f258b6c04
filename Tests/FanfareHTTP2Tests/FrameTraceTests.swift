import FanfareHTTP2
import Testing

/// Headers of frames out of bytes.
@Suite struct FrameTraceTests {
    /// Frames as RFC 9113 §4.1 lays them out.
    private func frame(
        _ kind: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, payload: Int = 0
    ) -> [UInt8] {
        [0, UInt8(payload >> 8), UInt8(payload & 0xFF), kind, flags, 0, 0, 0, stream]
            + [UInt8](repeating: 0xFF, count: payload)
    }

    private func read(_ pieces: [[UInt8]], isFromClient: Bool) -> [String] {
        var trace = FrameTrace(isFromClient: isFromClient)
        return pieces.flatMap { piece in piece.withUnsafeBytes { trace.take($0) } }
            .map { "\($0.name) \($0.flagNames) \($0.stream) \($0.length)" }
    }

    @Test func `frames are told from pieces of any size`() {
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        let bytes =
            preface + frame(4, payload: 12) + frame(1, flags: 0x4, stream: 1, payload: 300)
            + frame(0, flags: 0x1, stream: 1, payload: 20) + frame(4, flags: 1)
            + frame(6, flags: 1, payload: 8) + frame(0x42, flags: 0x81, stream: 3)
        let expected = [
            "SETTINGS  0 12", "HEADERS END_HEADERS 1 300", "DATA END_STREAM 1 20",
            "SETTINGS ACK 0 0", "PING ACK 0 8", "0x42 0x81 3 0",
        ]
        #expect(read([bytes], isFromClient: true) == expected)
        #expect(read(bytes.map { [$0] }, isFromClient: true) == expected)
        for split in 0...bytes.count {
            let pieces = [Array(bytes[..<split]), Array(bytes[split...])]
            #expect(read(pieces, isFromClient: true) == expected)
        }
        #expect(read([Array(bytes[24...])], isFromClient: false) == expected)
    }

    @Test func `the highest length and the reserved bit are read as they are meant`() {
        let bytes: [UInt8] = [0xFF, 0xFF, 0xFF, 0x9, 0x4, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(
            read([bytes], isFromClient: false)
                == ["CONTINUATION END_HEADERS 2147483647 16777215"])
    }
}
