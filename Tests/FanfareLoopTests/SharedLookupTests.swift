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
        resolver = Resolver(loop: loop, lookupsMax: 8) { [service] host, _, completion in
            service.begin(host, completion)
        }
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
}
