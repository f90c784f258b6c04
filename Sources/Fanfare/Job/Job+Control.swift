import FanfareBase
import FanfareCore
import FanfareSystem

/// Steering a job while it runs; safe from any thread, before `run` and after it.
extension Job {
    /// Starts no new requests until `resume`.
    ///
    /// Requests in flight are answered, and all clocks go on: a paused job ends at its `--until`.
    package func pause() {
        control.pause(true)
        for pace in paces { pace.rest(.pause, true, now: MachineClock.now) }
    }

    /// Goes on after `pause`.
    package func resume() {
        for pace in paces { pace.rest(.pause, false, now: MachineClock.now) }
        control.pause(false)
    }

    /// Ends the job like the first `interrupt`, however often it is called: nothing new starts, and
    /// requests in flight are answered.
    package func stop() {
        control.stop(JobStop(.interrupted, "stopped on request"))
    }

    /// Ends the job like the second `interrupt`: requests in flight are reported as `unknown`.
    package func abort() {
        stop()
        control.interrupt(JobStop(.interrupted, "stopped on request"))
    }

    /// True if the job ends before its rows do.
    package var isStopping: Bool { control.stop != nil }

    /// The rate of the job as a whole now; `nil` for as many attempts as possible.
    package var rate: SendingRate? { pace?.rate }

    /// The rates of the job's routes now, if it has several; `nil` for no bound but the job's.
    package var routeRates: [(provider: Provider, rate: SendingRate?)] {
        guard plan.routes.count > 1 else { return [] }
        return plan.routes.indices.map {
            (plan.routes[$0].options.provider, pace(ofRoute: $0)?.rate)
        }
    }

    /// Gives the job, or one of its routes, another rate, or none, from now on.
    ///
    /// The bound holds across the change: see `Pacer.change`. A burst that was given stays; else it
    /// is 20 ms of the new rate and one more. A rise to the rate that is not over is given up.
    /// - Parameters:
    ///   - rate: The rate; `nil` for as many attempts as possible.
    ///   - provider: The route; `nil` for the job as a whole.
    /// - Throws: `FanfareError` with code `configuration` when it is no rate, when the job does not send to
    ///   that provider, or when it was not made to get a rate (`EngineOptions.rateMayChange`).
    package func setRate(
        _ rate: SendingRate?, of provider: Provider? = nil
    ) throws(FanfareError) {
        guard let pace = try pace(of: provider) else {
            throw FanfareError(.configuration, "this job was not made to get a rate")
        }
        var settings: PaceSettings?
        if let rate {
            settings = try PreparedJob.pace(
                rate, burst: plan.configuration.engine.burst, ramp: .zero)
        }
        pace.change(to: settings, now: MachineClock.now)
        control.wakeLanes()
        var fields = [LogEvent.Field("rate", rate?.description ?? "unlimited")]
        if let provider { fields.append(.init("provider", provider.rawValue)) }
        control.log?.add("rate_changed", .info, fields)
    }

    /// Starts that the pace allowed and that were not made in time; `nil` without a pace.
    ///
    /// Of several routes with paces of their own and none for the job, those of all of them.
    package var lateStarts: UInt64? {
        let counts = (pace.map { [$0] } ?? paces).compactMap(\.lateStarts)
        return counts.isEmpty ? nil : counts.reduce(0, +)
    }

    /// The pace of the job as a whole.
    private var pace: JobPace? { laneSettings.first?.pace.job }

    /// All paces: the job's, and those of its routes.
    var paces: [JobPace] {
        [pace].compactMap(\.self) + plan.routes.indices.compactMap { pace(ofRoute: $0) }
    }

    private func pace(ofRoute index: Int) -> JobPace? {
        laneSettings[plan.number(ofLane: 0, route: index)].pace.route
    }

    private func pace(of provider: Provider?) throws(FanfareError) -> JobPace? {
        guard let provider else { return pace }
        guard let index = plan.routes.firstIndex(where: { $0.options.provider == provider }) else {
            throw FanfareError(
                .configuration, "this job does not send to \(provider.rawValue)")
        }
        return pace(ofRoute: index) ?? (plan.routes.count == 1 ? pace : nil)
    }
}

extension JobPace {
    /// The present rate; `nil` for as fast as possible.
    fileprivate var rate: SendingRate? {
        withPacer { $0.settings }.map { SendingRate(Int($0.count), per: .nanoseconds($0.period)) }
    }
}
