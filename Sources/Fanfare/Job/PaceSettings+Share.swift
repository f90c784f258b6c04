import FanfareBase
import FanfareCore

extension PaceSettings {
    /// The pace of a share in millionths of a start per second; `nil` for no start at all.
    init?(share: Int64) {
        guard share > 0 else { return nil }
        if share >= 1_000 * ShareRule.unitsPerStart {
            self.init(
                count: min(share / ShareRule.unitsPerStart, Int64(Limits.paceCountMax)),
                period: 1_000_000_000)
        } else {
            let period = (1_000_000_000_000_000 + share - 1) / share
            self.init(
                count: 1, period: min(period, Limits.pacePeriodMax.wholeNanoseconds))
        }
    }
}
