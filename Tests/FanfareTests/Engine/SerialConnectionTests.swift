import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareTLS
import FanfareTestSupport
import Testing

@testable import Fanfare

/// TLS and HTTP/1.1 together, against a server in memory.
@Suite struct SerialConnectionTests {
    private static let authority: SelfSignedAuthority? = try? SelfSignedAuthority()
    private static let request = """
        POST /3/device/aa HTTP/1.1\r
        host: localhost\r
        apns-id: eabeae54-14a8-11e5-b60b-1697f925ec7b\r
        content-length: 2\r
        \r
        {}
        """
    private static let answer = "HTTP/1.1 410 Gone\r\ncontent-length: 2\r\n\r\n{}"
    private let now = Instant(nanoseconds: 0)

    /// A client and a server that talk in memory.
    private struct Line {
        let client: ClientConnection
        let server: TextPeer

        /// Lets both talk until neither has anything to say.
        func exchange() throws {
            while true {
                var up: [UInt8] = []
                try client.flush(now: Instant(nanoseconds: 0)) { bytes in
                    up += bytes
                    return bytes.count
                }
                try server.receive(up)
                let down = server.takeOutgoing()
                try down.withUnsafeBytes {
                    try client.receive($0, now: Instant(nanoseconds: 0))
                }
                if up.isEmpty && down.isEmpty { return }
            }
        }

        /// The ends of requests, as code, status and body; gives their places back.
        func takeEnds() -> [String] {
            var ends: [String] = []
            while let event = client.nextEvent() {
                guard case .streamClosed(let stream, _, let code) = event else { continue }
                let response = client.response(stream)
                let whole = response.isComplete ? "" : " cut"
                ends.append("\(code.name) \(response.status) \(String(response.body))\(whole)")
                client.release(stream)
            }
            return ends
        }
    }

    private func line(
        _ versions: HTTPVersions = .either, offered: String? = nil, bodyBytesMax: UInt64 = .max,
        sharing shared: SharedBuffers = SharedBuffers()
    ) throws -> Line {
        var client: TLSClientSettings?
        var server: TLSContext?
        if let offered {
            let authority = try #require(Self.authority)
            var configuration = ClientTLSConfiguration()
            configuration.caPEM = authority.caPEM
            configuration.offer(versions)
            client = TLSClientSettings(
                context: try TLSContext(client: configuration), serverName: "localhost")
            var other = ServerTLSConfiguration(identity: authority.identity)
            other.alpn = offered
            server = try TLSContext(server: other)
        }
        var settings = ConnectionSettings(
            tls: client, session: ClientSessionConfiguration(), service: APNs.sample)
        settings.versions = versions
        settings.session.bodyBytesMax = bodyBytesMax
        let connection = try ClientConnection(settings, sharing: shared)
        try connection.begin()
        return Line(client: connection, server: try TextPeer(tls: server))
    }

    private func failure(_ body: () throws -> Void) -> ConnectionFailure? {
        do {
            try body()
            return nil
        } catch {
            return (error as? ConnectionError)?.failure
        }
    }

    // MARK: Which one

    @Test(arguments: [HTTPVersions.either, .http1])
    func `in the clear requests may go at once`(versions: HTTPVersions) throws {
        let line = try line(versions)
        #expect(line.client.phase == .open && line.client.isSerial)
        #expect(!line.client.wantsFlush)
        try line.exchange()
        #expect(line.server.heard == "")
    }

    @Test func `in the clear HTTP 2 has to show itself first`() throws {
        let line = try line(.http2)
        #expect(line.client.phase == .greeting && !line.client.isSerial)
    }

    @Test func `the server's choice decides over TLS`() throws {
        for (versions, offered, isSerial) in [
            (HTTPVersions.either, "h2", false), (.either, "http/1.1", true),
            (.http1, "http/1.1", true), (.http2, "h2", false),
        ] {
            let line = try line(versions, offered: offered)
            #expect(line.client.phase == .handshaking)
            try line.exchange()
            #expect(line.client.phase == .open)
            #expect(line.client.isSerial == isSerial)
            #expect(line.server.agreed == offered)
            // Only HTTP/2 has something to say before the first request.
            #expect(line.server.heard.hasPrefix("PRI * HTTP/2.0") == !isSerial)
            #expect(line.server.heard.isEmpty == isSerial)
        }
    }

