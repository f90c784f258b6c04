import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem
import Testing

@testable import Fanfare

/// Connections that wait for the names of their hosts.
@Suite struct LaneTransportsTests {
    private final class Lookup: SystemLookup {
        func cancel() {}
    }

    /// A lane that only keeps what it is told.
    private final class Owner: TransportOwner {
        var failed: [Int] = []
        var reasons: [String] = []

        func transportOpened(_ connection: Int) {}
        func transportFailed(_ connection: Int, _ failure: ConnectionFailure) {
            failed.append(connection)
            reasons.append(failure.text.description)
        }
        func transportEnded(_ connection: Int) {}
        func transportWritable(_ connection: Int) {}
        func received(_ bytes: UnsafeRawBufferPointer, on connection: Int) {}
    }

    /// The questions that a name service was asked.
    private final class Service {
        var asked: [(host: String, completion: (Resolver.Answer) -> Void)] = []

        func answer(_ index: Int, _ addresses: [SocketAddress]) {
            asked[index].completion(.success(addresses))
        }

        func fail(_ index: Int) {
            asked[index].completion(
                .failure(
                    SystemError(
                        .nameServiceFailed, operation: "look up", reason: "try again",
                        name: "EAI_AGAIN")))
        }
    }

    private let service = Service()
    private let owner = Owner()
    private let loop: EventLoop
    /// One that looks one name up at a time.
    private let resolver: Resolver

    init() throws {
        let loop = try EventLoop()
        self.loop = loop
        resolver = Self.resolver(loop, LookupPlaces(most: 1), service)
    }

    private static func resolver(
        _ loop: EventLoop, _ places: LookupPlaces, _ service: Service
    ) -> Resolver {
        Resolver(
            loop: loop, places: places,
            system: { host, _, completion in
                service.asked.append((host, completion))
                return .success(Lookup())
            })
    }

    private func transports(to host: String) -> LaneTransports<Owner> {
        LaneTransports(to: host, port: 443, proxy: nil, resolver: resolver, on: loop)
    }

    /// `198.51.100.7` is for documents, `203.0.114.7` of the public Internet; both are this machine's, it seems.
    @Test func `a host that leads to this machine or a private network is not dialed`() throws {
        let own = try #require(SocketAddress("203.0.114.7", port: 0))
        var readings = 0
        loop.ownAddresses = OwnAddresses {
            readings += 1
            return [own]
        }
        let host = LaneTransports<Owner>(
            to: "a.example", port: 443, proxy: nil, allowsPrivate: false, resolver: resolver,
            on: loop)
        for (index, address) in ["198.51.100.7", "203.0.114.7"].enumerated() {
            host.open(0, for: owner)
            #expect(host.dialTime(of: 0) == nil)
            service.answer(index, [try #require(SocketAddress(address, port: 0))])
            #expect(owner.failed.count == index + 1)
        }
        #expect(
            owner.reasons == [
                "it leads to 198.51.100.7, an address for documents (RFC 5737)",
                "it leads to 203.0.114.7, an address of this machine",
            ])
        #expect(readings == 1)
    }

    @Test func `a dial begins when the name is looked up`() {
        let host = transports(to: "a.example")
        host.open(0, for: owner)
        #expect(host.dialTime(of: 0) == nil && host.dialTime(of: 1) == nil)
        service.answer(0, [.loopback(port: 0)])
        #expect(host.dialTime(of: 0) != nil)
        host.close(0)
    }

    /// The numbers are those of a job by the command, with 512 threads.
    @Test
    func `names that are not answered keep no other waiting, and cost the threads of one job`() {
        let lookups = HostRoute.lookups(
            connections: Limits.hostConnections, threads: Resolver.threadsWanted / 2)
        let lanes = (0..<2).map { _ in Self.resolver(loop, lookups, service) }
        for number in 1...120 { lanes[0].resolve(host: "silent-\(number)", port: 443) { _ in } }
        for number in 1...20 { lanes[0].resolve(host: "honest-\(number)", port: 443) { _ in } }
        #expect(service.asked.count == 140)
        for number in 1...120 { lanes[1].resolve(host: "silent-\(number)", port: 443) { _ in } }
        #expect(service.asked.count == 192)
    }

    @Test func `a way begins when its name is looked up, and not while that waits in the line`() {
        let hosts = ["a.example", "b.example"].map { transports(to: $0) }
        for host in hosts { host.open(0, for: owner) }
        #expect(hosts[0].beginning(of: 0) != nil)
        #expect(hosts[1].beginning(of: 0) == nil && hosts[1].beginning(of: 7) == nil)
        service.fail(0)
        #expect(hosts[1].beginning(of: 0) != nil)
        hosts[1].close(0)
    }

    @Test func `a look-up lasts from when it begins, and with a slow name from when it is wanted`()
    {
        let hosts = ["a.example", "b.example"].map { transports(to: $0) }
        #expect(hosts[0].lookedUpSince == nil)
        for host in hosts { host.open(0, for: owner) }
        #expect(hosts[0].lookedUpSince == hosts[0].beginning(of: 0))
        #expect(hosts[0].lookedUpSince != nil && hosts[1].lookedUpSince == nil)
        service.answer(0, [.loopback(port: 0)])
        // It is dialed.
        #expect(hosts[0].lookedUpSince == nil && hosts[1].lookedUpSince != nil)
        for host in hosts { host.close(0) }
    }

    @Test func `a host that was given up is not looked up behind the others`() {
        let hosts = ["a.example", "b.example", "c.example"].map { transports(to: $0) }
        for host in hosts { host.open(0, for: owner) }
        #expect(service.asked.map(\.host) == ["a.example"])
        hosts[1].close(0)
        service.fail(0)
        #expect(service.asked.map(\.host) == ["a.example", "c.example"])
        service.fail(1)
        #expect(owner.failed == [0, 0])
    }

    @Test func `a connection that is closed leaves its host's name to the others`() {
        let first = transports(to: "a.example")
        let second = transports(to: "b.example")
        first.open(0, for: owner)
        for connection in 1...3 { second.open(connection, for: owner) }
        second.close(1)
        second.close(3)
        service.fail(0)
        #expect(service.asked.map(\.host) == ["a.example", "b.example"])
        service.fail(1)
        #expect(owner.failed == [0, 2])
    }
}
