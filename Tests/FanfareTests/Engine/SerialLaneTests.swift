import FanfareBase
import FanfareHTTP2
import Testing

@testable import Fanfare
@testable import FanfareCore

/// The behavior of a lane with servers of HTTP/1.1, and the outcomes of its rows.
@Suite struct SerialLaneTests {
    private static let accepted = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
    private static let last = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

    private func requests(in text: String) -> Int {
        text.split(separator: "POST /3/device/").count
    }

    @Test func `rows go one after the other on one connection`() throws {
        var lane = try SerialLane(rows: 3)
        lane.open()
        for row in 1...3 as ClosedRange<UInt64> {
            let sent = lane.world.takeSent()
            #expect(requests(in: sent) == 1 && sent.hasSuffix("\r\ncontent-length: 2\r\n\r\n{}"))
            let isFinished = lane.engine.isFinished
            #expect(!isFinished)
            lane.say(Self.accepted)
            #expect(lane.count(.accepted) == row)
        }
        let (isFinished, tally) = (lane.engine.isFinished, lane.engine.books.report.tally)
        #expect(isFinished && tally.connectionsOpened == 1)
        #expect(lane.world.dials == 1 && lane.world.closed == [0])
        // Nothing is said at the end, as there is no GOAWAY.
        #expect(lane.world.takeSent() == "")
    }

    /// The time for setting up a connection, 10 s here, is no time of a line.
    @Test func `a connection has its time from when its name is looked up`() throws {
        var lane = try SerialLane(rows: 1)
        let start = lane.world.now
        func wait(until seconds: Int64) {
            let end = start.advanced(by: .seconds(seconds))
            while let next = lane.engine.nextDeadline(now: lane.world.now), next <= end {
                lane.world.now = max(lane.world.now, next)
                lane.turn()
            }
            lane.world.now = end
            lane.turn()
        }
        // It waits behind others for half a minute.
        lane.world.beginning = nil
        wait(until: 32)
        #expect(lane.world.closed == [])
        lane.world.beginning = start.advanced(by: .seconds(32))
        wait(until: 41)
        #expect(lane.world.closed == [])
        wait(until: 42)
        #expect(lane.world.closed == [0])
    }

    @Test func `an answer that is there before the request is none of a row's`() throws {
        var lane = try SerialLane(rows: 1)
        // It says 200 as soon as it is connected to.
        lane.world.unread = [0]
        lane.open()
        #expect(lane.world.takeSent() == "")
        lane.world.unread = []
        lane.say(Self.accepted)
        #expect(lane.count(.accepted) == 0 && lane.world.closed == [0])
        lane.wait()
        let next = try #require(lane.world.dialled.first)
        lane.open()
        #expect(requests(in: lane.world.takeSent(next)) == 1)
        lane.say(Self.accepted, on: next)
        #expect(lane.count(.accepted) == 1 && lane.count(.unknown) == 0)
    }

    @Test func `a second answer in a packet of its own is none of the next row's`() throws {
        var lane = try SerialLane(rows: 2)
        lane.open()
        _ = lane.world.takeSent()
        lane.world.unread = [0]
        lane.say(Self.accepted)
        #expect(lane.count(.accepted) == 1 && lane.world.takeSent() == "")
        lane.world.unread = []
        lane.say("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n")
        #expect(lane.world.closed == [0])
        lane.wait()
        let next = try #require(lane.world.dialled.first)
        lane.open()
        lane.say(Self.accepted, on: next)
        #expect(lane.count(.accepted) == 2)
    }

    @Test func `no request follows the end of a connection that is there already`() throws {
        var lane = try SerialLane(rows: 2)
        lane.open()
        _ = lane.world.takeSent()
        lane.world.unread = [0]
        lane.say(Self.accepted)
        #expect(lane.world.takeSent() == "")
        lane.close()
        lane.world.unread = []
        #expect(lane.count(.unknown) == 0)
        lane.wait()
        let next = try #require(lane.world.dialled.first)
        lane.open()
        lane.say(Self.accepted, on: next)
        #expect(lane.count(.accepted) == 2)
    }