    @Test func `a server without the version that is needed is a permanent failure`() throws {
        for (versions, offered) in [(HTTPVersions.http2, "http/1.1"), (.http1, "h2")] {
            let line = try line(versions, offered: offered)
            let failure = failure { try line.exchange() }
            guard case .permanent = failure else {
                Issue.record("\(versions): \(String(describing: failure))")
                continue
            }
            let text = failure.map { "\($0.text)" } ?? ""
            let version = versions == .http1 ? "HTTP/1.1" : "HTTP/2"
            #expect(text.contains("does not speak \(version) there"))
        }
    }

    @Test func `a record of another version behind the handshake is no peer without TLS`() throws {
        let line = try line(.http1, offered: "http/1.1")
        try line.exchange()
        #expect(line.client.phase == .open)
        let record: [UInt8] = [0x17, 0x09, 0x09, 0, 32] + [UInt8](repeating: 0, count: 32)
        let failure = failure {
            try record.withUnsafeBytes { try line.client.receive($0, now: now) }
        }
        guard case .transient(let text) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect("\(text)".hasPrefix("TLS failed: ") && !"\(text)".contains("does not speak TLS"))
    }

    // MARK: Requests

    @Test(arguments: [nil, "http/1.1"] as [String?])
    func `requests are answered one after the other`(offered: String?) throws {
        let line = try line(offered: offered)
        try line.exchange()
        for tag in 1...3 as ClosedRange<UInt32> {
            var row = PreparedRow.sample()
            try line.client.submitSerial(&row, tag: tag)
            #expect(line.client.extent(of: row) == .nothing)
            // One that is alone has no room for another.
            var isTaken = true
            do {
                try line.client.submitSerial(&row, tag: 9)
            } catch {
                isTaken = false
            }
            #expect(!isTaken)
            try line.exchange()
            #expect(line.client.extent(of: row) == .whole)
            #expect(line.server.takeHeard() == Self.request)
            try line.server.say(Self.answer)
            try line.exchange()
            #expect(line.client.isLeft(behind: row) == false)
            #expect(line.takeEnds() == ["NO_ERROR 410 {}"])
        }
    }

    @Test func `a body without end is waited for up to a bound, and its status counts`() throws {
        let line = try line(bodyBytesMax: 100)
        var row = PreparedRow.sample()
        try line.client.submitSerial(&row, tag: 1)
        try line.exchange()
        try line.server.say("HTTP/1.1 410 Gone\r\ncontent-length: 1000000\r\n\r\n{}")
        try line.exchange()
        #expect(line.takeEnds() == [])
        try line.server.say(String(repeating: " ", count: 200))
        try line.exchange()
        #expect(line.client.isLeft(behind: row) == true)
        #expect(line.takeEnds().map { $0.hasPrefix("CANCEL 410 {}") } == [true])
    }

    @Test func `what has left is told by the byte in the clear, and by the record in TLS`() throws {
        for offered in [nil, "http/1.1"] as [String?] {
            let line = try line(offered: offered)
            try line.exchange()
            var row = PreparedRow.sample()
            try line.client.submitSerial(&row, tag: 1)
            var sent = 0
            // One byte at a time.
            while line.client.wantsFlush {
                try line.client.flush(now: now) { _ in 1 }
                sent += 1
                line.client.unblocked()
                let isWhole = !line.client.wantsFlush
                let extent: AttemptCause.Extent =
                    isWhole ? .whole : offered == nil ? .part : .nothing
                #expect(line.client.extent(of: row) == extent, "\(sent)")
            }
            #expect(sent > Self.request.utf8.count - 1)
        }
    }

    @Test func `an answer before the request has left is no answer, or the last one`() throws {
        let early = try line()
        var row = PreparedRow.sample()
        try early.client.submitSerial(&row, tag: 1)
        // It is made, and the transport takes nothing of it.
        try early.client.flush(now: now) { _ in 0 }
        try early.server.say(Self.answer)
        let failure = failure { try early.exchange() }
        #expect(
            failure
                == .transient(
                    "the peer broke HTTP/1.1: it answers without a question (RFC 9112 §9.2)"))
        #expect(early.client.extent(of: row) == .nothing)
        #expect(early.takeEnds() == [])

