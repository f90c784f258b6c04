internal import CUV
import FanfareSystem

#if canImport(Glibc)
    internal import Glibc
#endif

/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    private let isIPv6: Bool

    /// The address as a number; an IPv4 address takes the lowest 32 bits.
    private let bits: UInt128

    package let port: UInt16

    /// The interface that a link-local IPv6 address is meant on, or 0.
    private let scope: UInt32

    /// Reads a numeric address, such as `127.0.0.1`, `::1` or `fe80::1%eth0`.
    ///
    /// Names are for `Resolver`.
    package init?(_ host: String, port: UInt16) {
        // C would see only what stands before a zero byte.
        guard !host.utf8.contains(0) else { return nil }
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        if unsafe uv_ip4_addr(host, Int32(port), &v4) == 0 {
            self.init(v4)
        } else if unsafe uv_ip6_addr(host, Int32(port), &v6) == 0 {
            self.init(v6)
        } else {
            return nil
        }
    }

    /// Returns IPv4's address of this machine itself.
    package static func loopback(port: UInt16) -> SocketAddress {
        SocketAddress(isIPv6: false, bits: 0x7f00_0001, port: port, scope: 0)
    }

    /// Returns the same address with another port.
    package func with(port: UInt16) -> SocketAddress {
        SocketAddress(isIPv6: isIPv6, bits: bits, port: port, scope: scope)
    }

    /// True if the address is this machine itself: 127.0.0.0/8, also mapped to IPv6, and ::1.
    package var isLoopback: Bool {
        if isIPv6 && bits == 1 { return true }
        let isIPv4 = !isIPv6 || bits >> 32 == 0xffff
        return isIPv4 && (bits >> 24) & 0xff == 127
    }

    /// The number of an address of IPv4; `nil` for one of IPv6.
    package var ipv4: UInt32? { isIPv6 ? nil : UInt32(truncatingIfNeeded: bits) }

    /// The number of an address of IPv6; `nil` for one of IPv4.
    package var ipv6: UInt128? { isIPv6 ? bits : nil }

    /// True if the address begins with as many bits of another one of its family, as in
    /// `10.0.0.0/8`.
    package func matches(_ other: SocketAddress, bits count: Int) -> Bool {
        let width = isIPv6 ? 128 : 32
        guard isIPv6 == other.isIPv6, (0...width).contains(count) else { return false }
        return bits >> (width - count) == other.bits >> (width - count)
    }

    /// The address without its port.
    package var host: String {
        guard isIPv6 else {
            var v4 = self.v4
            return unsafe systemText { _ = unsafe uv_ip4_name(&v4, $0, $1) }
        }
        var v6 = self.v6
        let address = unsafe systemText { _ = unsafe uv_ip6_name(&v6, $0, $1) }
        return scope == 0 ? address : "\(address)%\(scope)"
    }

    package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private init(isIPv6: Bool, bits: UInt128, port: UInt16, scope: UInt32) {
        self.isIPv6 = isIPv6
        self.bits = bits
        self.port = port
        self.scope = scope
    }
}

// MARK: - The system's form

extension SocketAddress {
    /// Copies an address that the system has given.
    /// - Returns: Nothing for families other than IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address = unsafe address else { return nil }
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            unsafe self.init(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self))
        case AF_INET6:
            unsafe self.init(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self))
        default:
            return nil
        }
    }

    /// Asks libuv for one end of a connection or a listener.
    init?(asking ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32) {
        var storage = sockaddr_storage()
        var size = Int32(MemoryLayout<sockaddr_storage>.size)
        let found: SocketAddress? = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            else {
                return nil
            }
            return unsafe ask(address, &size) == 0 ? SocketAddress(UnsafePointer(address)) : nil
        }
        guard let found else { return nil }
        self = found
    }

    /// Lends the address in the system's form.
    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>) -> R) -> R {
        func lend<Address>(_ address: Address) -> R {
            unsafe withUnsafePointer(to: address) { pointer in
                unsafe body(UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self))
            }
        }
        return isIPv6 ? lend(v6) : lend(v4)
    }

    var family: Int32 { isIPv6 ? AF_INET6 : AF_INET }

    private init(_ v4: sockaddr_in) {
        self.init(
            isIPv6: false, bits: UInt128(UInt32(bigEndian: v4.sin_addr.s_addr)),
            port: UInt16(bigEndian: v4.sin_port), scope: 0)
    }

    private init(_ v6: sockaddr_in6) {
        let bits = unsafe withUnsafeBytes(of: v6.sin6_addr) {
            unsafe UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self))
        }
        self.init(
            isIPv6: true, bits: bits, port: UInt16(bigEndian: v6.sin6_port),
            scope: v6.sin6_scope_id)
    }

    private var v4: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(truncatingIfNeeded: bits).bigEndian
        return address
    }

    private var v6: sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_scope_id = scope
        unsafe withUnsafeMutableBytes(of: &address.sin6_addr) {
            unsafe $0.storeBytes(of: bits.bigEndian, as: UInt128.self)
        }
        return address
    }
}
