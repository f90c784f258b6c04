import Foundation
import Glibc
import Testing

/// A socket that listens on a free port of the loopback; each client gets a thread.
final class LoopbackListener: Sendable {
    let port: UInt16
    private let listener: Int32

    /// - Parameter serve: Gets each client's socket, which is closed when it returns.
    /// - Throws: If the loopback has no port left.
    init(_ serve: @escaping @Sendable (Int32) -> Void) throws {
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
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread {
                    serve(client)
                    close(client)
                }
            }
        }
    }

    /// Takes no more clients.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Says bytes to a client.
    /// - Returns: False if it takes no more.
    @discardableResult
    static func send(_ bytes: [UInt8], to client: Int32) -> Bool {
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
}