        let late = try line()
        row = PreparedRow.sample()
        try late.client.submitSerial(&row, tag: 1)
        var room = 20
        try late.client.flush(now: now) { bytes in
            defer { room = 0 }
            return min(room, bytes.count)
        }
        #expect(late.client.extent(of: row) == .part)
        try Array(Self.answer.utf8).withUnsafeBytes { try late.client.receive($0, now: now) }
        #expect(late.client.isLeft(behind: row) == true)
        #expect(late.takeEnds() == ["NO_ERROR 410 {}"])
    }

    // MARK: Ends

    @Test func `the last answer leaves the connection`() throws {
        let line = try line()
        var row = PreparedRow.sample()
        try line.client.submitSerial(&row, tag: 1)
        try line.exchange()
        try line.server.say("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        try line.exchange()
        #expect(line.client.isLeft(behind: row) == true)
        #expect(line.takeEnds() == ["NO_ERROR 200 "])
    }

    // RFC 9112 §9.8
    @Test func `an answer may end with TLS, and not with what is below`() throws {
        for isClean in [true, false] {
            let line = try line(offered: "http/1.1")
            try line.exchange()
            var row = PreparedRow.sample()
            try line.client.submitSerial(&row, tag: 1)
            try line.exchange()
            try line.server.say("HTTP/1.1 200 OK\r\n\r\nab")
            if isClean { line.server.closeNotify() }
            #expect((failure { try line.exchange() } != nil) == isClean)
            line.client.transportEnded()
            #expect(line.takeEnds() == (isClean ? ["NO_ERROR 200 ab"] : []))
            if !isClean { #expect(line.client.response(row.stream).isComplete == false) }
        }
    }

    @Test func `in the clear an answer may end with the transport`() throws {
        let line = try line()
        var row = PreparedRow.sample()
        try line.client.submitSerial(&row, tag: 1)
        try line.exchange()
        try line.server.say("HTTP/1.0 200 OK\r\n\r\nab")
        try line.exchange()
        #expect(line.takeEnds() == [])
        line.client.transportEnded()
        #expect(line.takeEnds() == ["NO_ERROR 200 ab"])
    }

    @Test func `an answer that breaks HTTP ends the connection`() throws {
        let line = try line()
        var row = PreparedRow.sample()
        try line.client.submitSerial(&row, tag: 1)
        try line.exchange()
        try line.server.say("HTTP/1.1 200 OK\r\ncontent-length : 0\r\n\r\n")
        let failure = failure { try line.exchange() }
        #expect(
            failure
                == .transient(
                    "the peer broke HTTP/1.1: there is a blank before the colon of a header field "
                        + "(RFC 9112 §5.1)"))
        // It is no connection that is left in good order.
        #expect(line.client.isLeft(behind: row) == false)
        #expect(line.takeEnds() == ["PROTOCOL_ERROR 0  cut"])
    }

    @Test(arguments: [
        ("\u{15}\u{3}\u{1}", "the peer wants TLS: use https://"),
        ("\u{0}\u{0}\u{12}", "the peer speaks HTTP/2, not HTTP/1.1"),
    ])
    func `a peer that speaks something else is recognized`(said: String, text: String) throws {
        let line = try line()
        var row = PreparedRow.sample()
        try line.client.submitSerial(&row, tag: 1)
        try line.exchange()
        try line.server.say(said)
        // The keeper of all connections knows if others go better.
        #expect(failure { try line.exchange() } == .transient(Statement(text)))
    }

    /// It has shown that it speaks HTTP/1.1: another connection may go better.
    @Test func `a peer that has answered may say what it likes`() throws {
        let line = try line()
        for said in [Self.answer, "\u{0}\u{0}\u{12}"] {
            var row = PreparedRow.sample()
            try line.client.submitSerial(&row, tag: 1)
            try line.exchange()
            try line.server.say(said)
            guard said != Self.answer else {
                try line.exchange()
                #expect(line.takeEnds() == ["NO_ERROR 410 {}"])
                continue
            }
            guard case .transient(let text) = failure({ try line.exchange() }) else {
                Issue.record("no failure of one connection")
                return
            }
            #expect("\(text)".contains("begins like a frame of HTTP/2"))
        }
    }

    @Test func `a request that is taken back ends with its connection`() throws {
        let line = try line()
        var row = PreparedRow.sample()
        try line.client.submitSerial(&row, tag: 1)
        try line.exchange()
        line.client.reset(row.stream, now: now)
        #expect(line.client.isLeft(behind: row) == true)
        #expect(line.takeEnds() == ["CANCEL 0  cut"])
        line.client.sayGoodbye(now: now) { $0.count }
    }
}
