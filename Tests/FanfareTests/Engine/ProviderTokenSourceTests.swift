import FanfareTLS
import FanfareTestSupport
import Synchronization
import Testing

@testable import Fanfare

@Suite struct ProviderTokenSourceTests {
    /// A wall clock that is set by hand.
    private final class Clock: Sendable {
        private let seconds = Mutex<Int64>(1_700_000_000)

        var now: Int64 { seconds.withLock { $0 } }

        func advance(_ count: Int64) { seconds.withLock { $0 += count } }
    }

    private let clock = Clock()
    private let source: ProviderTokenSource

    init() throws {
        // Any key on P-256 signs: that of a server made on the spot does as well as Apple's.
        let folder = try TemporaryFolder()
        let authority = try SelfSignedAuthority()
        let path = folder.path("key.p8")
        try authority.identity.writePEM(to: path)
        let signer = try ProviderTokenSigner(keyFile: path, keyID: "KEY", teamID: "TEAM")
        source = ProviderTokenSource(signer: signer) { [clock] in clock.now }
    }

    @Test func `one token serves all connections for half an hour`() throws {
        let first = try source.grant()
        #expect(first.issuedAt == 1_700_000_000)
        for _ in 0..<3 {
            clock.advance(600)
            #expect(try source.grant().token == first.token)
        }
        clock.advance(1)
        let second = try source.grant()
        #expect(second.token != first.token)
        #expect(second.issuedAt == 1_700_001_801)
    }

    @Test func `a young token that is called expired is not replaced`() throws {
        let grant = try source.grant()
        clock.advance(1799)
        #expect(!source.mayRenew(afterExpiryOf: grant))
        #expect(try source.grant().token == grant.token)
    }

    @Test func `an old token that is called expired is replaced once`() throws {
        let old = try source.grant()
        clock.advance(1800)
        #expect(source.mayRenew(afterExpiryOf: old))
        let new = try source.grant()
        #expect(new.token != old.token)
        // Another connection still had the old one; the new one stays.
        #expect(source.mayRenew(afterExpiryOf: old))
        #expect(try source.grant().token == new.token)
    }

    @Test func `a clock that was set back makes no new token`() throws {
        let grant = try source.grant()
        clock.advance(-100)
        #expect(try source.grant().token == grant.token)
        #expect(!source.mayRenew(afterExpiryOf: grant))
    }
}
