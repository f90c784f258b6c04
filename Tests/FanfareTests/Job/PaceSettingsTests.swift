import FanfareCore
import Testing

@testable import Fanfare

/// A worker's share of a rate, in the pacer's numbers.
@Suite struct PaceSettingsTests {
    @Test func `a share becomes a pace that is never above it`() throws {
        #expect(PaceSettings(share: 0) == nil)
        let half = try #require(PaceSettings(share: 500_000))
        #expect(half.count == 1 && half.period == 2_000_000_000)
        // A third of a start a second is one in three seconds, and a nanosecond's part more.
        let third = try #require(PaceSettings(share: 333_333))
        #expect(third.count == 1 && third.period == 3_000_003_001)
        let many = try #require(PaceSettings(share: 123_456_789_999))
        #expect(many.count == 123_456 && many.period == 1_000_000_000)
    }
}
