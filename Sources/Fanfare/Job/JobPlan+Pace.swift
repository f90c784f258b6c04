import FanfareBase
import FanfareCore

/// The pace of a plan.
extension JobPlan {
    /// The pace of a job, or `nil` if it has none.
    /// - Throws: `FanfareError` with code `configuration`.
    static func pace(_ engine: EngineOptions) throws(FanfareError) -> PaceSettings? {
        guard let rate = engine.rate else {
            guard engine.burst == nil, engine.ramp == .zero else {
                throw FanfareError(.configuration, "a burst or a ramp needs a rate")
            }
            return nil
        }
        return try pace(rate, burst: engine.burst, ramp: engine.ramp)
    }

    /// A rate in the pacer's numbers.
    /// - Throws: `FanfareError` with code `configuration`.
    static func pace(
        _ rate: SendingRate, burst: Int?, ramp: Duration
    ) throws(FanfareError) -> PaceSettings {
        let most = Int(Limits.paceCountMax)
        for (name, count) in [("rate", rate.count), ("burst", burst ?? 1)]
        where count < 1 || count > most {
            throw FanfareError(.configuration, "\(name): \(count) is not between 1 and \(most)")
        }
        guard rate.period >= .nanoseconds(1), rate.period <= Limits.pacePeriodMax else {
            throw FanfareError(
                .configuration, "the time of a rate is a nanosecond at least, and a day at most")
        }
        guard ramp >= .zero, ramp <= Limits.pacePeriodMax else {
            throw FanfareError(.configuration, "a ramp has a day at most")
        }
        return PaceSettings(
            count: Int64(rate.count), period: rate.period.wholeNanoseconds,
            burst: burst.map { Int64($0) }, ramp: ramp.wholeNanoseconds)
    }
}
