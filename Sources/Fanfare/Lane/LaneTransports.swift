import FanfareBase
import FanfareLoop
import FanfareSystem

/// The transports of the connections that an engine has to one provider, by their numbers.
///
/// Lanes, hosts and requests for tokens dial, send and close in the same way; only what they do with the news
/// differs. An object, so that a lane does not copy it to send. Use it on its loop's thread.
final class LaneTransports<Owner: TransportOwner> {
    private let loop: EventLoop
    private let resolver: Resolver
    private let host: String
    private let port: UInt16
    private let proxy: TunnelSettings?
    /// True if the addresses may be outside the public Internet.
    private let allowsPrivate: Bool
    /// Behind a pointer, because a property that changes would cost an exclusivity check per access.
    private let transports = Pinned<[Transport<Owner>?]>([])
    /// Dials so far: each one begins at the next of the addresses that the name has.
    private var dials: Int

    /// - Parameters:
    ///   - host: The provider's host.
    ///   - port: Its port.
    ///   - proxy: The way through a proxy, if there is one.
    ///   - allowsPrivate: True if the host may have an address outside the public Internet.
    ///   - firstDial: The index of the address that the first dial begins at.
    ///   - resolver: The one of the loop.
    ///   - loop: The owner's.
    init(
        to host: String, port: UInt16, proxy: TunnelSettings?, allowsPrivate: Bool = true,
        firstDial: Int = 0, resolver: Resolver, on loop: EventLoop
    ) {
        // Behind a proxy the provider's name is the proxy's to look up.
        self.host = proxy?.proxy.host ?? host
        self.port = proxy?.proxy.port ?? port
        self.proxy = proxy
        self.allowsPrivate = allowsPrivate
        self.resolver = resolver
        self.loop = loop
        dials = firstDial
    }

    /// Opens the transport of a connection; its owner hears how that ends.
    func open(_ connection: Int, for owner: Owner) {
        let dial = dials
        dials += 1
        let transport = Transport(
            lane: owner, connection: connection, loop: loop, proxy: proxy,
            allowsPrivate: allowsPrivate)
        transports.withValue { transports in
            while transports.count <= connection { transports.append(nil) }
            transports[connection] = transport
        }
        // Connections that are opened together share a look-up. Each begins with another one of its addresses,
        // and those that are opened later look again: so they are spread over servers.
        transport.waiter = resolver.resolve(
            host: host, port: port, begun: { transport.begin() },
            completion: { answer in
                switch answer {
                case .success(let addresses): transport.connect(to: addresses, first: dial)
                case .failure(let error): transport.failOnTheWay(error.description)
                }
            })
    }

    /// Closes the transport of a connection.
    func close(_ connection: Int) {
        let transport = transports.withValue { $0[connection] }
        // A name that only it has asked for need not be looked up any more.
        if let waiter = transport?.waiter { resolver.leave(waiter) }
        transport?.close()
        forget(connection)
    }

    /// Forgets a transport that has failed.
    func forget(_ connection: Int) { transports.withValue { $0[connection] = nil } }

    /// True if something has arrived on a connection that was not read.
    func hasUnread(on connection: Int) -> Bool {
        let transport = transports.withValue { $0[connection] }
        return transport?.hasUnread ?? false
    }

    /// Returns the time at which the look-up for a connection began; `nil` as long as that waits behind others.
    func beginning(of connection: Int) -> Instant? {
        transports.withValue {
            $0.indices.contains(connection) ? $0[connection]?.beginning : nil
        }
    }

    /// Returns the time at which a connection's addresses were dialed; `nil` as long as they are not known.
    func dialTime(of connection: Int) -> Instant? {
        transports.withValue { $0.indices.contains(connection) ? $0[connection]?.dialTime : nil }
    }

    /// The time since which it waits for the host's addresses; `nil` if there is a connection besides, or the name
    /// waits for its first look-up, which is no fault of its own.
    var lookedUpSince: Instant? {
        let isSlow = resolver.isSlow(host)
        return transports.withValue { transports in
            var first: Instant?
            for case let transport? in transports {
                guard transport.dialTime == nil else { return nil }
                let since = isSlow ? transport.opened : transport.beginning
                if let since, since < first ?? .distantFuture { first = since }
            }
            return first
        }
    }

    /// Sends bytes.
    /// - Returns: The number of bytes that were taken; all, if the connection is gone.
    func send(_ bytes: UnsafeBufferPointer<UInt8>, on connection: Int) -> Int {
        let transport = transports.withValue { $0[connection] }
        return unsafe transport?.send(bytes) ?? bytes.count
    }
}
