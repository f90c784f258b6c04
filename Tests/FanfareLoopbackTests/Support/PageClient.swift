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
    /// - Throws: When it cannot be reached.
    init(_ port: UInt16, host: UInt32 = 1) throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // What never comes is an end, and no test that hangs.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0000 + host).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        self.number = number
        try #require(status == 0)
    }

    deinit { close(number) }

    /// What has come, as text.
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
    /// - Returns: Whether it does.
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
