import FanfareBase
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import FanfareCLI

/// A request at a socket, and an answer that takes its time.
@Suite struct ControlLineTests {
    /// Sends a byte of an answer whenever 20 ms have brought nothing from the client, until it is gone.
    /// - Returns: The number of bytes.
    private static func trickle(
        at listener: borrowing FileDescriptor, atMost count: Int
    ) throws -> Int {
        guard listener.isReadable(within: 10_000) else { return 0 }
        var taken = try LocalSocket.accept(listener)
        guard let client = taken.take() else { return 0 }
        var space = [UInt8](repeating: 0, count: 100)
        for number in 0..<count {
            if client.isReadable(within: 20) {
                let read = unsafe space.withUnsafeMutableBytes {
                    unsafe try? client.receive(into: $0)
                }
                if read == 0 { return number }
            }
            let isSent = unsafe [UInt8(ascii: "x")].withUnsafeBytes { unsafe client.sendAtOnce($0) }
            if !isSent { return number }
        }
        return count
    }

    @Test func `an answer has one time, and not one for each of its bytes`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("s")
        let listener = try LocalSocket.listen(at: path)
        async let answer = onOwnThread {
            try ControlLine.exchange(.status(asJSON: true), at: path, patience: .milliseconds(200))
        }
        // Two hundred times 20 ms would be four seconds.
        let count = try Self.trickle(at: listener, atMost: 200)
        #expect(try await answer == "")
        #expect(count < 200)
    }
}
