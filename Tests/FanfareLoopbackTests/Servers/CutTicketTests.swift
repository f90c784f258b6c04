import Fanfare
import FanfareTestSupport
import Glibc
import Synchronization
import Testing

/// Jobs whose server is in the middle of a message of TLS, so that nothing can be encrypted.
///
/// Such a message may be cut over records anywhere, with no others between them. RFC 8446 §5.1
@Suite struct CutTicketTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// True if rows were started behind the first answer, which has brought half a ticket.
    private static func areHeld(_ progress: ProgressSnapshot) -> Bool {
        progress.accepted == 1 && progress.inFlight > 0
    }

    @Test func `rows that meet half a ticket leave behind the other half`() throws {
        let areWaiting = Atomic(false)
        let connections = Atomic(0)
        let server = try RecordServer { talk in
            connections.add(1, ordering: .relaxed)
            try talk.shake()
            guard let first = talk.request() else { return }
            try talk.answer(first, message: CutTicket.firstHalf)
            let haveBeenHeld = Poll.until(seconds: 30) { areWaiting.load(ordering: .relaxed) }
            #expect(haveBeenHeld)
            let hasWritten = talk.hasUnread
            #expect(!hasWritten)
            try talk.say(message: CutTicket.secondHalf)
            try talk.beKind()
        }
        let job = try TestJob(
            oneConnectionTo: server.provider, rows: 5, folder: folder,
            meanwhile: { job in
                if Self.areHeld(job.progress) { areWaiting.store(true, ordering: .relaxed) }
            })
        job.expectAccounted(5)
        #expect(job.report.outcomes == ["accepted": 5])
        #expect(job.report.lines.allSatisfy { $0["attempts"] == "1" })
        #expect(connections.load(ordering: .relaxed) == 1)
    }

    /// With a piece more the server shows a sign of life when the rows have waited for a while.
    @Test(arguments: [false, true])
    func `rows that half a ticket holds back are sent elsewhere, and no attempt counts`(
        goesOn: Bool
    ) throws {
        let areWaiting = Atomic(false)
        let connections = Atomic(0)
        let server = try RecordServer { talk in
            let number = connections.add(1, ordering: .relaxed).newValue
            try talk.shake()
            guard let first = talk.request() else { return }
            guard number == 1 else {
                try talk.answer(first)
                return try talk.beKind()
            }
            try talk.answer(first, message: CutTicket.firstHalf)
            if goesOn {
                let haveBeenHeld = Poll.until(seconds: 30) { areWaiting.load(ordering: .relaxed) }
                #expect(haveBeenHeld)
                try talk.say(message: Array(CutTicket.secondHalf.prefix(1)))
            }
            talk.wait()
            // Of the rows behind the first one nothing has come.
            #expect(talk.isHeardToTheEnd)
        }
        let clock = ContinuousClock()
        let start = clock.now
        let job = try TestJob(
            oneConnectionTo: server.provider, rows: 5, folder: folder,
            adjust: { $0.engine.timeout = .seconds(2) },
            meanwhile: { job in
                if Self.areHeld(job.progress) { areWaiting.store(true, ordering: .relaxed) }
            })
        #expect(clock.now - start >= .seconds(2))
        job.expectAccounted(5)
        #expect(job.report.outcomes == ["accepted": 5])
        #expect(job.report.lines.allSatisfy { $0["attempts"] == "1" })
        #expect(connections.load(ordering: .relaxed) == 2)
    }

    /// Before the client's Finished it is too early for a ticket, which no client can tell: so not
    /// one request leaves.
    ///
    /// RFC 8446 §4.6.1
    @Test func `a provider whose ticket has no end is given up, and no row is in doubt`() throws {
        let server = try RecordServer { talk in
            try talk.shake(message: CutTicket.firstHalf)
            talk.wait()
            #expect(talk.isHeardToTheEnd)
        }
        let job = try TestJob(oneConnectionTo: server.provider, rows: 5, folder: folder) {
            $0.engine.timeout = .milliseconds(200)
            $0.engine.giveUpAfter = .seconds(1)
        }
        #expect(job.result.exitCode == 3)
        let message = job.result.stopMessage ?? "none"
        #expect(message.contains("no answer from the provider for "), "\(message)")
        #expect(message.contains("half a TLS message"), "\(message)")
        #expect(job.report.outcomes.isEmpty)
    }
}

