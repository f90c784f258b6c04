import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem

/// The object that a transport tells what happens.
protocol TransportOwner: AnyObject {
    func transportOpened(_ connection: Int)
    func transportFailed(_ connection: Int, _ failure: ConnectionFailure)
    func transportEnded(_ connection: Int)
    func transportWritable(_ connection: Int)
    func received(_ bytes: UnsafeRawBufferPointer, on connection: Int)
}

/// The TCP connection behind one of the engine's connections, from look-up to end.
///
/// With a proxy it is open when the tunnel is.
///
/// Says nothing any more once it was closed by us. Use only on its loop's thread.
final class Transport<Owner: TransportOwner>: TCPConnectionDelegate {
    private unowned let lane: Owner
    private let connection: Int
    private let loop: EventLoop
    /// The place in the line of the names that are looked up, once it has one.
    var waiter: Resolver.Waiter?
    /// The time at which it was wanted.
    let opened: Instant
    /// The time at which its name's look-up began; `nil` as long as that waits behind others.
    private(set) var beginning: Instant?
    private var tcp: TCPConnection?
    private var race: TCPRace?
    /// The time at which its addresses were dialed; `nil` as long as they are not known.
    private(set) var dialTime: Instant?
    /// The tunnel's settings, with which this way begins; `nil` without a proxy.
    private let proxy: TunnelSettings?
    /// The tunnel while it is not open yet.
    private var tunnel: Tunnel?
    /// True if there is a tunnel that is not open yet.
    ///
    /// Beside the tunnel, because to look into that would cost an exclusivity check for each read.
    private var isInTunnel = false
    private var isClosed = false
    /// True if it may lead to addresses outside the public Internet; always so behind a proxy, which the job
    /// names itself.
    private let allowsPrivate: Bool

    init(
        lane: Owner, connection: Int, loop: EventLoop, proxy: TunnelSettings?,
        allowsPrivate: Bool = true
    ) {
        self.lane = lane
        self.allowsPrivate = allowsPrivate || proxy != nil
        self.connection = connection
        self.loop = loop
        self.proxy = proxy
        opened = loop.now
    }

    /// Notes that its name is being looked up.
    func begin() { beginning = loop.now }

    /// Connects to the first address that answers, unless it was closed while the name was looked up.
    /// - Parameters:
    ///   - all: The addresses, at least one.
    ///   - first: The index of the address to try first.
    func connect(to all: [SocketAddress], first: Int) {
        guard !isClosed else { return }
        var addresses = all
        if !allowsPrivate {
            // These very addresses are dialed: a second look-up might lead elsewhere.
            addresses = addresses.filter { address in
                address.scope == nil && !loop.ownAddresses.contains(address, now: loop.now)
            }
        }
        guard !addresses.isEmpty else { return fail(.permanent(Self.refusal(of: all))) }
        dialTime = loop.now
        race = TCPRace(
            loop: loop, addresses: addresses, first: first,
            userTimeout: Limits.unacknowledgedMax
        ) { [unowned self] result in
            race = nil
            switch result {
            case .success(let tcp): connected(tcp)
            case .failure(let error): failOnTheWay(error.description)
            }
        }
    }

    /// Says why none of a host's addresses may be dialed.
    private static func refusal(of addresses: [SocketAddress]) -> Statement {
        guard let address = addresses.first else { return "it has no address" }
        let scope = address.scope?.text ?? "of this machine"
        return Statement("it leads to \(address.host), an address \(scope)")
    }

    private func connected(_ tcp: TCPConnection) {
        self.tcp = tcp
        tcp.delegate = self
        // An address of the public Internet may be this machine's own, of an interface that came up just now or of
        // a rule of its firewall. Nothing was sent yet.
        if !allowsPrivate, tcp.leadsToItself {
            let host = tcp.remoteAddress?.host ?? "an address"
            return fail(.permanent(Statement("it leads to \(host), an address of this machine")))
        }
        tcp.startReading()
        guard let proxy else { return lane.transportOpened(connection) }
        tunnel = Tunnel(proxy)
        isInTunnel = true
        ask()
    }

    /// Sends the proxy the bytes that it has not taken yet.
    private func ask() {
        unsafe tunnel?.ask { bytes in unsafe tcp?.write(bytes) ?? 0 }
    }

    func send(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        unsafe tcp?.write(UnsafeRawBufferPointer(bytes)) ?? 0
    }

    /// True if something has arrived that was not read: bytes, or the end.
    var hasUnread: Bool { !isClosed && tcp?.hasUnreadOrEnd == true }

    /// Ends it from our side, after the bytes that were taken for sending.
    func close() {
        isClosed = true
        race = nil
        tcp?.close()
    }

    /// It cannot be used, or not any more.
    func fail(_ failure: ConnectionFailure) {
        guard !isClosed else { return }
        close()
        lane.transportFailed(connection, failure)
    }

    /// The same before it was open: if there is a proxy, it was on the way to it.
    func failOnTheWay(_ text: String) {
        fail(.transient(Statement(proxy?.blaming(text) ?? text)))
    }

    // MARK: TCPConnectionDelegate

    /// The race has heard that already.
    func tcpConnected() {}

    func tcpReceived(_ bytes: UnsafeRawBufferPointer) {
        guard !isClosed else { return }
        guard isInTunnel else { return unsafe lane.received(bytes, on: connection) }
        switch unsafe tunnel?.received(bytes) {
        case nil, .waits: break
        case .failed(let failure): fail(failure)
        case .opened(let count):
            tunnel = nil
            isInTunnel = false
            lane.transportOpened(connection)
            // No TLS server speaks first; the lane judges a server that does.
            if !isClosed, count < bytes.count {
                unsafe lane.received(
                    UnsafeRawBufferPointer(rebasing: bytes[count...]), on: connection)
            }
        }
    }

    func tcpWritable() {
        guard !isClosed else { return }
        if tunnel != nil { ask() } else { lane.transportWritable(connection) }
    }

    func tcpClosed(_ error: SystemError?) {
        let text = error?.description ?? "closed"
        if tunnel == nil {
            if !isClosed, error?.kind == .endOfFile { lane.transportEnded(connection) }
            fail(.transient(Statement(text)))
        } else {
            failOnTheWay("\(text) before an answer")
        }
    }
}
