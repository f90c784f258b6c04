import FanfareBase
import FanfareCore
import Testing

@Suite struct AccessTokenPolicyTests {
    /// A policy, its source of jitter, and a clock in seconds.
    private final class Route {
        private var policy: AccessTokenPolicy
        private var generator: SplitMix64

        init(seed: UInt64 = 7, patience: Double = 900) {
            policy = AccessTokenPolicy(patience: .seconds(patience))
            generator = SplitMix64(seed: seed)
        }

        private func at(_ seconds: Double) -> Instant {
            Instant(nanoseconds: Int64((seconds * 1e9).rounded()))
        }

        private func seconds(_ instant: Instant?) -> Double? {
            instant.map { Double($0.nanoseconds) / 1e9 }
        }

        func supply(_ moment: Double) -> AccessTokenPolicy.Supply { policy.supply(now: at(moment)) }

        func mayAsk(_ moment: Double) -> Bool { policy.mayAsk(now: at(moment)) }

        func nextAsk(_ moment: Double) -> Double? { seconds(policy.nextAsk(now: at(moment))) }

        func lackingSince(_ moment: Double) -> Double? {
            seconds(policy.lackingSince(now: at(moment)))
        }

        func failing(_ moment: Double) -> Double? {
            policy.failing(now: at(moment)).map { Double($0.wholeNanoseconds) / 1e9 }
        }

        /// The time that requests have waited, and the time that they may.
        func waiting(_ moment: Double) -> [Double]? {
            policy.waiting(now: at(moment)).map {
                [$0.lasted, $0.patience].map { Double($0.wholeNanoseconds) / 1e9 }
            }
        }

        func end(_ moment: Double) -> Double? { seconds(policy.end(now: at(moment))) }

        func stoodStill(_ seconds: Double) {
            policy.stoodStill(for: Int64((seconds * 1e9).rounded()))
        }

        @discardableResult func granted(_ moment: Double, life: Double?) -> Int {
            policy.granted(life: life.map { .seconds($0) }, now: at(moment))
        }

        func fail(
            _ moment: Double, _ failure: AccessTokenPolicy.Failure = .temporary(wish: nil)
        ) -> AccessTokenPolicy.FailureAction {
            policy.failed(failure, now: at(moment), using: &generator)
        }

        func calledExpired(_ number: Int, _ moment: Double) -> AccessTokenPolicy.ExpiryAction {
            policy.calledExpired(number, now: at(moment))
        }

        /// Asks, and is granted a token at once.
        func renew(_ moment: Double, life: Double = 3600) {
            #expect(mayAsk(moment))
            granted(moment, life: life)
        }
    }

    private let route = Route()

    @Test func `the first token is asked for once, and releases all that wait`() {
        #expect(route.supply(0) == .wait)
        #expect(route.lackingSince(0) == nil)
        #expect(route.nextAsk(0) == 0)
        #expect(route.mayAsk(1))
        // Single flight: no other request goes out, for however long.
        for moment in [1.0, 2, 100, 100_000] {
            #expect(!route.mayAsk(moment))
            #expect(route.nextAsk(moment) == nil)
            #expect(route.supply(moment) == .wait)
            #expect(route.lackingSince(moment) == 1)
        }
        #expect(route.granted(2, life: 3600) == 1)
        #expect(route.supply(2) == .token(1))
        #expect(route.lackingSince(2) == nil)
    }

    @Test func `it is renewed at 80 per cent of its life, counted from the question`() {
        #expect(route.mayAsk(100))
        route.granted(150, life: 3600)
        #expect(route.nextAsk(150) == 2980)
        #expect(!route.mayAsk(100 + 2879.9))
        #expect(route.mayAsk(100 + 2880))
        // The old one goes on meanwhile.
        #expect(route.supply(100 + 2881) == .token(1))
        #expect(route.granted(100 + 2882, life: 3600) == 2)
        #expect(route.supply(100 + 2882) == .token(2))
        #expect(route.nextAsk(100 + 2882) == 5860)
    }

    /// Life, and the last moment at which it is used.
    @Test(arguments: [(3600.0, 3590.0), (3599, 3589), (100, 90), (60, 54), (10, 9), (1, 0.9)])
    func `nothing is sent with it shortly before its end`(life: Double, end: Double) {
        route.renew(0, life: life)
        #expect(route.supply(end - 0.01) == .token(1))
        #expect(route.supply(end) == .wait)
        #expect(route.lackingSince(end + 5) == end)
        let renewal = route.nextAsk(0)
        #expect(renewal == life * 4 / 5 && life * 4 / 5 < end)
    }

    @Test func `a life that is not known has no end`() {
        #expect(route.mayAsk(0))
        route.granted(0, life: nil)
        #expect(route.supply(1e9) == .token(1))
        #expect(!route.mayAsk(1e9))
    }

    @Test func `a grant that comes too late is asked for again`() {
        #expect(route.mayAsk(0))
        route.granted(20, life: 10)
        #expect(route.supply(20) == .wait)
        #expect(route.mayAsk(20))
    }

