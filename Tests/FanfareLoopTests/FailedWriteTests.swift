import FanfareBase
import FanfareLoop
import FanfareSystem
import Glibc
import Testing

/// Peers that say their last words and close while they are being written to.
@Suite struct FailedWriteTests {
    init() { ProcessSignal.blockBrokenPipe() }

    /// The end that a peer chooses.
    enum End: CaseIterable {
        /// With our bytes unread, so that the kernel sends a reset behind the last words.
        case unread
        /// With a reset of its own (`SO_LINGER` without time).
        case reset
    }

    /// A socket of the kernel's, so that it can be closed in ways that our own code has no use for.
    private struct Listener {
        let descriptor: Int32
        let port: UInt16

        init() throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 && listen(descriptor, 1) == 0
                        && getsockname(descriptor, $0, &size) == 0
                }
            }
            try #require(isBound)
            self.descriptor = descriptor
            port = address.sin_port.bigEndian
        }

        /// The other end of a connection that is up.
        func accepted() -> Int32 { accept(descriptor, nil, nil) }
    }

    private func end(_ peer: Int32, _ end: End, lastWords: [UInt8]) {
        #expect(send(peer, lastWords, lastWords.count, 0) == lastWords.count)
        if end == .reset {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(peer, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        }
        close(peer)
    }

    private static let lastWords = (0..<50_000).map {
        UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8)
    }

    /// Connects, lets `body` write to a peer that ends as given, and returns what was heard of it.
    private func heard(
        _ end: End, pauses: Bool = false,
        _ body: @escaping (Recorder, _ closePeer: () -> Void) -> Void
    ) throws -> Recorder {
        let listener = try Listener()
        defer { close(listener.descriptor) }
        let loop = try EventLoop()
        let client = Recorder(TCPConnection(loop: loop))
        client.onConnected = { client in
            let peer = listener.accepted()
            if pauses { client.connection?.pauseReading() }
            body(client) { self.end(peer, end, lastWords: Self.lastWords) }
        }
        client.connection?.connect(to: .loopback(port: listener.port))
        loop.run()
        return client
    }

    @Test(arguments: End.allCases, [false, true])
    func `what has arrived before a failed write is told before the end`(
        end: End, pauses: Bool
    ) throws {
        let client = try heard(end, pauses: pauses) { client, closePeer in
            #expect(client.write("a question") == 10)
            closePeer()
            #expect(client.write("and another") == 0)
            // Nothing is tried again, and nothing can hold the end up.
            #expect(client.write("and another") == 0)
            client.connection?.finishWriting()
            client.connection?.pauseReading()
        }
        #expect(client.received == Self.lastWords)
        #expect(client.closings.map(\.?.kind) == [.connectionReset])
        #expect(client.closings.first??.operation.hasPrefix("write to 127.0.0.1:") == true)
    }

    @Test(arguments: End.allCases)
    func `the same if the write fails while it waits for room`(end: End) throws {
        let client = try heard(end) { client, closePeer in
            let megabytes = [UInt8](repeating: 7, count: 16_000_000)
            let taken = megabytes.withUnsafeBytes { client.connection?.write($0) ?? 0 }
            #expect(taken > 0 && taken < megabytes.count)
            closePeer()
        }
        #expect(client.received == Self.lastWords)
        // Reading is told first, and with nothing left to read libuv takes the hang-up for the end.
        #expect(client.closings.map(\.?.kind) == [.endOfFile])
    }

    @Test(arguments: End.allCases)
    func `the same if our end of the connection cannot be said`(end: End) throws {
        let client = try heard(end) { client, closePeer in
            #expect(client.write("a question") == 10)
            closePeer()
            client.connection?.finishWriting()
        }
        #expect(client.received == Self.lastWords)
        #expect(client.closings.map(\.?.kind) == [.connectionReset])
    }

    @Test func `our own close after a failed write is without error`() throws {
        let client = try heard(.unread) { client, closePeer in
            #expect(client.write("a question") == 10)
            closePeer()
            #expect(client.write("and another") == 0)
            client.connection?.close()
        }
        #expect(client.received.isEmpty)
        #expect(client.closings == [nil])
    }
}
