import FanfareTLS

extension FuzzTarget {
    /// A server's records, cut and changed, in the handshake or behind it.
    ///
    /// The first byte chooses version, size of records and whether the handshake is let through; then
    /// each step is a byte of what and one of how much.
    static let records = FuzzTarget("records", bytesMax: 256) { bytes throws(Violation) in
        var input = InputReader(bytes)
        let choice = input.byte()
        guard var talk = try? FuzzedTalk(choice) else { throw Violation("no client") }
        if choice & 8 == 0 { try talk.shake() }
        while !input.rest.isEmpty {
            let step = input.byte()
            try talk.step(step & 15, input.byte())
        }
        try talk.step(3, 0)
        try talk.finish()
    }
}

/// A client of ours and a server of OpenSSL's.
struct FuzzedTalk: ~Copyable {
    private var client: TLSSession
    private let server: FuzzedServer
    /// On the way to the client.
    private var pending: [UInt8] = []
    private var isComplete = false
    private var hasFailed = false
    private var isClosed = false
    /// A machine on the way has changed something.
    private var isChanged = false
    private var keyChanges = 0
    private var said: [UInt8] = []
    private var heard: [UInt8] = []
    /// The bytes that the client has written since the last fetch.
    private var writtenBytes = 0

    private static let context = try? {
        var configuration = ClientTLSConfiguration()
        configuration.verification = .none
        return try TLSContext(client: configuration)
    }()

    init(_ choice: Int) throws {
        guard let context = Self.context else { throw Violation("no context") }
        client = try TLSSession(context: context, serverName: "localhost")
        server = FuzzedServer(isTLS12: choice & 1 != 0, fragmentBytes: 512 << (choice >> 1 & 3))
        handshake()
    }

    private mutating func handshake() {
        guard !isComplete, !hasFailed else { return }
        do {
            isComplete = try client.handshake() == .complete
        } catch {
            hasFailed = true
        }
    }

    /// Lets both finish their handshake undisturbed.
    mutating func shake() throws(Violation) {
        for _ in 0..<6 {
            fetch()
            try deliver(.max)
        }
        try Violation.check(isComplete && !hasFailed, "a handshake that is let through fails")
    }

    mutating func step(_ step: Int, _ amount: Int) throws(Violation) {
        switch step {
        case 0:
            let data = [UInt8](repeating: UInt8(amount), count: amount * 16)
            if server.say(data) { said += data }
            pending += server.takeOutgoing()
        case 1:
            server.changeKeys(asks: amount & 1 != 0)
            keyChanges += 1
            pending += server.takeOutgoing()
        case 2:
            server.giveTicket()
            pending += server.takeOutgoing()
        case 3: try deliver(amount == 0 ? .max : amount)
        case 4: write(amount * 8)
        case 5: fetch()
        case 6:
            server.leave()
            pending += server.takeOutgoing()
        case 7...15: change(step, amount)
        default: break
        }
        try checkBounds()
    }

    /// Changes what is under way.
    private mutating func change(_ how: Int, _ amount: Int) {
        guard !pending.isEmpty else { return }
        isChanged = true
        let place = amount * 7 % pending.count
        switch how {
        case 7, 8: pending[place] ^= UInt8(1 << (amount & 7))
        case 9: pending.removeSubrange(place...)
        case 10: pending.removeFirst(place)
        case 11: pending += pending.prefix(place)
        case 12: pending.insert(UInt8(amount), at: place)
        case 13: pending[0] = UInt8(amount)
        case 14: pending.insert(contentsOf: [23, 3, 3, 0, 0], at: 0)
        default: pending.remove(at: place)
        }
    }

    private mutating func deliver(_ count: Int) throws(Violation) {
        var rest = pending.prefix(count)
        pending.removeFirst(rest.count)
        while !rest.isEmpty, !hasFailed, !isClosed {
            // Memory of exactly this size, as from a socket.
            let piece = UnsafeMutableRawBufferPointer.allocate(
                byteCount: min(rest.count, 4096), alignment: 1)
            defer { piece.deallocate() }
            piece.copyBytes(from: rest.prefix(piece.count))
            rest = rest.dropFirst(piece.count)
            client.feed(UnsafeRawBufferPointer(piece))
            handshake()
            if isComplete { read() }
        }
    }

    private mutating func read() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
        defer { buffer.deallocate() }
        do throws(TLSError) {
            while !hasFailed {
                switch try client.read(into: buffer) {
                case .bytes(let count): heard += buffer.prefix(count)
                case .needsInput: return
                case .closed:
                    isClosed = true
                    return
                }
            }
        } catch {
            hasFailed = true
        }
    }

    private mutating func write(_ count: Int) {
        guard isComplete, !hasFailed, count > 0 else { return }
        let data = [UInt8](repeating: 1, count: count)
        do {
            _ = try data.withUnsafeBytes { try client.write($0) }
            writtenBytes += count + 64
        } catch {
            hasFailed = true
        }
    }

    /// The server gets what the client has to send.
    private mutating func fetch() {
        let bytes = Array(client.outgoing)
        client.discardOutgoing(bytes.count)
        writtenBytes = 0
        server.receive(bytes)
        pending += server.takeOutgoing()
    }

    private func checkBounds() throws(Violation) {
        let bytes = client.outgoing.count
        try Violation.check(
            bytes <= writtenBytes + 20_000, "\(bytes) bytes wait, of which \(writtenBytes) are ours"
        )
    }

    func finish() throws(Violation) {
        guard !isChanged, isComplete else { return }
        try Violation.check(said.starts(with: heard), "what was said is not what is heard")
        // A client may be tired of new keys.
        guard keyChanges <= 8 else { return }
        try Violation.check(!hasFailed, "a server that keeps to the rules is left")
        try Violation.check(isClosed || heard == said, "something that was said is not heard")
    }
}
