import FanfareBase
import FanfareCore
import Testing

private func seconds(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

@Suite struct PatienceTests {
    @Test func `a provider that has answered is given up after the time that was said`() {
        var patience = Patience(.seconds(600))
        patience.answered()
        patience.troubled(now: seconds(10))
        patience.troubled(now: seconds(609))
        #expect(!patience.isOver)
        patience.troubled(now: seconds(610))
        #expect(patience.isOver)
    }

    @Test(arguments: [(600, 60), (5, 5)])
    func `one that never has is given up after a minute, or sooner`(said: Int, bound: Int) {
        var patience = Patience(.seconds(said))
        patience.troubled(now: seconds(0))
        patience.troubled(now: seconds(Double(bound) - 0.1))
        #expect(!patience.isOver)
        patience.troubled(now: seconds(Double(bound)))
        #expect(patience.isOver)
    }

    @Test func `one that has answered another lane is tried for the time that was said`() {
        var patience = Patience(.seconds(600))
        patience.troubled(now: seconds(0))
        patience.answeredElsewhere()
        patience.troubled(now: seconds(599))
        #expect(!patience.isOver)
        patience.troubled(now: seconds(600))
        #expect(patience.isOver)
    }

    @Test func `an answer ends trouble`() {
        var patience = Patience(.seconds(60))
        patience.troubled(now: seconds(0))
        patience.answered()
        #expect(patience.since == nil)
        patience.troubled(now: seconds(59))
        patience.troubled(now: seconds(100))
        #expect(!patience.isOver)
    }

    @Test func `what did not go wrong again is no trouble, however long ago it was`() {
        var patience = Patience(.seconds(60))
        patience.troubled(now: seconds(0))
        #expect(!patience.isOver)
        patience.rests(now: seconds(1))
        patience.works(now: seconds(3599))
        patience.troubled(now: seconds(3600))
        #expect(!patience.isOver)
    }

    /// A laptop that was closed for a night behind the first dial that failed.
    @Test func `time in which the process did not run does not count`() {
        var patience = Patience(.seconds(600))
        patience.answered()
        patience.troubled(now: seconds(10))
        patience.stoodStill(for: Int64(seconds(28_800).nanoseconds))
        patience.troubled(now: seconds(28_811))
        #expect(!patience.isOver)
        patience.troubled(now: seconds(28_800 + 10 + 600))
        #expect(patience.isOver)
    }

    @Test func `a standstill in a rest is not taken off twice`() {
        var patience = Patience(.seconds(60))
        patience.troubled(now: seconds(0))
        patience.rests(now: seconds(10))
        patience.stoodStill(for: Int64(seconds(1000).nanoseconds))
        patience.works(now: seconds(1010))
        patience.troubled(now: seconds(1059))
        #expect(!patience.isOver)
        patience.troubled(now: seconds(1060))
        #expect(patience.isOver)
    }

    /// A row a minute for a provider that lives and answers none.
    @Test func `rests do not count, and do not make it forget`() {
        var patience = Patience(.seconds(50))
        for minute in 0..<6 {
            let start = Double(minute) * 60
            patience.works(now: seconds(start))
            #expect(!patience.isOver)
            patience.troubled(now: seconds(start + 10))
            patience.rests(now: seconds(start + 10))
            patience.rests(now: seconds(start + 30))
        }
        // Since the first trouble at 10 s: five times 10 s of work.
        #expect(patience.isOver)
    }

    /// The shown time of trouble neither grows in a rest nor shrinks behind it.
    @Test func `trouble lasts as long as there was something to send`() {
        var patience = Patience(.seconds(600))
        #expect(patience.lasted(now: seconds(5)) == nil)
        patience.troubled(now: seconds(10))
        #expect(patience.lasted(now: seconds(10)) == .zero)
        #expect(patience.lasted(now: seconds(12)) == .seconds(2))
        patience.rests(now: seconds(12))
        #expect(patience.lasted(now: seconds(100)) == .seconds(2))
        patience.works(now: seconds(100))
        #expect(patience.lasted(now: seconds(100)) == .seconds(2))
        #expect(patience.lasted(now: seconds(103)) == .seconds(5))
        patience.answered()
        #expect(patience.lasted(now: seconds(103)) == nil)
    }

    // MARK: Requests without an answer

    @Test func `a request without an answer tells of all the time since it started`() {
        var patience = Patience(.seconds(40))
        patience.answered()
        patience.isBlameless(until: seconds(10))
        #expect(patience.end == nil)
        patience.unanswered(since: seconds(10), now: seconds(40))
        #expect(patience.since == seconds(10) && patience.end == seconds(50))
        #expect(!patience.hasEnded(now: seconds(49.9)))
        // Nothing else has gone wrong: the clock says so.
        #expect(patience.hasEnded(now: seconds(50)) && !patience.isOver)
        #expect(patience.lasted(now: seconds(50)) == .seconds(40))
        patience.answered()
        #expect(patience.end == nil && !patience.hasEnded(now: seconds(50)))
    }

    @Test func `a patience below the time for an answer ends when that time is over`() {
        var patience = Patience(.seconds(10))
        patience.unanswered(since: seconds(0), now: seconds(30))
        #expect(patience.hasEnded(now: seconds(30)))
        #expect(patience.lasted(now: seconds(30)) == .seconds(30))
    }

    /// It takes 25 s for an answer, and had one in between.
    @Test func `a request that is lost beside others is no proof against a slow provider`() {
        var patience = Patience(.seconds(5))
        patience.answered()
        patience.isBlameless(until: seconds(25))
        patience.unanswered(since: seconds(1), now: seconds(31))
        #expect(patience.since == seconds(31) && patience.end == nil)
        patience.unanswered(since: seconds(19), now: seconds(49))
        #expect(!patience.hasEnded(now: seconds(49.9)))
        // That is another thing.
        patience.troubled(now: seconds(49.9))
        #expect(patience.hasEnded(now: seconds(49.9)))
    }

    @Test func `a request from before a standstill is no proof either`() {
        var patience = Patience(.seconds(600))
        patience.answered()
        patience.stoodStill(for: Int64(seconds(28_800).nanoseconds))
        patience.isBlameless(until: seconds(28_810))
        patience.unanswered(since: seconds(5), now: seconds(28_811))
        #expect(!patience.hasEnded(now: seconds(28_811)))
        #expect(patience.lasted(now: seconds(28_811)) == .zero)
    }

    @Test func `other trouble before the first request's time is over does not put the end off`() {
        var patience = Patience(.seconds(40))
        patience.answered()
        patience.troubled(now: seconds(25))
        #expect(patience.end == nil)
        patience.unanswered(since: seconds(2), now: seconds(32))
        #expect(patience.since == seconds(2) && patience.end == seconds(42))
    }

    @Test func `the clock stands still in a rest`() {
        var patience = Patience(.seconds(40))
        patience.unanswered(since: seconds(0), now: seconds(30))
        patience.rests(now: seconds(30))
        #expect(patience.end == nil && !patience.hasEnded(now: seconds(1000)))
        patience.works(now: seconds(1000))
        #expect(patience.end == seconds(1010))
    }

    /// Else the first late request would end its connection, also where others are answered there.
    @Test func `trouble is serious a second after it shows, however long ago it began`() {
        var patience = Patience(.seconds(600))
        patience.unanswered(since: seconds(0), now: seconds(30))
        #expect(!patience.isSerious(now: seconds(30.9)) && !patience.isLasting(now: seconds(30.9)))
        #expect(patience.isSerious(now: seconds(31)) && patience.isLasting(now: seconds(31)))
    }

    @Test func `a second of trouble is serious, and so are 16 resets in a row`() {
        var patience = Patience(.seconds(600))
        patience.troubled(now: seconds(10))
        #expect(!patience.isSerious(now: seconds(10.9)))
        #expect(patience.isSerious(now: seconds(11)))
        patience.answered()
        for _ in 0..<15 { patience.reset(now: seconds(12)) }
        #expect(!patience.isSerious(now: seconds(12)))
        patience.reset(now: seconds(12))
        #expect(patience.isSerious(now: seconds(12)))
        patience.answered()
        patience.reset(now: seconds(12))
        #expect(!patience.isSerious(now: seconds(12)))
    }
}