/// A server of HTTP/2 over TLS that decides what stands in which record.
private final class RecordServer: Sendable {
    private let listener: LoopbackListener

    /// - Parameter script: The events on each connection; it is closed at its end.
    /// - Throws: If the loopback has no port left.
    init(_ script: @escaping @Sendable (RecordTalk) throws -> Void) throws {
        listener = try LoopbackListener { client in
            do { try script(RecordTalk(client)) } catch { Issue.record(error) }
        }
    }

    deinit { listener.stop() }

    var provider: ProviderOptions {
        var provider = ProviderOptions()
        provider.endpoint = Endpoint(host: "127.0.0.1", port: listener.port)
        provider.caPEM = TestAuthority.shared.caPEM
        return provider
    }
}

/// One connection, seen from the server.
private final class RecordTalk {
    private let client: Int32
    private let tls: RawTLS
    /// The client's bytes inside of TLS, as far as they were not looked at.
    private var heard: [UInt8] = []
    private var hasPreface = false

    init(_ client: Int32) throws {
        self.client = client
        tls = try RawTLS(TestAuthority.shared, isServer: true)
    }

    /// Shakes hands, and says this part of a message in one piece with the server's last word.
    func shake(message: [UInt8] = []) throws {
        while !tls.isOpen, hear() {
            let flight = tls.takeOutgoing()
            guard !flight.isEmpty else { continue }
            let early = try message.isEmpty ? [] : tls.forge(type: 22, message)
            LoopbackListener.send(flight + early, to: client)
        }
    }

    /// Says frames in a record, and part of a message of TLS in another, in one piece.
    func say(_ frames: ScriptedPeer.Frame..., message: [UInt8] = []) throws {
        var bytes: [UInt8] = []
        if !frames.isEmpty { bytes += try tls.forge(type: 23, frames.flatMap(\.bytes)) }
        if !message.isEmpty { bytes += try tls.forge(type: 22, message) }
        LoopbackListener.send(bytes, to: client)
    }

    /// Answers the first request with SETTINGS and 200, and says part of a message behind that.
    func answer(_ first: Int32, message: [UInt8] = []) throws {
        // MAX_CONCURRENT_STREAMS. RFC 9113 §6.5.2
        try say(
            .settings([(3, 100)]), .headers(first, [(":status", "200")], ends: true),
            message: message)
    }

    /// Answers each further request with 200 until the client closes.
    func beKind() throws {
        while let stream = request() {
            try say(.headers(stream, [(":status", "200")], ends: true))
        }
    }

    /// Hears until a request has arrived as a whole.
    /// - Returns: Its stream, nil at the end.
    func request() -> Int32? {
        if !hasPreface {
            hasPreface = true
            guard take(24) != nil else { return nil }
        }
        while let head = take(9) {
            let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard take(count) != nil else { return nil }
            // DATA or HEADERS with END_STREAM. RFC 9113 §6.1, §6.2
            if head[3] <= ScriptedPeer.Frame.headers, head[4] & 1 != 0 {
                let stream: Int32 = head[5..<9].reduce(0) { $0 << 8 | Int32($1) }
                return stream
            }
        }
        return nil
    }

    /// Reads until the client closes.
    func wait() { while hear() {} }

    /// True if bytes of the client's have arrived that were not read.
    var hasUnread: Bool {
        var arrival = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
        return poll(&arrival, 1, 0) != 0
    }

    /// True if the client has said nothing inside of TLS that was not looked at.
    var isHeardToTheEnd: Bool { heard.isEmpty }

    private func take(_ count: Int) -> [UInt8]? {
        while heard.count < count { guard hear() else { return nil } }
        defer { heard.removeFirst(count) }
        return Array(heard.prefix(count))
    }

    /// - Returns: False at the client's end.
    private func hear() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16 * 1024)
        let count = read(client, &bytes, bytes.count)
        guard count > 0 else { return false }
        heard += tls.receive(Array(bytes[..<count]))
        return true
    }
}
