import FanfareBase
import FanfareCore
import FanfareSimulator
import Testing

@Suite struct AnsweringPlacesTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    private func delays(
        _ places: AnsweringPlaces, _ latencies: [Int64], at moment: Int64
    ) -> [Int64] {
        latencies.map {
            places.delay(latency: $0 * 1_000_000, now: at(moment)) / 1_000_000
        }
    }

    @Test func `latency is flat up to the knee and rises beyond it`() {
        let places = AnsweringPlaces(2)
        #expect(delays(places, [10, 10, 10, 10, 10], at: 0) == [10, 10, 20, 20, 30])
    }

    @Test func `in a second there are as many answers as places divided by latency`() {
        let places = AnsweringPlaces(300)
        let last = (0..<15_000).map { _ in places.delay(latency: 20_000_000, now: at(0)) }.max()
        #expect(last == 1_000_000_000)
    }

    @Test func `a place that is free again is taken without a wait`() {
        let places = AnsweringPlaces(2)
        _ = delays(places, [10, 30], at: 0)
        #expect(delays(places, [10], at: 5) == [15])
        #expect(delays(places, [10, 10], at: 20) == [10, 20])
        #expect(delays(places, [10, 10, 10], at: 100) == [10, 10, 20])
    }

    @Test func `who waits gets the place that becomes free first`() {
        let places = AnsweringPlaces(3)
        _ = delays(places, [50, 10, 30], at: 0)
        #expect(delays(places, [5, 5, 5, 30], at: 0) == [15, 20, 25, 55])
    }

    /// Each thread has a core, and each connection is on one of them.
    @Test func `connections of all threads share the places`() throws {
        var configuration = SimulatorConfiguration()
        configuration.latency = .fixed(.milliseconds(10))
        configuration.knee = 2
        configuration.acceptsAnonymous = true
        let places = AnsweringPlaces(2)
        let clients = try (0..<2).map { _ in
            try SimulatedDialogue(configuration, authorization: nil, places: places)
        }
        for client in clients {
            try client.submit(1)
            try client.submit(2)
            client.exchange()
        }
        for client in clients { client.advance(by: .milliseconds(10)) }
        #expect(clients[0].endings.count == 2 && clients[1].endings.isEmpty)
        for client in clients { client.advance(by: .milliseconds(10)) }
        #expect(clients[1].endings.count == 2)
    }

    @Test func `a server without shared places has its own`() throws {
        var configuration = SimulatorConfiguration()
        configuration.latency = .fixed(.milliseconds(10))
        configuration.knee = 1
        configuration.acceptsAnonymous = true
        let client = try SimulatedDialogue(configuration, authorization: nil)
        for tag in 1...3 { try client.submit(UInt32(tag)) }
        client.exchange()
        for count in 1...3 {
            client.advance(by: .milliseconds(10))
            #expect(client.endings.count == count)
        }
    }
}
