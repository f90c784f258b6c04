import Foundation
import Glibc
import Synchronization
import Testing

/// A proxy of one test that gives every client the same answer to any request.
final class ScriptedProxy: Sendable {
    /// The answer that it gives once it has read a request.
    enum Answer: Sendable {
        /// Says this, and then leaves the connection open.
        case says(String)
        /// Says this, and closes.
        case saysAndCloses(String)
        /// Says this when a request has come, and closes with the request unread: a reset.
        case saysAndResets(String)
        /// Says this again and again until the client has had enough.
        case repeats(String)
        /// Closes without having read anything.
        case closes
        /// Nothing.
        case hangs
        /// Opens a tunnel to this port, with the head of its answer in pieces of one byte.
        case tunnels(UInt16)
        /// The same, but says this to some clients, by their numbers from 0 on, and closes.
        case tunnelsBut(UInt16, Range<Int>, String)
        /// Opens a tunnel to a port that depends on the request.
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
        if case .saysAndResets(let text) = answer { return reset(client, saying: text) }
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.ends(with: "\r\n\r\n".utf8), read(client, &byte, 1) == 1 { head.append(byte) }
        let number = heard.heads.withLock { heads in
            heads.append(String(decoding: head, as: UTF8.self))
            return heads.count - 1
        }
        switch answer {
        case .closes, .saysAndResets: break
        case .saysAndCloses(let text): send(text, to: client)
        case .says(let text):
            send(text, to: client)
            wait(for: client)
        case .repeats(let text): while send(text, to: client) {}
        case .hangs: wait(for: client)
        case .tunnels(let port): open(client, to: port)
        case .tunnelsBut(let port, let refused, let text):
            if refused.contains(number) { send(text, to: client) } else { open(client, to: port) }
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

    /// Answers, and closes with the client's bytes unread. RFC 1122 §4.2.2.13
    private static func reset(_ client: Int32, saying text: String) {
        // A client that is still connecting would hear of the reset alone.
        var arrival = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
        poll(&arrival, 1, -1)
        send(text, to: client)
        resetAtEnd(client)
    }

    /// The socket's end is to be a reset, not a FIN.
    private static func resetAtEnd(_ socket: Int32) {
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    }

    private static func open(_ client: Int32, to port: UInt16) {
        for byte in "HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n".utf8 {
            LoopbackListener.send([byte], to: client)
        }
        relay(client, to: port)
    }

    /// Carries bytes both ways until either side ends, and ends the other one in the same way.
    private static func relay(_ client: Int32, to port: UInt16) {
        guard let server = LoopbackPort.connection(to: port) else { return }
        defer { close(server) }
        // Bytes that still wait in our socket when it is reset do not arrive.
        sendAtOnce(client)
        sendAtOnce(server)
        var polls = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while poll(&polls, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where polls[from].revents != 0 {
                let count = read(polls[from].fd, &buffer, buffer.count)
                guard count > 0 else {
                    if count < 0 { resetAtEnd(polls[to].fd) }
                    return
                }
                if LoopbackListener.send(Array(buffer[..<count]), to: polls[to].fd) { continue }
                // A peer that has reset its connection may have said something before.
                carryRest(from: polls[to].fd, to: polls[from].fd)
                resetAtEnd(polls[from].fd)
                return
            }
        }
    }

    /// Carries what is left in a socket that takes nothing any more.
    private static func carryRest(from source: Int32, to target: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0, LoopbackListener.send(Array(buffer[..<count]), to: target) else {
                return
            }
        }
    }

    /// Turns Nagle's delays of small pieces off.
    private static func sendAtOnce(_ socket: Int32) {
        var isOn: Int32 = 1
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }
}

extension Array<UInt8> {
    fileprivate func ends(with other: String.UTF8View) -> Bool {
        count >= other.count && suffix(other.count).elementsEqual(other)
    }
}
