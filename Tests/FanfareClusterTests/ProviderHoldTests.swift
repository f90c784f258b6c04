import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct ProviderHoldTests {
    private static let now = Instant(nanoseconds: 5_000_000_000)

    @Test func `a hold is a minute at most, and no less than nothing`() {
        #expect(ProviderHold.longest.milliseconds == 60_000)
        #expect(ProviderHold(milliseconds: 60_001) == .longest)
        #expect(ProviderHold(milliseconds: -1) == .none)
        #expect(ProviderHold(milliseconds: .min) == .none)
        #expect(ProviderHold(milliseconds: 700).after(milliseconds: 300).milliseconds == 400)
        #expect(ProviderHold(milliseconds: 700).after(milliseconds: 900) == .none)
        // A clock that goes back makes no hold longer.
        #expect(ProviderHold(milliseconds: 700).after(milliseconds: -900).milliseconds == 700)
    }

    @Test func `what a provider asks for ends by the same bound`() {
        let minute = Self.now.advanced(by: .seconds(60))
        #expect(
            ProviderHold.end(after: .seconds(7), now: Self.now)
                == Self.now.advanced(by: .seconds(7)))
        #expect(
            ProviderHold.end(after: .seconds(Int64.max / 2_000_000_000), now: Self.now) == minute)
        #expect(ProviderHold.end(.distantFuture, now: Self.now) == minute)
        #expect(ProviderHold(until: minute, now: Self.now) == .longest)
        #expect(ProviderHold(until: Self.now, now: minute) == .none)
    }

    @Test func `an end of a clock that was set back since says nothing`() {
        #expect(ProviderHold(readMilliseconds: 59_000).milliseconds == 59_000)
        #expect(ProviderHold(readMilliseconds: 60_900) == .longest)
        #expect(ProviderHold(readMilliseconds: 61_001) == .none)
        #expect(ProviderHold(readMilliseconds: -5) == .none)
    }

    @Test func `a quarter of a second more is the same hold`() {
        let present = ProviderHold(milliseconds: 4_000)
        #expect(!ProviderHold(milliseconds: 4_250).outlasts(present))
        #expect(ProviderHold(milliseconds: 4_251).outlasts(present))
        #expect(!ProviderHold.none.outlasts(.none))
    }

    @Test func `routes have holds of their own`() {
        var holds = RouteHolds()
        #expect(holds[3] == .distantPast)
        #expect(holds.left(now: Self.now).isEmpty)
        let end = Self.now.advanced(by: .seconds(2))
        #expect([holds.note(end, ofRoute: 1), holds.note(end, ofRoute: 1)] == [true, false])
        #expect(holds.left(now: Self.now).map(\.milliseconds) == [0, 2_000])
        #expect(holds.left(now: end).isEmpty)
        #expect([holds.note(end, ofRoute: Limits.clusterHoldsMax)] == [false])
        #expect(RouteHolds(holds.left(now: Self.now), now: Self.now)[1] == end)
    }
}
