import FanfareBase
import FanfareCore
import Testing

/// The window told facts one by one.
@Suite struct AdaptiveWindowTests {
    private let now = Instant(nanoseconds: 0)

    /// A window with as many in flight as it allows, through its first round.
    private func begun() -> AdaptiveWindow {
        var window = AdaptiveWindow()
        window.started(inFlight: window.limit)
        return window
    }

    private func answers(_ count: Int, _ window: inout AdaptiveWindow, milliseconds: Int64 = 20) {
        for _ in 0..<count { window.answered(after: milliseconds * 1_000_000, now: now) }
    }

    @Test func `it begins with what RFC 9113 recommends as the least`() {
        #expect(AdaptiveWindow().limit == 100)
    }

    @Test func `each answer of slow start makes room for another request`() {
        var window = begun()
        answers(100, &window)
        #expect(window.limit == 200)
    }

    @Test func `what is not used does not grow`() {
        var window = AdaptiveWindow()
        window.started(inFlight: 99)
        answers(1000, &window)
        #expect(window.limit == 100)
    }

    @Test func `a flight of refusals is one signal`() {
        var window = begun()
        for _ in 0..<100 { window.refused(now: now) }
        #expect(window.limit == 50)
    }

    @Test func `refusals of the flight before say nothing new, those behind it do`() {
        var window = begun()
        // Seven are a signal, 3 % of two flights; the others are the flight that was under way.
        for _ in 0..<(7 + 100) { window.refused(now: now) }
        #expect(window.limit == 50)
        for _ in 0..<7 { window.refused(now: now) }
        #expect(window.limit < 50)
    }

    @Test func `a few refusals are chance`() {
        var window = begun()
        for _ in 0..<6 { window.refused(now: now) }
        #expect(window.limit == 100)
    }

    @Test func `a connection ended with ENHANCE_YOUR_CALM is a signal`() {
        var window = begun()
        window.askedForLess(now: now)
        #expect(window.limit == 50)
        window.askedForLess(now: now)
        #expect(window.limit == 50)
    }

    @Test func `it never falls below one`() {
        var window = begun()
        for _ in 0..<100_000 { window.refused(now: now) }
        #expect(window.limit == 1)
    }

    @Test func `a lost answer is not taken for a queue`() {
        var window = begun()
        for _ in 0..<6 {
            answers(100, &window)
            answers(1, &window, milliseconds: 30_000)
            window.started(inFlight: window.limit)
        }
        #expect(window.limit > 500)
    }
}
