import FanfareBase
import FanfareSystem
import FanfareTestSupport
import Glibc
import Testing

@testable import Fanfare
@testable import FanfarePostgres

/// Addresses that name several servers, one of which does not answer.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterAddressTests {
    private let server: PostgresServer

    init() throws {
        server = try PostgresServer()
        try PostgresConnection.load()
    }

    /// Connects, with a server before it that takes the connection, and says nothing.
    ///
    /// That one has most of the time of the first try, and the second one begins behind it.
    private func connect(_ options: String) throws -> PostgresConnection {
        let silent = try LoopbackListener { client in
            var byte: UInt8 = 0
            while read(client, &byte, 1) > 0 {}
        }
        defer { silent.stop() }
        let folder = try #require(PostgresConnection.option("host", in: server.address))
        let address = "host=127.0.0.1,\(folder) port=\(silent.port),5432 dbname=postgres \(options)"
        var first = 0
        do {
            return try PostgresConnection(
                address, beginningWith: &first, deadline: MachineClock.now.advanced(by: .seconds(2))
            )
        } catch {
            guard !error.isRefusal else { throw error }
            #expect(first == 1)
            return try PostgresConnection(
                address, beginningWith: &first, deadline: MachineClock.now.advanced(by: .seconds(5))
            )
        }
    }

    @Test func `a server that says nothing leaves time for the next one`() throws {
        let results = try connect("user=postgres")
            .run("SELECT 7", deadline: MachineClock.now.advanced(by: .seconds(10)))
        #expect(results == [[["7"]]])
    }

    @Test func `a refusal is that of the server which answers`() throws {
        let error = #expect(throws: PostgresError.self) { _ = try connect("user=nobody_here") }
        #expect(error?.reason.contains("nobody_here") == true, "\(String(describing: error))")
    }

    @Test func `of servers that cannot be reached each is told`() throws {
        var first = 0
        let error = #expect(throws: PostgresError.self) {
            _ = try PostgresConnection(
                "host=/nowhere/a,/nowhere/b user=postgres", beginningWith: &first,
                deadline: MachineClock.now.advanced(by: .seconds(10)))
        }
        let reason = error?.reason ?? ""
        #expect(reason.contains("/nowhere/a") && reason.contains("/nowhere/b"), "\(reason)")
    }
}

/// The servers that an address names.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct PostgresPlacesTests {
    @Test(
        arguments: [
            ("postgresql://a/push", [.init()]),
            ("dbname=push", [.init()]),
            (
                "postgresql://a:1,b:2/push",
                [.init(host: "a", port: "1"), .init(host: "b", port: "2")]
            ),
            (
                "host=a,b port=5433",
                [.init(host: "a", port: "5433"), .init(host: "b", port: "5433")]
            ),
            ("host=a,b", [.init(host: "a"), .init(host: "b")]),
            (
                "host=a,b hostaddr=10.0.0.1,10.0.0.2",
                [
                    .init(host: "a", hostAddress: "10.0.0.1"),
                    .init(host: "b", hostAddress: "10.0.0.2"),
                ]
            ),
            // Such lists libpq has words for, or a meaning of its own.
            ("host=a,b port=1,2,3", [.init()]),
            ("host=,b", [.init()]),
        ] as [(String, [PostgresConnection.Place])])
    func `each server of a list is a place`(
        address: String, places: [PostgresConnection.Place]
    ) throws {
        try PostgresConnection.load()
        #expect(PostgresConnection.places(in: address) == places)
    }
}
