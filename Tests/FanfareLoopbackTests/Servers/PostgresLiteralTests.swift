import FanfareBase
import FanfarePostgres
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Texts from anywhere in the SQL of a real server.
///
/// `FANFARE_COUNT` has the number of batches.
@Suite(.serialized, .enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct PostgresLiteralTests {
    private let server: PostgresServer

    init() throws { server = try PostgresServer() }

    @Test(arguments: ["on", "off"])
    func `a literal is what the server reads, and the name of a job runs nothing`(
        conforming: String
    ) throws {
        var first = 0
        let connection = try PostgresConnection(
            server.address, beginningWith: &first, deadline: .distantFuture)
        _ = try connection.run(
            "SET standard_conforming_strings = \(conforming)", deadline: .distantFuture)
        let choice = SeedChoice(usual: 100)
        for seed in choice.seeds {
            if choice.isOver { break }
            let texts = HostileTexts.batch(seed: seed)
            let list = texts.map(PostgresConnection.literal).joined(separator: ", ")
            let results = try connection.run("SELECT \(list)", deadline: .distantFuture)
            let read = results.first?.first?.compactMap { $0.map { Array($0.utf8) } }
            #expect(read == texts.map { Array($0.utf8) }, "seed \(seed)")
        }
        try ClusterControl(server.address).makeTables()
        for beginning in ["spring\u{D4E}'", "spring\u{D4E}\\'", "spring'\u{301}"] {
            let name = "\(beginning); CREATE TABLE public.pwned AS SELECT current_user; --"
            #expect(throws: FanfareError.self) {
                try ClusterControl(server.address).status(of: name)
            }
        }
        #expect(try server.query("SELECT to_regclass('public.pwned') IS NULL") == "t")
    }
}
