import Testing

@testable import FanfareCLI
@testable import FanfarePostgres

private let hasLibrary = (try? PostgresConnection.load()) != nil

/// Our search for passwords in addresses against libpq, where it is installed.
@Suite(.enabled(if: hasLibrary, "libpq5 is not installed"))
struct ClusterPasswordTests {
    /// Addresses of pieces that mean something in one, in each order.
    private static let addresses: [String] = {
        let pieces = ["me", ":", "@", "/", "?", "=", "db", "5432", "[::1]", "user=a", "&", "%40"]
        var bodies = [""]
        for _ in 0..<4 { bodies += bodies.flatMap { body in pieces.map { body + $0 } } }
        return Set(bodies).map { "postgresql://" + $0 }
    }()

    @Test func `what libpq takes for a password is refused`() {
        var found = 0
        for address in Self.addresses {
            guard let password = PostgresConnection.option("password", in: address),
                !password.isEmpty
            else { continue }
            found += 1
            #expect(throws: ValueFault.self, "\(address)") {
                try ValueReader.clusterServer(address)
            }
        }
        #expect(found > 100)
    }
}