    @Test func `a server that closes behind each answer without a word costs two rows`() throws {
        var lane = try SerialLane(rows: 40)
        var requests = 0
        while !lane.engine.isFinished {
            lane.wait()
            guard let connection = lane.world.dialled.first else { break }
            lane.open()
            lane.say(Self.accepted, on: connection)
            requests += 1
            if !lane.world.closed.contains(connection) { lane.close(connection) }
            lane.world.forgetClosed()
        }
        #expect(lane.count(.unknown) == 2 && lane.count(.accepted) == 38)
        #expect(requests == 38)
    }

    @Test func `a request without an answer holds the rows behind it up for a second`() throws {
        var lane = try SerialLane(rows: 5) { $0.dispatch.connectionsMax = 2 }
        lane.open()
        #expect(lane.world.dials == 1)
        let start = lane.world.now
        lane.wait()
        #expect(lane.world.dials == 2)
        #expect(lane.world.now == start.advanced(by: .seconds(1)))
        let next = try #require(lane.world.dialled.first)
        lane.open()
        for _ in 0..<4 { lane.say(Self.accepted, on: next) }
        #expect(lane.count(.accepted) == 4)
        // As many as are allowed, and no more.
        for _ in 0..<3 {
            lane.world.now = lane.world.now.advanced(by: .seconds(2))
            lane.turn()
        }
        #expect(lane.world.dials == 2)
        lane.say(Self.accepted)
        #expect(lane.count(.accepted) == 5)
    }

    @Test func `several connections have a row each`() throws {
        var lane = try SerialLane(rows: 5, connections: 3)
        lane.open()
        for connection in 0..<3 {
            #expect(requests(in: lane.world.takeSent(connection)) == 1)
        }
        lane.say(Self.accepted, on: 1)
        #expect(lane.world.takeSent(0) == "" && lane.world.takeSent(2) == "")
        #expect(requests(in: lane.world.takeSent(1)) == 1)
    }

    @Test func `behind the last answer of a connection another one is dialled`() throws {
        var lane = try SerialLane(rows: 2)
        lane.open()
        _ = lane.world.takeSent()
        lane.say(Self.last)
        #expect(lane.count(.accepted) == 1)
        #expect(lane.world.closed == [0])
        #expect(lane.world.takeSent() == "")
        lane.wait()
        #expect(lane.world.dials == 2)
        let next = try #require(lane.world.dialled.first)
        lane.open()
        #expect(requests(in: lane.world.takeSent(next)) == 1)
        lane.say(Self.last, on: next)
        #expect(lane.count(.accepted) == 2)
        let isFinished = lane.engine.isFinished
        #expect(isFinished)
    }

    @Test func `only a server that says that it closes is dialled more often`() throws {
        // Of answers, 100 bytes are waited for here: the last connection is closed by us.
        let cutOff =
            "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n" + String(repeating: " ", count: 200)
        for (answer, dials) in [(Self.last, 6), (cutOff, 5)] {
            var lane = try SerialLane(rows: 20) { $0.connection.session.bodyBytesMax = 100 }
            // One connection and four more at once; a millisecond goes by with each answer.
            for _ in 0..<5 {
                let connection = try #require(lane.world.dialled.first)
                lane.open()
                lane.say(answer, on: connection)
            }
            #expect(lane.world.dials == dials)
            #expect(lane.world.closed.count == 5)
        }
    }

    @Test func `an answer that ends with its connection is one`() throws {
        var lane = try SerialLane(rows: 1)
        lane.open()
        lane.say("HTTP/1.0 200 OK\r\n\r\n")
        #expect(lane.count(.accepted) == 0)
        lane.close()
        #expect(lane.count(.accepted) == 1)
    }

    // MARK: Proof

    @Test func `a request of which nothing has left is sent on the next connection`() throws {
        var lane = try SerialLane(rows: 1)
        lane.world.room = 0
        lane.open()
        #expect(lane.world.takeSent() == "")
        lane.close()
        #expect(lane.count(.unknown) == 0)
        lane.world.room = .max
        lane.wait()
        let next = try #require(lane.world.dialled.first)
        lane.open()
        #expect(requests(in: lane.world.takeSent(next)) == 1)
        lane.say(Self.accepted, on: next)
        #expect(lane.count(.accepted) == 1)
    }

    /// Some servers act on a request that was cut. Decision 051
    @Test(arguments: [1, 20, 100, 1000])
    func `a request of which a byte has left is in doubt`(room: Int) throws {
        var lane = try SerialLane(rows: 1)
        lane.world.room = room
        lane.open()
        lane.close()
        #expect(lane.count(.unknown) == 1)
        #expect(lane.world.lines.contains(",unknown,,connection lost,"))
        #expect(lane.world.dials == 1)
    }

