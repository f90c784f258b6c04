import Foundation
import Glibc
import Synchronization
import Testing

/// A proxy of one test that gives every client the same answer to any request.
final class ScriptedProxy: Sendable {
    /// What it does once it has read a request.
    enum Answer: Sendable {
        /// Says this, and then leaves the connection open.
        case says(String)
        /// Says this, and closes.
        case saysAndCloses(String)
        /// Says this again and again until the client has had enough.
        case repeats(String)
        /// Closes without having read anything.
        case closes
        /// Nothing.
        case hangs
        /// Opens a tunnel to this port, with the head of its answer in pieces of one byte.
        case tunnels(UInt16)
        /// The same, to a port that depends on the request.
        case routes(@Sendable (_ head: String) -> UInt16)
    }

    private final class Heard: Sendable {
        let heads = Mutex<[String]>([])
    }

    private let listener: LoopbackListener
    private let heard: Heard

    init(_ answer: Answer) throws {
        let heard = Heard()
        self.heard = heard
        listener = try LoopbackListener { Self.serve($0, answer, heard) }
    }

    /// Takes no more clients.
    func stop() { listener.stop() }

    var port: UInt16 { listener.port }

    /// The heads of the requests so far.
    var requests: [String] { heard.heads.withLock { $0 } }

    private static func serve(_ client: Int32, _ answer: Answer, _ heard: Heard) {
        if case .closes = answer { return }
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.ends(with: "\r\n\r\n".utf8), read(client, &byte, 1) == 1 { head.append(byte) }
        heard.heads.withLock { $0.append(String(decoding: head, as: UTF8.self)) }
        switch answer {
        case .closes: break
        case .saysAndCloses(let text): send(text, to: client)
        case .says(let text):
            send(text, to: client)
            wait(for: client)
        case .repeats(let text): while send(text, to: client) {}
        case .hangs: wait(for: client)
        case .tunnels(let port): open(client, to: port)
        case .routes(let route): open(client, to: route(String(decoding: head, as: UTF8.self)))
        }
    }

    @discardableResult
    private static func send(_ text: String, to client: Int32) -> Bool {
        LoopbackListener.send(Array(text.utf8), to: client)
    }

    /// Until the client closes.
    private static func wait(for client: Int32) {
        var byte: UInt8 = 0
        while read(client, &byte, 1) > 0 {}
    }

    private static func open(_ client: Int32, to port: UInt16) {
        for byte in "HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n".utf8 {
            LoopbackListener.send([byte], to: client)
        }
        relay(client, to: port)
    }

    private static func relay(_ client: Int32, to port: UInt16) {
        guard let server = LoopbackPort.connection(to: port) else { return }
        defer { close(server) }
        var polls = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while poll(&polls, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where polls[from].revents != 0 {
                let count = read(polls[from].fd, &buffer, buffer.count)
                guard count > 0,
                    LoopbackListener.send(Array(buffer[..<count]), to: polls[to].fd)
                else { return }
            }
        }
    }
}

extension Array<UInt8> {
    fileprivate func ends(with other: String.UTF8View) -> Bool {
        count >= other.count && suffix(other.count).elementsEqual(other)
    }
}
