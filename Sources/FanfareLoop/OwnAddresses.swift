internal import CUV
package import FanfareBase

#if canImport(Glibc)
    internal import Glibc
#endif

/// The addresses of this machine's interfaces, which a loop looks up when it needs them.
///
/// Interfaces come and go, so what is known is good for a second. Use it only on its loop's thread.
@safe
package final class OwnAddresses {
    private let read: () -> [SocketAddress]
    private var known: Set<SocketAddress> = []
    private var knownUntil = Instant.distantPast

    /// - Parameter read: Reads the addresses; tests pass others.
    package init(read: @escaping () -> [SocketAddress] = OwnAddresses.ofInterfaces) {
        self.read = read
    }

    /// Returns true if an address is one of this machine's, in the form that the system knows it in.
    package func contains(_ address: SocketAddress, now: Instant) -> Bool {
        if now >= knownUntil {
            known = Set(read().map { $0.with(port: 0) })
            knownUntil = now.advanced(by: .seconds(1))
        }
        return known.contains(address.with(port: 0))
    }

    /// Reads the addresses of the interfaces that are up; none if the system does not say.
    package static func ofInterfaces() -> [SocketAddress] {
        var first: UnsafeMutablePointer<uv_interface_address_t>?
        var count: Int32 = 0
        guard unsafe uv_interface_addresses(&first, &count) == 0, let first = unsafe first else {
            return []
        }
        defer { unsafe uv_free_interface_addresses(first, count) }
        return unsafe UnsafeMutableBufferPointer(start: first, count: Int(count)).compactMap {
            var address = unsafe $0.address
            return unsafe withUnsafeBytes(of: &address) { bytes in
                unsafe SocketAddress(
                    bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self))
            }
        }
    }
}
