import FanfareBase
import FanfareCore

/// The pace of a plan.
extension PreparedJob {
    /// The paces of the job as a whole and of its routes; `nil` where there is none.
    /// - Throws: `FanfareError` with code `configuration`.
    func paces() throws(FanfareError) -> (job: JobPace?, routes: [JobPace?]) {
        let lanes = lanes * routes.count
        func shared(_ pace: PaceSettings?) -> JobPace? {
            pace != nil || configuration.engine.rateMayChange
                ? JobPace(pace, lanes: lanes) : nil
        }
        let (whole, all) = try Self.paceSettings(configuration)
        guard routes.count == 1 else { return (shared(whole), all.map(shared)) }
        // The pace of the only route is the job's, unless that has another one.
        guard let whole else { return (shared(all[0]), [nil]) }
        return (shared(whole), [all[0].flatMap(shared)])
    }

    /// The paces of a job as a whole and of its routes, in numbers.
    /// - Throws: `FanfareError` with code `configuration`.
    private static func paceSettings(
        _ configuration: Configuration
    ) throws(FanfareError) -> (whole: PaceSettings?, routes: [PaceSettings?]) {
        let whole = try pace(configuration)
        var all: [PaceSettings?] = []
        for route in configuration.routes { all.append(try configuration.pace(of: route)) }
        return (whole, all)
    }

    /// The rates for a forecast, in rows a second, and the settings of the job's own.
    ///
    /// If no rate was asked for, the pace of a description counts all the same, since its author has written it
    /// down; the quota of another provider is none then: nothing is known of the others.
    /// - Throws: `FanfareError` with code `configuration`.
    static func rates(
        _ configuration: Configuration
    ) throws(FanfareError) -> (rates: RouteRates, whole: PaceSettings?) {
        var (whole, all) = try paceSettings(configuration)
        let isChosen = whole != nil || configuration.routes.contains { $0.rate != nil }
        for (index, route) in configuration.routes.enumerated() where route.rate == nil {
            if let declared = route.declared {
                // Requests are full where there are rows enough.
                let rows = declared.pacesRequests && whole == nil ? declared.rowsOfRequest : 1
                all[index] = all[index]?.times(rows)
            } else if !isChosen {
                all[index] = nil
            }
        }
        let atOnce = all.map { $0.map { $0.startsFull ? UInt64($0.burst) : 0 } ?? 0 }
        if all.count == 1 {
            // The pace of the only route is the job's, unless that has another one.
            if whole == nil { swap(&whole, &all[0]) }
        }
        var rates = RouteRates(
            whole: whole?.rowsPerSecond, routes: all.map { $0?.rowsPerSecond })
        rates.atOnce = isChosen ? [] : atOnce
        return (rates, whole)
    }

    /// The pace of a job as a whole, or `nil` if it has none.
    /// - Throws: `FanfareError` with code `configuration`.
    static func pace(_ configuration: Configuration) throws(FanfareError) -> PaceSettings? {
        let engine = configuration.engine
        guard let rate = engine.rate else {
            let hasRate = configuration.routes.contains { $0.rate != nil }
            guard engine.burst == nil && engine.ramp == .zero || hasRate else {
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

extension PaceSettings {
    fileprivate var rowsPerSecond: Double { Double(count) * 1e9 / Double(period) }

    /// The same with so many rows for each permit.
    fileprivate func times(_ rows: Int) -> PaceSettings {
        PaceSettings(
            count: min(count * Int64(rows), Limits.paceCountMax), period: period,
            burst: min(burst * Int64(rows), Limits.paceCountMax), ramp: ramp,
            startsFull: startsFull)
    }
}

extension Configuration {
    /// The pace of a route: the one that was chosen for it, or the one that its provider asks for.
    fileprivate func pace(of route: ProviderOptions) throws(FanfareError) -> PaceSettings? {
        guard let rate = route.rate else { return quota(of: route) }
        return try PreparedJob.pace(rate, burst: engine.burst, ramp: engine.ramp)
    }
}
