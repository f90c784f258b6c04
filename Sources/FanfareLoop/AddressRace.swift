package import FanfareBase

/// The order and the times in which a name's addresses are tried ("happy eyeballs"), as decisions
/// only.
///
/// An address that does not answer costs a quarter of a second and not a connect time-out. All
/// addresses take part, and each race begins at another one, so that connections spread over servers.
///
/// RFC 8305 §4, §5
package struct AddressRace: Sendable {
    /// The addresses in the order in which they are tried.
    package let order: [SocketAddress]

    private var started = 0
    private var running = 0
    private var nextAttempt = Instant(nanoseconds: .min)

    /// - Parameters:
    ///   - addresses: The addresses of the name, in the system's order (RFC 6724).
    ///   - first: The number of the race, which decides where it begins.
    package init(_ addresses: [SocketAddress], first: Int) {
        order = Self.order(addresses, first: first)
    }

    /// Begins at one address, and then lets the families take turns.
    private static func order(_ addresses: [SocketAddress], first: Int) -> [SocketAddress] {
        guard !addresses.isEmpty else { return [] }
        let start = first % addresses.count
        let rotated = Array(addresses[start...] + addresses[..<start])
        let same = rotated.filter { $0.family == rotated[0].family }
        let other = rotated.filter { $0.family != rotated[0].family }
        var order: [SocketAddress] = []
        for index in 0..<max(same.count, other.count) {
            if index < same.count { order.append(same[index]) }
            if index < other.count { order.append(other[index]) }
        }
        return order
    }

    /// Returns the address to try now as well, if it is time for one; it counts as running.
    package mutating func next(now: Instant) -> SocketAddress? {
        guard started < order.count, now >= nextAttempt else { return nil }
        nextAttempt = now.advanced(by: Limits.connectionAttemptDelay)
        defer { started += 1 }
        running += 1
        return order[started]
    }

    /// The time of the next call of `next`; `nil` when all addresses run or have failed.
    package var deadline: Instant? { started < order.count ? nextAttempt : nil }

    /// Notes that an attempt has failed: the next one need not wait.
    package mutating func attemptFailed() {
        running -= 1
        nextAttempt = Instant(nanoseconds: .min)
    }

    /// True if no attempt is left that could win.
    package var isLost: Bool { running == 0 && started == order.count }
}
