import FanfareBase
import FanfareSystem
import Testing

@testable import FanfareLoop

/// A resolver above a name service of ours.
@Suite struct SharedLookupTests {
    /// A name service that answers when it is told to.
    private final class Service {
        final class Asked: SystemLookup {
            let host: String
            let completion: (Resolver.Answer) -> Void
            var isCancelled = false

            init(_ host: String, _ completion: @escaping (Resolver.Answer) -> Void) {
                self.host = host
                self.completion = completion
            }

            func cancel() { isCancelled = true }
        }

        var asked: [Asked] = []
        /// Names that it does not take.
        var refused: Set<String> = []

        func begin(
            _ host: String, _ completion: @escaping (Resolver.Answer) -> Void
        ) -> Result<any SystemLookup, SystemError> {
            if refused.contains(host) {
                return .failure(SharedLookupTests.error("look up \(host)"))
            }
            let lookup = Asked(host, completion)
            asked.append(lookup)
            return .success(lookup)
        }
    }

    private static func error(_ operation: String) -> SystemError {
        SystemError(
            .nameServiceFailed, operation: operation, reason: "try again", name: "EAI_AGAIN")
    }

    private let service = Service()
    private let loop: EventLoop
    private let resolver: Resolver

    init() throws {
        let loop = try EventLoop()
        self.loop = loop
        resolver = Resolver(
            loop: loop, places: LookupPlaces(most: 8),
            system: { [service] host, _, completion in service.begin(host, completion) })
    }

    @Test func `those who want one name share a look-up, each with its port`() throws {
        var heard: [[SocketAddress]] = []
        for port in [UInt16(443), 8443] {
            resolver.resolve(host: "a.example", port: port) { answer in
                heard.append((try? answer.get()) ?? [])
            }
        }
        #expect(service.asked.map(\.host) == ["a.example"])
        let address = try #require(SocketAddress("192.0.2.1", port: 0))
        service.asked[0].completion(.success([address]))
        #expect(heard == [[address.with(port: 443)], [address.with(port: 8443)]])
    }

    @Test func `names for which there is no thread wait, and come then`() throws {
        var heard: [Int] = []
        for number in 1...8 {
            resolver.resolve(host: "n\(number).example", port: 443) { _ in heard.append(number) }
        }
        #expect(service.asked.count == 6)
        service.asked[2].completion(.failure(SharedLookupTests.error("look up")))
        #expect(heard == [3])
        #expect(service.asked.map(\.host).last == "n7.example")
        resolver.cancel()
        #expect(service.asked.filter(\.isCancelled).count == 6)
        service.asked[0].completion(.failure(SharedLookupTests.error("look up")))
        #expect(heard == [3])
    }

    @Test func `an asker is told when its look-up begins, and not while it waits for a thread`() {
        var begun: [String] = []
        for host in ["127.0.0.1", "", "a", "b", "c", "d", "e", "f", "g", "g", "a"] {
            resolver.resolve(host: host, port: 443, begun: { begun.append(host) }) { _ in }
        }
        // An address needs no look-up, an empty name has none, and the last one shares one that has begun.
        #expect(begun == ["127.0.0.1", "", "a", "b", "c", "d", "e", "f", "a"])
        service.asked[1].completion(.failure(Self.error("look up")))
        #expect(begun.suffix(2) == ["g", "g"] && begun.count == 11)
    }

    @Test func `a place that another resolver has given up is taken when it is looked for`() {
        let places = LookupPlaces(most: 1)
        let resolvers = (0..<2).map { _ in
            Resolver(
                loop: loop, places: places,
                system: { [service] host, _, completion in service.begin(host, completion) })
        }
        resolvers[0].resolve(host: "a", port: 443) { _ in }
        resolvers[1].resolve(host: "b", port: 443) { _ in }
        #expect(service.asked.map(\.host) == ["a"])
        service.asked[0].completion(.failure(Self.error("look up")))
        resolvers[1].lookUpNext()
        #expect(service.asked.map(\.host) == ["a", "b"])
    }

    @Test func `a name that the system does not take is told of later, and others follow`() throws {
        service.refused = ["bad.example"]
        var heard: [String] = []
        for host in ["bad.example", "good.example"] {
            resolver.resolve(host: host, port: 443) { answer in
                if case .failure(let error) = answer { heard.append(error.operation) }
            }
        }
        #expect(heard.isEmpty)
        #expect(service.asked.map(\.host) == ["good.example"])
        loop.run()
        #expect(heard == ["look up bad.example"])
    }

    @Test func `a name that no one asks for any more is not looked up`() {
        var heard: [Int] = []
        var places: [Resolver.Waiter] = []
        // Six of eight look-ups are for names of which nothing is known: 7, 8 and 9 wait.
        for number in 1...9 {
            places.append(
                resolver.resolve(host: "n\(number).example", port: 443) { _ in
                    heard.append(number)
                })
        }
        resolver.leave(places[6])
        service.asked[0].completion(.failure(Self.error("look up")))
        service.asked[1].completion(.failure(Self.error("look up")))
        #expect(
            service.asked.map(\.host)
                == [1, 2, 3, 4, 5, 6, 8, 9].map { "n\($0).example" })
        for asked in service.asked.dropFirst(2) {
            asked.completion(.failure(Self.error("look up")))
        }
        #expect(heard == [1, 2, 3, 4, 5, 6, 8, 9])
    }

    @Test func `one of two who want a name may leave`() throws {
        var heard: [Int] = []
        let first = resolver.resolve(host: "a.example", port: 443) { _ in heard.append(1) }
        resolver.resolve(host: "a.example", port: 443) { _ in heard.append(2) }
        resolver.leave(first)
        resolver.leave(first)
        service.asked[0].completion(.failure(Self.error("look up")))
        #expect(heard == [2])
    }

    @Test func `a look-up goes on when its askers have left, and the next one shares it`() {
        var heard: [Int] = []
        let first = resolver.resolve(host: "a.example", port: 443) { _ in heard.append(1) }
        resolver.leave(first)
        #expect(!service.asked[0].isCancelled)
        resolver.resolve(host: "a.example", port: 443) { _ in heard.append(2) }
        #expect(service.asked.count == 1)
        service.asked[0].completion(.failure(Self.error("look up")))
        #expect(heard == [2])
        // It has ended: who asks now asks anew.
        resolver.resolve(host: "a.example", port: 443) { _ in heard.append(3) }
        #expect(service.asked.count == 2)
    }

    @Test func `an address that is told later is not told to one who has left`() {
        var heard: [Int] = []
        let first = resolver.resolve(host: "192.0.2.1", port: 443) { _ in heard.append(1) }
        resolver.resolve(host: "192.0.2.1", port: 443) { _ in heard.append(2) }
        resolver.leave(first)
        loop.run()
        #expect(heard == [2])
    }
}
