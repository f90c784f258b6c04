import FanfareBase
import Testing

@testable import FanfareLoop
@testable import FanfareSystem

@Suite struct AddressRaceTests {
    private func addresses(_ hosts: String...) -> [SocketAddress] {
        hosts.compactMap { SocketAddress($0, port: 443) }
    }

    private func milliseconds(_ value: Int) -> Instant {
        Instant(nanoseconds: Int64(value) * 1_000_000)
    }

    @Test(arguments: [
        (0, ["2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "192.0.2.3"]),
        (1, ["2001:db8::2", "192.0.2.1", "2001:db8::1", "192.0.2.2", "192.0.2.3"]),
        (2, ["192.0.2.1", "2001:db8::1", "192.0.2.2", "2001:db8::2", "192.0.2.3"]),
        (4, ["192.0.2.3", "2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2"]),
        (5, ["2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "192.0.2.3"]),
    ])
    func `each race begins elsewhere, and the families take turns`(first: Int, order: [String]) {
        let race = AddressRace(
            addresses("2001:db8::1", "2001:db8::2", "192.0.2.1", "192.0.2.2", "192.0.2.3"),
            first: first)
        #expect(race.order.map(\.host) == order)
    }

    @Test func `the next address gets its chance after a quarter of a second`() {
        var race = AddressRace(addresses("2001:db8::1", "192.0.2.1"), first: 0)
        #expect(race.next(now: milliseconds(1000))?.host == "2001:db8::1")
        #expect(race.next(now: milliseconds(1000)) == nil)
        #expect(race.deadline == milliseconds(1250))
        #expect(race.next(now: milliseconds(1249)) == nil)
        #expect(race.next(now: milliseconds(1250))?.host == "192.0.2.1")
        #expect(race.deadline == nil)
        #expect(!race.isLost)
    }

    @Test func `after a failure the next address is tried at once`() {
        var race = AddressRace(addresses("2001:db8::1", "192.0.2.1", "192.0.2.2"), first: 0)
        _ = race.next(now: milliseconds(0))
        race.attemptFailed()
        #expect(race.next(now: milliseconds(1))?.host == "192.0.2.1")
        #expect(race.next(now: milliseconds(1)) == nil)
        _ = race.next(now: milliseconds(251))
        race.attemptFailed()
        #expect(!race.isLost)
        race.attemptFailed()
        #expect(race.isLost)
    }

    @Test func `no address is no race`() {
        var race = AddressRace([], first: 3)
        #expect(race.next(now: milliseconds(0)) == nil)
        #expect(race.isLost)
    }
}

@Suite struct TCPRaceTests {
    /// A port on which no process listens any more.
    private func refusingAddress(_ loop: EventLoop) throws -> SocketAddress {
        let listener = try TCPListener(loop: loop, address: .loopback(port: 0))
        defer { listener.close() }
        return .loopback(port: listener.localPort)
    }

    /// Runs a race to its end.
    private func run(
        _ loop: EventLoop, _ addresses: [SocketAddress], first: Int = 0,
        won: (TCPConnection) -> Void = { _ in }
    ) -> SystemError? {
        var results: [Result<TCPConnection, SystemError>] = []
        let race = TCPRace(
            loop: loop, addresses: addresses, first: first, userTimeout: .seconds(10)
        ) { result in
            results.append(result)
            loop.stop()
        }
        loop.run()
        _ = race
        #expect(results.count == 1)
        switch results.first {
        case .success(let connection):
            won(connection)
            return nil
        case .failure(let error):
            return error
        case nil:
            return nil
        }
    }

    @Test(arguments: 0...2)
    func `the address that answers wins, wherever it stands`(place: Int) throws {
        let loop = try EventLoop()
        let listener = try TCPListener(loop: loop, address: .loopback(port: 0))
        var addresses = [try refusingAddress(loop), try refusingAddress(loop)]
        addresses.insert(.loopback(port: listener.localPort), at: place)
        let error = run(loop, addresses) { connection in
            #expect(connection.remoteAddress?.port == listener.localPort)
        }
        #expect(error == nil)
        listener.close()
    }

    @Test func `when no address answers, the last error is told`() throws {
        let loop = try EventLoop()
        let addresses = [try refusingAddress(loop), try refusingAddress(loop)]
        #expect(run(loop, addresses, first: 1)?.kind == .connectionRefused)
    }

    @Test func `a race that was dropped says nothing`() throws {
        let loop = try EventLoop()
        let address = try refusingAddress(loop)
        var race: TCPRace? = TCPRace(
            loop: loop, addresses: [address], first: 0, userTimeout: .seconds(10)
        ) { _ in Issue.record("a dropped race has an end") }
        _ = race
        race = nil
        loop.run()
    }
}
