import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareTLS
import FanfareTestSupport
import Testing

@testable import Fanfare

/// A connection whose peer is in the middle of a message of TLS, so that nothing can be encrypted.
///
/// Such a message may be cut over records anywhere, with no others between them. RFC 8446 §5.1
@Suite struct HeldWriteTests {
    private static let authority: SelfSignedAuthority? = try? SelfSignedAuthority()

    /// A client and a server in memory, which talk HTTP/2 in records of the test's own.
    private final class Line {
        let client: ClientConnection
        /// HTTP/2 alone.
        let server: ServerPeer
        private let tls: RawTLS

        init(sharing shared: SharedBuffers = SharedBuffers()) throws {
            let authority = try #require(HeldWriteTests.authority)
            var configuration = ClientTLSConfiguration()
            configuration.caPEM = authority.caPEM
            let settings = ConnectionSettings(
                tls: TLSClientSettings(
                    context: try TLSContext(client: configuration), serverName: "localhost"),
                session: ClientSessionConfiguration(),
                service: APNs.sample, credentials: nil)
            client = try ClientConnection(settings, sharing: shared)
            server = try ServerPeer()
            tls = try RawTLS(authority, isServer: true)
            try client.begin()
            for _ in 0..<10 where !tls.isOpen {
                try server.receive(tls.receive(send(at: 0)))
                try feed(tls.takeOutgoing())
            }
            try exchange()
            try #require(client.phase == .open)
        }

        /// The bytes that the client sends.
        func send(at time: Int64) throws -> [UInt8] {
            var sent: [UInt8] = []
            try client.flush(now: Instant(nanoseconds: time)) { bytes in
                sent += bytes
                return bytes.count
            }
            return sent
        }

        /// Lets both talk until neither has anything to say.
        func exchange() throws {
            while true {
                let up = try send(at: 0)
                try server.receive(tls.receive(up))
                let down = try server.takeOutgoing()
                try say(data: down)
                if up.isEmpty && down.isEmpty { return }
            }
        }

        /// Tells the client a piece of a message of TLS.
        func say(_ piece: some Collection<UInt8>) throws {
            try feed(tls.forge(type: 22, Array(piece)))
        }

        func say(data: [UInt8]) throws {
            if !data.isEmpty { try feed(tls.forge(type: 23, data)) }
        }

        private func feed(_ bytes: [UInt8]) throws {
            guard !bytes.isEmpty else { return }
            try bytes.withUnsafeBytes {
                try client.receive($0, now: Instant(nanoseconds: 0))
            }
        }

        func takeAnswers() -> [String] {
            Conversation(client: client, server: server).takeAnswers()
        }
    }

    /// The first four bytes say how long the message is.
    @Test(arguments: [4, 5, 25, CutTicket.message.count - 1])
    func `a request that meets half a ticket leaves behind the other half`(cut: Int) throws {
        let line = try Line()
        let client = line.client
        try line.say(CutTicket.message[..<cut])
        var row = PreparedRow.sample()
        try client.submit(&row, tag: 1)
        #expect(client.wantsFlush)
        #expect(try line.send(at: 5).isEmpty)
        #expect(client.isBlocked && client.isHeld)
        #expect(!client.wantsFlush)
        #expect(client.extent(of: row) == .nothing)

        try line.say(CutTicket.message[cut...])
        #expect(!client.isBlocked)
        #expect(client.wantsFlush)
        try line.exchange()
        #expect(client.extent(of: row) == .whole)
        #expect(line.server.requests.count == 1)
        let stream = try #require(line.server.requests.first)
        #expect(line.server.text(.path, stream) == "/3/device/aa")
        #expect(line.server.body(stream) == "{}")
        try line.server.respond(stream, status: 200)
        try line.exchange()
        #expect(line.takeAnswers() == ["200 "])
    }

    @Test func `neither more of a ticket nor room in the transport ends the wait`() throws {
        let line = try Line()
        let client = line.client
        try line.say(CutTicket.message[..<4])
        var row = PreparedRow.sample()
        try client.submit(&row, tag: 1)
        #expect(try line.send(at: 5).isEmpty)
        for index in 4..<CutTicket.message.count - 1 {
            try line.say(CutTicket.message[index...index])
            client.unblocked()
            #expect(try line.send(at: Int64(index + 2)).isEmpty)
            #expect(client.isHeld)
        }
        try line.say(CutTicket.message.suffix(1))
        try line.exchange()
        #expect(line.server.requests.count == 1)
    }

    @Test func `a ticket that finds nothing to write holds nothing up`() throws {
        let line = try Line()
        try line.say(CutTicket.firstHalf)
        #expect(try line.send(at: 5).isEmpty)
        #expect(!line.client.isBlocked)
        try line.say(CutTicket.secondHalf)
        var row = PreparedRow.sample()
        try line.client.submit(&row, tag: 1)
        try line.exchange()
        #expect(line.server.requests.count == 1)
    }

    @Test func `what half a ticket holds back has not left, and what went before has`() throws {
        let line = try Line()
        let client = line.client
        var first = PreparedRow.sample()
        try client.submit(&first, tag: 1)
        try line.exchange()
        try line.say(CutTicket.firstHalf)
        var second = PreparedRow.sample()
        // More than a record, so that none of several has left.
        var third = PreparedRow.sample(payloadBytes: 20_000)
        try client.submit(&second, tag: 2)
        try client.submit(&third, tag: 3)
        #expect(try line.send(at: 5).isEmpty)
        #expect(client.extent(of: first) == .whole)
        #expect(client.extent(of: second) == .nothing)
        #expect(client.extent(of: third) == .nothing)
        #expect(client.isHeld)
    }

    @Test func `data between the halves of a ticket end the connection`() throws {
        let line = try Line()
        try line.say(CutTicket.firstHalf)
        var row = PreparedRow.sample()
        try line.client.submit(&row, tag: 1)
        #expect(try line.send(at: 5).isEmpty)
        // SETTINGS, empty. RFC 9113 §6.5
        #expect(throws: ConnectionError.self) {
            try line.say(data: [0, 0, 0, 4, 0, 0, 0, 0, 0])
        }
        #expect(line.client.extent(of: row) == .nothing)
    }

    @Test func `what is held back does not mix with what others send`() throws {
        let shared = SharedBuffers()
        let held = try Line(sharing: shared)
        let other = try Line(sharing: shared)
        try held.say(CutTicket.firstHalf)
        var first = PreparedRow.sample()
        try held.client.submit(&first, tag: 1)
        #expect(try held.send(at: 5).isEmpty)
        var second = PreparedRow.sample(payloadBytes: 20_000)
        try other.client.submit(&second, tag: 2)
        try other.exchange()
        #expect(other.server.requests.map { other.server.body($0).utf8.count } == [20_000])
        try held.say(CutTicket.secondHalf)
        try held.exchange()
        #expect(held.server.requests.map { held.server.body($0) } == ["{}"])
    }
}
