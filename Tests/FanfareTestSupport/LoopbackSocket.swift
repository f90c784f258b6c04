import Glibc
import Testing

/// Sockets of tests that say what no client of ours does.
public enum LoopbackSocket {
    /// A socket that is connected to a port of this machine, and gives up after half a minute without bytes.
    /// - Parameters:
    ///   - port: The port.
    ///   - host: The last number of the address 127.0.0.N.
    /// - Returns: Its descriptor, for the caller to close.
    /// - Throws: If the port cannot be reached.
    public static func connect(_ port: UInt16, host: UInt32 = 1) throws -> Int32 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // An answer that never comes is an end, and no test that hangs.
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
        if status != 0 { close(number) }
        try #require(status == 0)
        return number
    }
}
