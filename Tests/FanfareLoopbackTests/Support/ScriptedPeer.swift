import Fanfare
import Foundation
import Glibc
import Testing

/// An HTTP/2 server of one test, in the clear, that says and does what its script says.
///
/// Knows no library: its frames are bytes, RFC 9113 §4.1 and §6.
final class ScriptedPeer: Sendable {
    private let listener: LoopbackListener

    /// - Parameter script: The events on each connection; it is closed at its end.
    /// - Throws: If the loopback has no port left.
    init(_ script: @escaping @Sendable (Talk) -> Void) throws {
        let counter = Counter()
        listener = try LoopbackListener { client in
            script(Talk(client, number: counter.next()))
        }
    }

    deinit { listener.stop() }

    var provider: ProviderOptions {
        var provider = ProviderOptions()
        provider.endpoint = Endpoint(host: "127.0.0.1", port: listener.port, usesTLS: false)
        return provider
    }

    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0

        func next() -> Int {
            lock.withLock {
                count += 1; return count
            }
        }
    }

    struct Frame {
        static let data: UInt8 = 0, headers: UInt8 = 1, reset: UInt8 = 3, settings: UInt8 = 4
        static let ping: UInt8 = 6, goAway: UInt8 = 7

        var kind: UInt8
        var flags: UInt8 = 0
        var stream: Int32 = 0
        var payload: [UInt8] = []

        var endsStream: Bool { flags & 1 != 0 }

        var bytes: [UInt8] {
            [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), kind, flags]
                + Self.word(UInt32(stream)) + payload
        }

        static func word(_ value: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
        }

        static func settings(_ values: [(id: UInt8, value: UInt32)] = []) -> Frame {
            let payload = values.flatMap { (id, value) -> [UInt8] in [0, id] + word(value) }
            return Frame(kind: settings, payload: payload)
        }

        /// A header list of literals without indexing. RFC 7541 §6.2.2
        static func headers(
            _ stream: Int32, _ fields: [(String, String)], ends: Bool = false
        ) -> Frame {
            let block = fields.flatMap { name, value -> [UInt8] in
                [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)]
                    + Array(value.utf8)
            }
            return Frame(
                kind: headers, flags: ends ? 5 : 4, stream: stream, payload: block)
        }

        static func data(_ stream: Int32, _ text: String, ends: Bool = false) -> Frame {
            Frame(kind: data, flags: ends ? 1 : 0, stream: stream, payload: Array(text.utf8))
        }

        static func reset(_ stream: Int32, code: UInt32) -> Frame {
            Frame(kind: reset, stream: stream, payload: word(code))
        }

        static func goAway(last: UInt32, code: UInt32 = 0) -> Frame {
            Frame(kind: goAway, payload: word(last) + word(code))
        }
    }

    /// One connection, seen from the server.
    final class Talk {
        /// The number of the connection, from 1.
        let number: Int
        private let client: Int32
        private var hasPreface = false

        init(_ client: Int32, number: Int) {
            self.client = client
            self.number = number
        }

        func say(_ frames: Frame...) {
            LoopbackListener.send(frames.flatMap(\.bytes), to: client)
        }

        /// The next frame, nil at the end.
        func next() -> Frame? {
            if !hasPreface {
                hasPreface = true
                guard read(24) != nil else { return nil }
            }
            guard let head = read(9) else { return nil }
            let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let stream = head[5..<9].reduce(0) { $0 << 8 | Int32($1) }
            guard let payload = read(count) else { return nil }
            return Frame(kind: head[3], flags: head[4], stream: stream, payload: payload)
        }

        /// Hears so many requests begin, or arrive as a whole.
        /// - Returns: Their streams.
        func requests(_ count: Int, areWhole: Bool = true) -> [Int32] {
            var streams: [Int32] = []
            while streams.count < count, let frame = next() {
                let isOne =
                    areWhole
                    ? frame.endsStream && frame.kind <= Frame.headers
                    : frame.kind == Frame.headers
                if isOne { streams.append(frame.stream) }
            }
            return streams
        }

        /// Waits until the client has read what was said, as its answer to a PING shows.
        func beHeard() {
            say(Frame(kind: Frame.ping, payload: Array(1...8)))
            while let frame = next(), frame.kind != Frame.ping || !frame.endsStream {}
        }

        /// Answers each request with 200 until the client closes.
        func beKind() {
            say(.settings())
            while let stream = requests(1).first {
                say(.headers(stream, [(":status", "200")], ends: true))
            }
        }

        /// Reads until the client closes.
        func wait() { while next() != nil {} }

        /// The socket's end is to be a reset, not a FIN.
        func resetsAtEnd() {
            var lingering = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                client, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        }

        private func read(_ count: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            var filled = 0
            while filled < count {
                let more = bytes.withUnsafeMutableBytes {
                    Glibc.read(client, $0.baseAddress?.advanced(by: filled), count - filled)
                }
                guard more > 0 else { return nil }
                filled += more
            }
            return bytes
        }
    }
}
