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
        resolver = Resolver(loop: loop, lookupsMax: 1) { [service] host, _, completion in
            service.asked.append((host, completion))
            return .success(Lookup())
        }
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
