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
    private let signer: ProviderTokenSigner

    init() throws {
        // Any key on P-256 signs: that of a server made on the spot does as well as Apple's.
        let folder = try TemporaryFolder()
        let authority = try SelfSignedAuthority()
        let path = folder.path("key.p8")
        try authority.identity.writePEM(to: path)
        signer = try ProviderTokenSigner(keyFile: path, keyID: "KEY", teamID: "TEAM")
        source = ProviderTokenSource(sign: signer.sign) { [clock] in clock.now }
    }

    private func isStop(_ action: CredentialAction) -> Bool {
        if case .stop = action { true } else { false }
    }

    @Test func `a token of which there were too many serves for as long as it can`() throws {
        let first = try source.grant()
        #expect(source.judged(.hold, first) == .pauseDials(.seconds(10)))
        clock.advance(1801)
        #expect(try source.grant().text == first.text)
    }

    @Test func `a word about something else changes nothing`() throws {
        let first = try source.grant()
        #expect(source.judged(.keep, first) == .goOn)
        #expect(source.judged(.refused, first) == .goOn)
        clock.advance(1800)
        #expect(try source.grant().text == first.text)
    }

    @Test func `one token serves all connections for half an hour`() throws {
        let first = try source.grant()
        #expect(first.issuedAt == 1_700_000_000)
        for _ in 0..<3 {
            clock.advance(600)
            #expect(try source.grant().text == first.text)
        }
        clock.advance(1)
        let second = try source.grant()
        #expect(second.text != first.text)
        #expect(second.issuedAt == 1_700_001_801)
    }

    @Test func `a young token that is called expired is not replaced`() throws {
        let grant = try source.grant()
        clock.advance(1799)
        #expect(isStop(source.judged(.renew, grant)))
        #expect(try source.grant().text == grant.text)
    }

    @Test func `an old token that is called expired is replaced once`() throws {
        let old = try source.grant()
        clock.advance(1800)
        #expect(source.judged(.renew, old) == .goOn)
        let new = try source.grant()
        #expect(new.text != old.text)
        // Another connection still had the old one; the new one stays.
        #expect(source.judged(.renew, old) == .goOn)
        #expect(try source.grant().text == new.text)
    }

    @Test func `a clock that was set back makes no new token`() throws {
        let grant = try source.grant()
        clock.advance(-100)
        #expect(try source.grant().text == grant.text)
        #expect(isStop(source.judged(.renew, grant)))
    }

    @Test func `workers whose clocks differ make the same tokens for half an hour each`() throws {
        func grant(at now: Int64, sharing moment: Int64) throws -> Credential {
            try ProviderTokenSource(sign: signer.sign, sharedMoment: moment) { now }.grant()
        }
        let began: Int64 = 1_700_000_000
        let first = try grant(at: began, sharing: began)
        #expect(first.issuedAt == began)
        for later: Int64 in [1, 60, 1_799] {
            #expect(try grant(at: began + later, sharing: began).text == first.text)
        }
        let second = try grant(at: began + 1_800, sharing: began)
        #expect(second.issuedAt == began + 1_800)
        #expect(second.text != first.text)
        #expect(try grant(at: began + 3_599, sharing: began).text == second.text)
        // A clock that is behind makes no token of the future.
        #expect(try grant(at: began - 1, sharing: began).issuedAt == began - 1_800)
    }
}
