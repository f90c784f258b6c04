import Fanfare
import Foundation
import Glibc

/// An HTTP/1.1 server of one test, in the clear, that answers as its test says.
///
/// Knows no library: it reads heads up to the empty line, and bodies of an announced length.
final class TextServer: Sendable {
    /// A request as it came.
    struct Request: Sendable {
        var line = ""
        var fields: [String: String] = [:]
        var body = ""
    }

    enum Reply: Sendable {
        case answer(Int, String = "{}", fields: [String] = [])
        /// The connection ends without an answer.
        case cut
    }

    private let listener: LoopbackListener
    private let heard: Heard

    /// - Parameter reply: The answer to a request; its second parameter says how many have come,
    ///   with it.
    /// - Throws: If the loopback has no port left.
    init(_ reply: @escaping @Sendable (Request, Int) -> Reply) throws {
        let heard = Heard()
        self.heard = heard
        listener = try LoopbackListener { client in
            var reader = Reader(client)
            while let request = reader.next() {
                let count = heard.add(request)
                guard case .answer(let status, let body, let fields) = reply(request, count) else {
                    return
                }
                let head =
                    ["HTTP/1.1 \(status) Said", "content-length: \(body.utf8.count)"] + fields
                let text = head.joined(separator: "\r\n") + "\r\n\r\n" + body
                guard LoopbackListener.send(Array(text.utf8), to: client) else { return }
            }
        }
    }

    deinit { listener.stop() }

    var endpoint: Endpoint { Endpoint(host: "127.0.0.1", port: listener.port, usesTLS: false) }

    /// All requests that have come, in their order.
    var requests: [Request] { heard.requests }

    private final class Heard: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [Request] = []

        var requests: [Request] { lock.withLock { all } }

        func add(_ request: Request) -> Int {
            lock.withLock {
                all.append(request)
                return all.count
            }
        }
    }

    /// Takes requests off a socket.
    private struct Reader {
        private let client: Int32
        private var bytes: [UInt8] = []

        init(_ client: Int32) { self.client = client }

        mutating func next() -> Request? {
            var request = Request()
            guard let line = line() else { return nil }
            request.line = line
            while let field = self.line(), !field.isEmpty {
                guard let colon = field.firstIndex(of: ":") else { return nil }
                let value = field[field.index(after: colon)...]
                request.fields[String(field[..<colon])] = value.trimmingCharacters(in: .whitespaces)
            }
            let count = Int(request.fields["content-length"] ?? "0") ?? 0
            while bytes.count < count { guard more() else { return nil } }
            request.body = String(decoding: bytes.prefix(count), as: UTF8.self)
            bytes.removeFirst(count)
            return request
        }

        private mutating func line() -> String? {
            while true {
                if let end = bytes.firstIndex(of: 10) {
                    let line = String(decoding: bytes[..<end], as: UTF8.self)
                    bytes.removeFirst(end + 1)
                    return line.hasSuffix("\r") ? String(line.dropLast()) : line
                }
                guard more() else { return nil }
            }
        }

        private mutating func more() -> Bool {
            var space = [UInt8](repeating: 0, count: 4096)
            let count = space.withUnsafeMutableBytes {
                Glibc.read(client, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return false }
            bytes += space[..<count]
            return true
        }
    }
}
