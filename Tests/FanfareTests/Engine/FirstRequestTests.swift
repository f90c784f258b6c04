import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

/// Lanes of one route that have not heard its provider yet.
private struct Route {
    /// A lane, which cannot be copied into an array.
    final class Place {
        var lane: SerialLane

        init(_ number: Int, _ contact: RouteContact, rows: Int, connections: Int) throws {
            lane = try SerialLane(rows: rows, connections: connections) {
                $0.dispatch.provesRoute = true
            }
            lane.world.contact = contact
            lane.world.number = number
        }
    }

    let places: [Place]

    init(lanes: Int, rows: Int = 2, connections: Int = 1) throws {
        let contact = RouteContact()
        places = try (0..<lanes).map {
            try Place($0, contact, rows: rows, connections: connections)
        }
        for place in places { place.lane.open() }
    }

    /// The lanes that have sent a request since they were asked last, each as often as it has.
    func senders() -> [Int] {
        places.indices.flatMap { lane in
            (0..<2).flatMap { connection in
                places[lane].lane.world.takeSent(connection)
                    .split(separator: "POST ", omittingEmptySubsequences: true).map { _ in lane }
            }
        }
    }

    /// Wakes the lanes, as the one does that has got an answer.
    func turn() { for place in places { place.lane.turn() } }
}

private let accepted = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
private let wrongKey = """
    HTTP/1.1 403 Forbidden\r\nContent-Length: 33\r\n\r\n{"reason":"InvalidProviderToken"}
    """

/// A first request of a route that goes alone, however many lanes it has.
@Suite struct FirstRequestTests {
    @Test(arguments: [1, 2, 4])
    func `a verdict about all rows costs one of them`(lanes: Int) throws {
        let route = try Route(lanes: lanes)
        route.turn()
        #expect(route.senders() == [0])
        route.places[0].lane.say(wrongKey)
        let reason = route.places[0].lane.engine.stop
        let stop = try #require(reason)
        #expect(stop.statement.description.contains("InvalidProviderToken"))
        // A lane that looks before it hears of the stop sends nothing.
        route.turn()
        for place in route.places.dropFirst() { place.lane.engine.drain(stop) }
        route.turn()
        #expect(route.senders() == [])
        for place in route.places {
            let isFinished = place.lane.engine.isFinished
            #expect(isFinished)
        }
    }

    @Test func `behind an answer about a row all lanes begin`() throws {
        let route = try Route(lanes: 4)
        #expect(route.senders() == [0])
        route.places[0].lane.say(accepted)
        route.turn()
        #expect(route.senders() == [0, 1, 2, 3])
    }

    @Test func `a connection that is lost without an answer lets another lane ask`() throws {
        let route = try Route(lanes: 4)
        #expect(route.senders() == [0])
        route.places[0].lane.close()
        route.turn()
        #expect(route.senders() == [1])
        route.places[1].lane.say(accepted)
        route.turn()
        #expect(route.senders().sorted() == [1, 2, 3])
    }

    @Test func `a provider that says nothing for five seconds is asked by all`() throws {
        let route = try Route(lanes: 4)
        #expect(route.senders() == [0])
        let lane = route.places[3].lane.world
        let next = route.places[3].lane.engine.nextDeadline(now: lane.now)
        let due = try #require(next)
        #expect(due.nanoseconds(since: lane.now) == 5_000_000_000)
        lane.now = due
        route.places[3].lane.turn()
        #expect(route.senders() == [3])
    }

    @Test func `connections of one lane wait for it, too`() throws {
        let route = try Route(lanes: 1, rows: 3, connections: 2)
        let world = route.places[0].lane.world
        let sent = (0..<2).filter { world.takeSent($0).hasPrefix("POST ") }
        let first = try #require(sent.first)
        #expect(sent.count == 1)
        route.places[0].lane.say(accepted, on: first)
        #expect(route.senders() == [0, 0])
    }

    /// Its row keeps its place, and the lane sends it when it may.
    @Test func `a lane that comes too late by a moment keeps its row`() throws {
        let route = try Route(lanes: 2, rows: 1)
        #expect(route.senders() == [0])
        route.places[0].lane.say(accepted)
        route.turn()
        #expect(route.senders() == [1])
        route.places[1].lane.say(accepted)
        for place in route.places {
            let isFinished = place.lane.engine.isFinished
            let accepted = place.lane.count(.accepted)
            #expect(isFinished && accepted == 1)
        }
    }
}