    @Test func `a row in doubt is sent again where that is asked for`() throws {
        var lane = try SerialLane(rows: 1) {
            $0.dispatch.resendsInDoubt = true
            $0.dispatch.retry = RetryPolicy(attemptsMax: 2)
        }
        lane.open()
        #expect(requests(in: lane.world.takeSent()) == 1)
        lane.close()
        #expect(lane.count(.unknown) == 0)
        lane.wait()
        let next = try #require(lane.world.dialled.first)
        lane.open()
        lane.wait()
        #expect(requests(in: lane.world.takeSent(next)) == 1)
    }

    @Test func `an answer that was begun counts, also if its connection ends`() throws {
        var lane = try SerialLane(rows: 1)
        lane.open()
        lane.say("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{\"")
        lane.close()
        #expect(lane.count(.accepted) == 1)
    }

    @Test func `an answer that breaks HTTP is in doubt, and ends its connection`() throws {
        var lane = try SerialLane(rows: 2)
        lane.open()
        lane.say("HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: 0\r\n\r\n")
        #expect(lane.count(.unknown) == 1)
        #expect(lane.world.closed == [0])
        lane.wait()
        let next = try #require(lane.world.dialled.first)
        lane.open()
        lane.say(Self.accepted, on: next)
        #expect(lane.count(.accepted) == 1)
        #expect(lane.world.lines.contains(",unknown,,malformed answer,"))
    }

    @Test func `an answer without a question harms no row`() throws {
        var lane = try SerialLane(rows: 2)
        lane.open()
        // The first row's answer, and one that would be taken for the second row's.
        lane.say(Self.accepted + Self.accepted)
        #expect(lane.count(.accepted) == 1)
        #expect(lane.world.closed == [0])
        lane.wait()
        let next = try #require(lane.world.dialled.first)
        _ = lane.world.takeSent(next)
        lane.open()
        #expect(requests(in: lane.world.takeSent(next)) == 1)
        #expect(lane.count(.unknown) == 0)
    }

    // MARK: Time

    @Test func `a request that gets no answer in time ends its connection, and is in doubt`() throws
    {
        var lane = try SerialLane(rows: 1)
        lane.open()
        let start = lane.world.now
        // No sign of life is asked for before: the next moment is that of the answer.
        #expect(lane.engine.nextDeadline(now: start) == start.advanced(by: .seconds(30)))
        lane.wait(turns: 1)
        #expect(lane.count(.unknown) == 1)
        #expect(lane.world.closed == [0])
        #expect(lane.world.lines.contains(",unknown,,no sign of life,"))
    }

    @Test func `one that was heard of is late`() throws {
        var lane = try SerialLane(rows: 1)
        lane.open()
        lane.say("HTTP/1.1 102 Processing\r\n\r\n")
        lane.wait(turns: 3)
        #expect(lane.count(.unknown) == 1)
        #expect(lane.world.closed == [0])
        #expect(lane.world.lines.contains(",unknown,,no answer in time,"))
    }

    @Test(arguments: [
        ("\u{0}\u{0}\u{12}\u{4}", "the peer speaks HTTP/2, not HTTP/1.1; advice"),
        ("\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}F", "the peer wants TLS: use https://"),
    ])
    func `a peer that speaks something else is asked once`(said: String, text: String) throws {
        var lane = try SerialLane(rows: 20) { $0.connection.versionAdvice = "; advice" }
        lane.open()
        #expect(requests(in: lane.world.takeSent()) == 1)
        lane.say(said)
        lane.wait()
        #expect(lane.world.dials == 1 && lane.count(.unknown) == 1)
        let stop = lane.engine.stop
        #expect(stop?.kind == .refused)
        #expect("\(stop?.statement ?? "")" == "no connection to the provider: \(text)")
    }

    @Test func `one strange connection among others ends nothing but itself`() throws {
        var lane = try SerialLane(rows: 3)
        lane.open()
        lane.say(Self.last)
        lane.wait()
        let strange = try #require(lane.world.dialled.first)
        lane.open()
        lane.say("\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}F", on: strange)
        #expect(lane.count(.unknown) == 1)
        let stop = lane.engine.stop
        #expect(stop == nil)
        lane.wait()
        let next = try #require(lane.world.dialled.first)
        lane.open()
        lane.say(Self.accepted, on: next)
        #expect(lane.count(.accepted) == 2 && lane.count(.unknown) == 1)
        #expect(lane.world.dials == 3)
    }

