import Fanfare
import FanfareBase
import FanfareCore
import Testing

@testable import FanfareSimulator

/// A connection of HTTP/1.1 to the simulator, on a clock of ours.
@Suite struct SimulatedTextConnectionTests {
    private final class Client {
        let connection: SimulatedTextConnection
        let core: SimulatorCore
        var now = Instant(nanoseconds: 0)

        init(rules: String = "", latency: LatencyModel = .none) throws {
            let file = try #require(ShippedProvider(named: "ntfy")).file()
            let desk = try DescribedDesk(file, tokenLife: .seconds(60))
            var configuration = SimulatorConfiguration()
            var text = #"{"rules":[\#(rules)]}"#
            configuration.scenario = try text.withUTF8 {
                try Scenario(json: $0, isDescribed: true)
            }
            configuration.described = desk
            configuration.latency = latency
            configuration.logsRequests = true
            core = SimulatorCore(configuration)
            connection = SimulatedTextConnection(core: core, desk: desk, number: 1, now: now)
        }

        /// Says something, and hears what comes at once.
        func send(_ text: String) -> String {
            Array(text.utf8).withUnsafeBytes {
                connection.receive($0, now: now, unixMilliseconds: 1_700_000_000_000)
            }
            return hear()
        }

        func hear() -> String {
            var buffer = ByteBuffer()
            connection.write(into: &buffer, limit: 65_536)
            return String(decoding: buffer.bytes, as: UTF8.self)
        }
    }

    private static func request(_ topic: String) -> String {
        let body = #"{"topic":"\#(topic)","message":"hello"}"#
        return "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: \(body.utf8.count)\r\n\r\n" + body
    }

    @Test func `requests are answered one after the other`() throws {
        let client = try Client()
        let said = client.send(Self.request("doors") + Self.request("doors"))
        #expect(said.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 3)
        #expect(said.contains("\r\ncontent-type: application/json"))
        #expect(!client.connection.wantsClose && !client.connection.wantsWrite)
        #expect(client.core.counters.requests == 2 && client.core.counters.accepted == 2)
        let log = String(decoding: client.core.log.lines.bytes, as: UTF8.self)
        #expect(log.contains(#""provider":"ntfy","path":"/","token":"doors""#))
    }

    @Test func `an answer waits for its latency, and requests behind it do, too`() throws {
        let client = try Client(latency: try LatencyModel("20ms", place: ""))
        #expect(client.send(Self.request("a") + Self.request("b")).isEmpty)
        for _ in 0..<2 {
            let due = try #require(client.connection.nextDeadline)
            #expect(due == client.now.advanced(by: .milliseconds(20)))
            client.now = due
            client.connection.timerFired(now: due)
            #expect(client.hear().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
        #expect(client.connection.nextDeadline == nil)
    }

    @Test func `a scenario answers, waits, closes and cuts`() throws {
        let client = try Client(
            rules: """
                {"when":{"tokenPrefix":"late"},"then":{"status":429,"retryAfter":7}},
                {"when":{"tokenPrefix":"last"},"then":{"status":200,"closeConnection":true}},
                {"when":{"tokenPrefix":"mute"},"then":{"stall":"stream"}},
                {"when":{"tokenPrefix":"cut"},"then":{"resetStream":"CANCEL"}}
                """)
        let late = client.send(Self.request("late"))
        #expect(late.hasPrefix("HTTP/1.1 429 ") && late.contains("\r\nretry-after: 7\r\n"))
        #expect(client.send(Self.request("mute")).isEmpty)
        #expect(client.send(Self.request("doors")).isEmpty && !client.connection.wantsClose)
    }

    @Test(arguments: [
        ("last", #"{"status":200,"closeConnection":true}"#, true),
        ("cut", #"{"resetStream":"CANCEL"}"#, false), ("gone", #"{"closeConnection":true}"#, false),
        ("away", #"{"goaway":"graceful"}"#, true),
    ])
    func `a connection ends as the scenario says`(
        token: String, then: String, isAnswered: Bool
    ) throws {
        let client = try Client(
            rules: #"{"when":{"tokenPrefix":"\#(token)"},"then":\#(then)}"#)
        let said = client.send(Self.request(token) + Self.request("doors"))
        #expect(said.contains("\r\nconnection: close\r\n") == isAnswered)
        #expect(said.isEmpty != isAnswered)
        #expect(client.connection.wantsClose)
        #expect(client.core.counters.requests == 1)
    }

    @Test func `what is no request is the last that is answered`() throws {
        let client = try Client()
        #expect(client.send("hello\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
        #expect(client.connection.wantsClose)
    }
}
