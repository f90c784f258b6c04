import FanfareCore
import FanfareTLS
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Fanfare

/// A token service on a port of the loopback, which serves one connection after the other.
final class TokenServer: Sendable {
    /// The answer that a connection gets.
    enum Answer {
        case says(UInt16, String, fields: [(String, String)] = [])
        /// The same, but the connection ends before its last bytes.
        case breaksOff(UInt16, String)
        case resets
        case nothing
        /// This text in place of HTTP/2, and then the connection's end, over TLS with close_notify or without.
        case ends(String, inOrder: Bool = true)
    }

    /// A request as it was heard.
    struct Heard: Equatable {
        var line: String
        var contentType: String
        var authorization: String
        var body: String
    }

    let port: UInt16
    private let listener: Int32
    private let state = Mutex((heard: [Heard](), tunnels: [String]()))

    /// - Parameters:
    ///   - answers: The answer for each connection, in turn.
    ///   - context: The server's TLS; in the clear without.
    ///   - tunnel: The first answer to those who ask it as a proxy.
    /// - Throws: If the loopback has no port left.
    init(_ answers: [Answer], tls context: TLSContext? = nil, tunnel: String? = nil) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                // Without a backlog it would be a port on which no process listens.
                bind(listener, pointer, size) == 0
                    && (answers.isEmpty || listen(listener, 8) == 0)
                    ? getsockname(listener, pointer, &size) : -1
            }
        }
        try #require(status == 0)
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        guard !answers.isEmpty else { return }
        let list = Mutex(answers)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                let answer = list.withLock { $0.isEmpty ? .nothing : $0.removeFirst() }
                try? Self.serve(client, answer, tls: context, tunnel: tunnel) { heard, asked in
                    self?.state.withLock {
                        if let heard { $0.heard.append(heard) }
                        if let asked { $0.tunnels.append(asked) }
                    }
                }
                Glibc.close(client)
            }
            Glibc.close(listener)
        }
    }

    deinit {
        // Of one that listens the thread closes it.
        if shutdown(listener, Int32(SHUT_RDWR)) != 0 { Glibc.close(listener) }
    }

    var heard: [Heard] { state.withLock { $0.heard } }

    /// The first lines of those who asked for a tunnel.
    var tunnels: [String] { state.withLock { $0.tunnels } }

    private static func serve(
        _ client: Int32, _ answer: Answer, tls: TLSContext?, tunnel: String?,
        hears: (Heard?, String?) -> Void
    ) throws {
        if let tunnel {
            var head = ""
            while !head.hasSuffix("\r\n\r\n") {
                guard let bytes = read(client, 1) else { return }
                head += String(decoding: bytes, as: UTF8.self)
            }
            hears(nil, head.components(separatedBy: "\r\n").first)
            send(Array(tunnel.utf8), to: client)
        }
        if case .ends(let text, let isInOrder) = answer {
            let peer = try TextPeer(tls: tls)
            guard let line = try hear(client, peer) else { return }
            hears(Heard(line: line, contentType: "", authorization: "", body: ""), nil)
            try peer.say(text)
            if isInOrder { peer.closeNotify() }
            return send(peer.takeOutgoing(), to: client)
        }
        let peer = try ServerPeer(tls: tls)
        send(try peer.takeOutgoing(), to: client)
        var isAnswered = false
        while let bytes = read(client, 65_536) {
            try peer.receive(bytes)
            send(try peer.takeOutgoing(), to: client)
            guard let stream = peer.requests.first, !isAnswered else { continue }
            isAnswered = true
            let line = "\(peer.text(.method, stream)) \(peer.text(.scheme, stream))://"
            hears(
                Heard(
                    line: line + peer.text(.authority, stream) + peer.text(.path, stream),
                    contentType: peer.text(.contentType, stream),
                    authorization: peer.text(.authorization, stream), body: peer.body(stream)),
                nil)
            switch answer {
            case .says(let status, let body, let fields):
                try peer.respond(stream, status: status, fields: fields, body: body)
                send(try peer.takeOutgoing(), to: client)
            case .breaksOff(let status, let body):
                try peer.respond(stream, status: status, body: body)
                send(try peer.takeOutgoing().dropLast(20), to: client)
                return
            case .resets:
                // RST_STREAM with INTERNAL_ERROR on stream 1. RFC 9113 §6.4
                send([0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2], to: client)
            case .nothing, .ends:
                break
            }
        }
    }

    /// Reads a request of HTTP/1.1 to its end: what is left unread would make the connection's end a reset.
    /// - Returns: The request's line; `nil` if none has come.
    private static func hear(_ client: Int32, _ peer: TextPeer) throws -> String? {
        while let bytes = read(client, 65_536) {
            try peer.receive(bytes)
            send(peer.takeOutgoing(), to: client)
            let parts = peer.heard.components(separatedBy: "\r\n\r\n")
            guard parts.count == 2 else { continue }
            let lines = parts[0].components(separatedBy: "\r\n")
            let field = lines.first { $0.hasPrefix("content-length: ") }
            let count = field?.components(separatedBy: " ").last.flatMap { Int($0) } ?? 0
            if parts[1].utf8.count == count { return lines[0] }
        }
        return nil
    }

    private static func read(_ client: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = Glibc.read(client, &bytes, count)
        return found > 0 ? Array(bytes[..<found]) : nil
    }

    private static func send(_ bytes: some Collection<UInt8>, to client: Int32) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

extension TokenAnswer {
    /// The answer in words.
    var told: String {
        switch self {
        case .granted(let token):
            "\(token.secret.told) for \(token.life.map { "\($0.components.seconds) s" } ?? "ever")"
        case .temporary(let text, let wish):
            "for now: \(text)" + (wish.map { ", again in \($0.components.seconds) s" } ?? "")
        case .permanent(let text): "for good: \(text)"
        }
    }
}
