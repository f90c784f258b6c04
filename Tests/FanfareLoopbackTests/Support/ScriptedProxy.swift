import Foundation
import Glibc
import Synchronization
import Testing

/// A proxy of one test that gives every client the same answer, whatever it asks.
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

    let port: UInt16
    private let listener: Int32
    private let heard = Mutex<[String]>([])

    init(_ answer: Answer) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 64) == 0
                    ? getsockname(listener, pointer, &size) : -1
            }
        }
        try #require(status == 0)
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { [self] in serve(client, answer) }
            }
        }
    }

    /// Takes no more clients.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The heads of the requests so far.
    var requests: [String] { heard.withLock { $0 } }

    private func serve(_ client: Int32, _ answer: Answer) {
        defer { close(client) }
        if case .closes = answer { return }
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.ends(with: "\r\n\r\n".utf8), read(client, &byte, 1) == 1 { head.append(byte) }
        heard.withLock { $0.append(String(decoding: head, as: UTF8.self)) }
        switch answer {
        case .closes: break
        case .saysAndCloses(let text): Self.send(text, to: client)
        case .says(let text):
            Self.send(text, to: client)
            Self.wait(for: client)
        case .repeats(let text): while Self.send(text, to: client) {}
        case .hangs: Self.wait(for: client)
        case .tunnels(let port): Self.open(client, to: port)
        case .routes(let route): Self.open(client, to: route(String(decoding: head, as: UTF8.self)))
        }
    }

    @discardableResult
    private static func send(_ text: String, to client: Int32) -> Bool {
        send(Array(text.utf8), to: client)
    }

    @discardableResult
    private static func send(_ bytes: [UInt8], to client: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Until the client closes.
    private static func wait(for client: Int32) {
        var byte: UInt8 = 0
        while read(client, &byte, 1) > 0 {}
    }

    private static func open(_ client: Int32, to port: UInt16) {
        for byte in "HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n".utf8 {
            send([byte], to: client)
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
                guard count > 0, send(Array(buffer[..<count]), to: polls[to].fd) else { return }
            }
        }
    }
}

extension Array<UInt8> {
    fileprivate func ends(with other: String.UTF8View) -> Bool {
        count >= other.count && suffix(other.count).elementsEqual(other)
    }
}
