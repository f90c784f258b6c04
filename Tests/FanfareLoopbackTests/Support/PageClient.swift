import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A plain socket to the server of a job's page.
final class PageClient {
    private let number: Int32
    private(set) var received: [UInt8] = []

    /// - Parameters:
    ///   - port: The server's.
    ///   - host: The last number of its address 127.0.0.N.
    /// - Throws: If it cannot be reached.
    init(_ port: UInt16, host: UInt32 = 1) throws {
        number = try LoopbackSocket.connect(port, host: host)
    }

    deinit { close(number) }

    /// The bytes that have come, as text.
    var text: String { String(decoding: received, as: UTF8.self) }

    /// Sends a request, in pieces.
    func send(_ pieces: String...) {
        for piece in pieces { LoopbackListener.send(Array(piece.utf8), to: number) }
    }

    /// Reads once.
    /// - Returns: False at the end.
    func read() -> Bool {
        var space = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(number, &space, space.count, 0)
        guard count > 0 else { return false }
        received += space[..<count]
        return true
    }

    /// Reads until what has come fulfills a condition.
    /// - Returns: True if it does.
    func read(until condition: (String) -> Bool) -> Bool {
        while !condition(text) { guard read() else { return condition(text) } }
        return true
    }

    /// Reads to the end.
    func readAll() -> String {
        while read() {}
        return text
    }

    /// Asks once, and reads the whole answer.
    static func ask(_ port: UInt16, host: UInt32 = 1, _ request: String) throws -> String {
        let client = try PageClient(port, host: host)
        client.send(request)
        return client.readAll()
    }

    /// The messages of a name that have come whole.
    static func messages(_ name: String, in text: String) -> [[String: Any]] {
        let parts = text.components(separatedBy: "\n\n")
        return parts.dropLast().compactMap { part in
            guard part.hasPrefix("event: \(name)\n") else { return nil }
            let data = part.dropFirst("event: \(name)\ndata: ".count)
            return try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        }
    }
}