    @Test func `an answer to another lane speaks for the provider, too`() throws {
        var lane = try SerialLane(rows: 3)
        lane.world.lastAnswerElsewhere = lane.world.now
        lane.open()
        lane.say("\u{15}")
        #expect(lane.count(.unknown) == 1)
        let stop = lane.engine.stop
        #expect(stop == nil)
        lane.wait()
        #expect(lane.world.dials == 2)
    }

    @Test func `a host that rows name is dialled again as always`() throws {
        var lane = try SerialLane(rows: 5) { $0.isHostOfRows = true }
        for _ in 0..<3 {
            let connection = try #require(lane.world.dialled.first)
            lane.open()
            lane.say("\u{15}", on: connection)
            lane.wait()
        }
        let stop = lane.engine.stop
        #expect(lane.count(.unknown) == 3 && lane.world.dials >= 3)
        #expect(stop == nil)
    }

    @Test func `what the fields cannot say stops the job`() throws {
        var lane = try SerialLane(rows: 1) { settings in
            settings.connection.service = APNs(
                APNs.Settings(scheme: "http", authority: "a b", identity: JobIdentity(bits: 1)))
        }
        lane.open()
        let stop = lane.engine.stop
        #expect(stop != nil)
        #expect(lane.world.takeSent() == "")
        #expect(lane.count(.unknown) == 0)
    }

    // MARK: Quota

    private static func counted(_ remaining: String, _ reset: String) -> String {
        "HTTP/1.1 200 OK\r\nX-Left: \(remaining)\r\nx-reset: \(reset)\r\ncontent-length: 0\r\n\r\n"
    }

    private func countedLane(rows: Int, connections: Int = 1) throws -> SerialLane {
        try SerialLane(rows: rows, connections: connections) {
            $0.connection.session.quota = QuotaFields(remaining: "X-Left", reset: "X-Reset")
        }
    }

    @Test func `when no request is left the next one goes with the new quota`() throws {
        var lane = try countedLane(rows: 2)
        lane.open()
        _ = lane.world.takeSent()
        lane.say(Self.counted("0", "30"))
        #expect(lane.count(.accepted) == 1)
        #expect(lane.world.takeSent() == "")
        let before = lane.world.now
        var sent = ""
        for _ in 0..<100 where sent.isEmpty {
            let next = lane.engine.nextDeadline(now: lane.world.now)
            lane.world.now = try #require(next)
            lane.turn()
            sent = lane.world.takeSent()
        }
        #expect(lane.world.now == before.advanced(by: .seconds(30)))
        #expect(requests(in: sent) == 1)
    }

    @Test func `no more are in flight than are left`() throws {
        var lane = try countedLane(rows: 9, connections: 3)
        lane.open()
        for connection in 0..<3 { _ = lane.world.takeSent(connection) }
        // Two are in flight on other connections, so that none can start.
        lane.say(Self.counted("2", "30"))
        #expect(lane.world.takeSent() == "")
        lane.say(Self.counted("3", "30"), on: 1)
        let sent = (0..<3).map { requests(in: lane.world.takeSent($0)) }
        #expect(sent.reduce(0, +) == 2)
    }

    @Test(arguments: [("0", ""), ("", "30"), ("none", "30"), ("0", "-1"), ("0", "soon")])
    func `a count that is none holds no row`(remaining: String, reset: String) throws {
        var lane = try countedLane(rows: 2)
        lane.open()
        _ = lane.world.takeSent()
        lane.say(Self.counted(remaining, reset))
        #expect(requests(in: lane.world.takeSent()) == 1)
    }

    // MARK: Hours

    @Test func `a lane whose rows wait for their hours closes, and waits for nothing else`() throws
    {
        var lane = try SerialLane(rows: 1)
        lane.world.isInputOpen = true
        lane.open()
        _ = lane.world.takeSent()
        lane.world.isInputAsleep = true
        lane.say(Self.accepted)
        #expect(lane.count(.accepted) == 1 && lane.world.closed == [0])
        lane.turn()
        let (limit, isFinished) = (lane.engine.limits.current, lane.engine.isFinished)
        #expect(limit == .window && !isFinished)
        #expect(lane.world.dials == 1)
    }
}
