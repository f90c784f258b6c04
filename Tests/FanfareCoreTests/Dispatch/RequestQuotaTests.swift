import FanfareBase
import Testing

@testable import FanfareCore

/// A lane's use of a provider's count of requests.
@Suite struct RequestQuotaTests {
    private let now = Instant(nanoseconds: 1_000_000_000)

    /// True if a wait begins with the count.
    private static func begins(
        _ quota: inout RequestQuota, _ remaining: UInt64, _ wait: Duration, _ now: Instant
    ) -> Bool {
        quota.heard(remaining: remaining, for: wait, now: now)
    }

    @Test func `the number is seconds or a time of either unit`() {
        // 2026-11-24 00:00:00 UTC
        let day: Int64 = 1_795_478_400
        #expect(RequestQuota.wait(0, now: day * 1000) == .zero)
        #expect(RequestQuota.wait(59, now: day * 1000) == .seconds(59))
        #expect(RequestQuota.wait(999_999_999, now: day * 1000) == .seconds(999_999_999))
        #expect(RequestQuota.wait(UInt64(day) + 60, now: day * 1000 + 250) == .milliseconds(59_750))
        #expect(RequestQuota.wait(UInt64(day) * 1000 + 20, now: day * 1000) == .milliseconds(20))
        #expect(RequestQuota.wait(UInt64(day) - 1, now: day * 1000) == .zero)
        #expect(RequestQuota.wait(.max, now: day * 1000) > .seconds(999_999_999))
    }

    @Test func `lanes share what is left`() {
        var quota = RequestQuota(lanes: 4, longest: .seconds(60))
        #expect(!Self.begins(&quota, 9, .seconds(10), now))
        #expect(quota.left == 2 && !quota.isUsedUp)
        // Three for four lanes are none.
        #expect(Self.begins(&quota, 3, .seconds(10), now))
        #expect(quota.isUsedUp)
    }

    @Test func `a wait is told once and ends in time`() {
        var quota = RequestQuota(lanes: 1, longest: .seconds(60))
        #expect(Self.begins(&quota, 0, .seconds(10), now))
        #expect(!Self.begins(&quota, 0, .seconds(9), now.advanced(by: .seconds(1))))
        quota.refresh(now: now.advanced(by: .milliseconds(9_999)))
        #expect(quota.isUsedUp)
        quota.refresh(now: now.advanced(by: .seconds(10)))
        #expect(!quota.isUsedUp && quota.until == nil)
    }

    @Test(arguments: [Duration.zero, .seconds(61)])
    func `a wait that is none or too long is not kept`(wait: Duration) {
        var quota = RequestQuota(lanes: 1, longest: .seconds(60))
        #expect(Self.begins(&quota, 0, .seconds(60), now))
        #expect(!Self.begins(&quota, 0, wait, now))
        #expect(!quota.isUsedUp)
    }

    @Test func `no number in an answer is too large to be read`() {
        var quota = RequestQuota(lanes: 1, longest: .seconds(60))
        for number in [9_223_372_036_999, .max] as [UInt64] {
            #expect(!Self.begins(&quota, 0, RequestQuota.wait(number, now: 0), now))
        }
    }

    @Test func `a number beyond all bounds is a large one`() {
        var quota = RequestQuota(lanes: 1, longest: .seconds(60))
        #expect(!Self.begins(&quota, .max, .seconds(1), now))
        #expect(quota.left == .max)
    }
}