    @Test func `the first token is tried for three times, a second and two apart`() throws {
        var moment = 0.0
        for pause in [1.0, 2] {
            #expect(route.mayAsk(moment))
            #expect(route.fail(moment) == .wait)
            let next = try #require(route.nextAsk(moment))
            #expect(next - moment >= pause * 0.9 && next - moment <= pause * 1.1)
            #expect(!route.mayAsk(next - 0.001))
            moment = next
        }
        #expect(route.mayAsk(moment))
        #expect(route.fail(moment) == .stop)
        #expect(route.supply(moment) == .refused)
        #expect(route.nextAsk(moment + 1000) == nil)
        #expect(!route.mayAsk(moment + 1000))
    }

    @Test func `pauses differ by a tenth either way`() throws {
        var found: [Double] = []
        for seed in 0..<500 {
            let route = Route(seed: UInt64(seed))
            #expect(route.mayAsk(0))
            #expect(route.fail(0) == .wait)
            found.append(try #require(route.nextAsk(0)))
        }
        let (least, most) = (try #require(found.min()), try #require(found.max()))
        #expect(least >= 0.9 && least < 0.92 && most <= 1.1 && most > 1.08)
    }

    @Test func `what the answer asks for is waited at least`() throws {
        #expect(route.mayAsk(0))
        #expect(route.fail(0, .temporary(wish: .seconds(40))) == .wait)
        #expect(route.nextAsk(0) == 40)
    }

    @Test func `a fault for good before the first token stops at once`() {
        #expect(route.mayAsk(0))
        #expect(route.fail(0, .permanent) == .stop)
        #expect(route.supply(0) == .refused)
        #expect(!route.mayAsk(100_000))
    }

    @Test func `while the old token lives, failures are tried again and stop nothing`()
        throws
    {
        route.renew(0)
        var (moment, tries) = (2880.0, 0)
        while moment < 3590 {
            #expect(route.mayAsk(moment))
            #expect(route.fail(moment) == .goOn)
            #expect(route.supply(moment) == .token(1))
            let next = try #require(route.nextAsk(moment))
            let pause = tries < 2 ? Double(1 + tries) : 30
            #expect(next - moment >= pause * 0.9 && next - moment <= pause * 1.1)
            (moment, tries) = (next, tries + 1)
        }
        #expect(tries > 20)
        // Behind its end requests wait, and it is tried on.
        #expect(route.supply(moment) == .wait)
        #expect(route.lackingSince(moment) == 3590)
        #expect(route.mayAsk(moment))
        #expect(route.fail(moment) == .wait)
        #expect(route.mayAsk(moment + 33))
        route.granted(moment + 34, life: 3600)
        #expect(route.supply(moment + 34) == .token(2))
    }

    @Test func `without a token it is tried for as long as patience lasts`() throws {
        route.renew(0)
        // The first failure behind the end is the first in vain.
        var moment = 3600.0
        while moment < 4500 {
            #expect(route.mayAsk(moment))
            #expect(route.fail(moment) == .wait)
            moment = try #require(route.nextAsk(moment))
        }
        #expect(route.mayAsk(moment))
        #expect(route.fail(moment) == .stop)
        #expect(route.supply(moment) == .refused)
        #expect(route.nextAsk(moment) == nil)
    }

    @Test func `a machine that has slept gets its token afterwards`() throws {
        route.renew(0)
        #expect(route.mayAsk(2880))
        // The question was on its way, and the network is not there at once.
        #expect(route.fail(100_000) == .wait)
        #expect(route.mayAsk(100_002))
        #expect(route.fail(100_002) == .wait)
        // It sleeps again.
        route.stoodStill(100_000)
        #expect(route.mayAsk(200_002))
        #expect(route.fail(200_002) == .wait)
        #expect(route.mayAsk(200_902))
        #expect(route.fail(200_902) == .stop)
    }

    @Test func `a token ends patience with those before it`() {
        route.renew(0)
        #expect(route.mayAsk(3600))
        #expect(route.fail(3600) == .wait)
        route.renew(3700)
        #expect(route.calledExpired(2, 5000) == .sendAgain)
        #expect(route.mayAsk(5000))
        #expect(route.fail(5000) == .wait)
    }

    @Test func `trouble lasts from the first failure to the next token`() {
        route.renew(0)
        #expect(route.failing(100) == nil && route.waiting(100) == nil)
        #expect(route.mayAsk(2880))
        #expect(route.fail(2880) == .goOn)
        #expect(route.failing(2885) == 5 && route.waiting(2885) == nil)
        // The old one has ended; whether another can be had is not known before it is asked for.
        #expect(route.failing(3600) == 720 && route.waiting(3600) == nil)
        #expect(route.mayAsk(3600))
        #expect(route.fail(3600) == .wait)
        #expect(route.failing(3610) == 730 && route.waiting(3610) == [10, 900])
        route.stoodStill(1000)
        #expect(route.failing(4610) == 730 && route.waiting(4610) == [10, 900])
        #expect(route.mayAsk(4640))
        route.granted(4640, life: 3600)
        #expect(route.failing(4650) == nil && route.waiting(4650) == nil)
    }

    @Test func `before the first token no patience is told, since tries are counted`() {
        #expect(route.mayAsk(0))
        #expect(route.fail(0) == .wait)
        #expect(route.failing(0.5) == 0.5 && route.waiting(0.5) == nil)
    }

    @Test func `no answer has it wait for longer than patience lasts`() {
        route.renew(0)
        #expect(route.mayAsk(3600))
        #expect(route.fail(3600, .temporary(wish: .seconds(1_000_000))) == .wait)
        #expect(route.nextAsk(3600) == 4500)
        #expect(route.mayAsk(4500))
        #expect(route.fail(4500) == .stop)
    }

    @Test func `the end of the token in use is known`() {
        #expect(route.end(0) == nil)
        route.renew(0)
        #expect(route.end(3589) == 3590)
        #expect(route.end(3590) == nil)
        #expect(route.mayAsk(3590))
        route.granted(3590, life: nil)
        #expect(route.end(3600) == nil)
    }

    @Test func `a fault for good stops when the old token has come to its end`() {
        route.renew(0)
        #expect(route.mayAsk(2880))
        #expect(route.fail(2880, .permanent) == .goOn)
        #expect(route.supply(3589) == .token(1))
        // A clock may have been set meanwhile.
        #expect(!route.mayAsk(2880 + 26))
        #expect(route.mayAsk(2880 + 34))
        #expect(route.fail(2915, .permanent) == .goOn)
        #expect(route.supply(3590) == .refused)
        #expect(!route.mayAsk(4000))
    }

    @Test func `what was hopeless is so no longer when something else is answered`() {
        route.renew(0)
        #expect(route.mayAsk(2880))
        #expect(route.fail(2880, .permanent) == .goOn)
        #expect(route.mayAsk(2920))
        #expect(route.fail(2920) == .goOn)
        #expect(route.supply(3590) == .wait)
        #expect(route.mayAsk(3590))
        route.granted(3590, life: 3600)
        #expect(route.supply(3600) == .token(2))
    }

    @Test func `a token that is called expired by thousands of requests is renewed once`() {
        route.renew(0)
        for _ in 0..<10_000 {
            #expect(route.calledExpired(1, 100) == .sendAgain)
        }
        #expect(route.supply(100) == .wait)
        #expect(route.mayAsk(100))
        #expect(!route.mayAsk(100))
        #expect(route.calledExpired(1, 101) == .sendAgain)
        #expect(route.granted(101, life: 3600) == 2)
        // Those that come in late go with the new one, which stays.
        for _ in 0..<1000 {
            #expect(route.calledExpired(1, 102) == .sendAgain)
        }
        #expect(route.supply(102) == .token(2))
        #expect(!route.mayAsk(102))
    }

    @Test func `the first token may be called expired at once`() {
        route.renew(0)
        #expect(route.calledExpired(1, 0.1) == .sendAgain)
        route.renew(0.1)
        #expect(route.supply(0.2) == .token(2))
    }

    @Test func `its successor may not, for a minute`() {
        route.renew(0)
        #expect(route.calledExpired(1, 100) == .sendAgain)
        route.renew(100)
        #expect(route.calledExpired(2, 159.9) == .stop)
        #expect(route.supply(160) == .refused)
        #expect(!route.mayAsk(1000))
        #expect(route.calledExpired(1, 160) == .stop)
        #expect(route.calledExpired(2, 160) == .stop)
    }

    @Test func `later it may, and is renewed`() {
        route.renew(0)
        #expect(route.calledExpired(1, 100) == .sendAgain)
        route.renew(100)
        #expect(route.calledExpired(2, 160) == .sendAgain)
        route.renew(160)
        #expect(route.supply(161) == .token(3))
    }

    @Test func `an ordinary renewal does not count as a successor`() {
        route.renew(0)
        route.renew(2880)
        #expect(route.calledExpired(2, 2881) == .sendAgain)
        #expect(route.mayAsk(2881))
    }

    @Test
    func
        `a token that is called expired while it is being renewed is not asked for twice`()
    {
        route.renew(0)
        #expect(route.mayAsk(2880))
        #expect(route.calledExpired(1, 2881) == .sendAgain)
        #expect(route.supply(2881) == .wait)
        #expect(route.lackingSince(2882) == 2881)
        #expect(!route.mayAsk(2882))
        #expect(route.granted(2883, life: 3600) == 2)
        #expect(route.supply(2883) == .token(2))
    }

    @Test func `a pause between failures ends when the old token does not serve any more`() {
        route.renew(0)
        #expect(route.mayAsk(2880))
        #expect(route.fail(2880, .temporary(wish: .seconds(300))) == .goOn)
        #expect(route.calledExpired(1, 2881) == .sendAgain)
        #expect(route.mayAsk(2881))
    }

    @Test func `a token that is called expired when no other can be had stops`() {
        route.renew(0)
        #expect(route.mayAsk(2880))
        #expect(route.fail(2880, .permanent) == .goOn)
        #expect(route.calledExpired(1, 2881) == .stop)
        #expect(route.supply(2881) == .refused)
    }
}
