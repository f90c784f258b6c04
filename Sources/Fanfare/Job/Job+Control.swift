import FanfareBase
import FanfareCore
import FanfareSystem

/// Steering a job while it runs; safe from any thread, before `run` and after it.
extension Job {
    /// Starts nothing new until `resume`.
    ///
    /// What is in flight is answered, and all clocks go on: a job that is paused at its `--until` ends
    /// there.
    package func pause() {
        control.pause(true)
        pace?.rest(.pause, true, now: MachineClock.now)
    }

    /// Goes on after `pause`.
    package func resume() {
        pace?.rest(.pause, false, now: MachineClock.now)
        control.pause(false)
    }

    /// Ends the job like the first `interrupt`, however often it is called: nothing new starts, and
    /// what is in flight is answered.
    package func stop() {
        control.stop(JobStop(.interrupted, "stopped on request"))
    }

    /// Ends the job like the second `interrupt`: what is in flight is reported as `unknown`.
    package func abort() {
        stop()
        control.interrupt(JobStop(.interrupted, "stopped on request"))
    }

    /// Whether the job comes to its end before its rows do.
    package var isStopping: Bool { control.stop != nil }

    /// The rate now; `nil` for as many attempts as possible.
    package var rate: SendingRate? {
        let settings = pace?.withPacer { $0.settings } ?? nil
        return settings.map { SendingRate(Int($0.count), per: .nanoseconds($0.period)) }
    }

    /// Gives the job another rate, or none, from now on.
    ///
    /// The bound holds across the change: see `Pacer.change`. A burst that was given stays; else it
    /// is 20 ms of the new rate and one more. A rise to the rate that is not over is given up.
    /// - Throws: `FanfareError` with code `configuration` when it is no rate, or when the job has
    ///   none and was not made to get one (`EngineOptions.rateMayChange`).
    package func setRate(_ rate: SendingRate?) throws(FanfareError) {
        guard let pace else {
            throw FanfareError(.configuration, "this job was not made to get a rate")
        }
        var settings: PaceSettings?
        if let rate {
            settings = try JobPlan.pace(
                rate, burst: plan.configuration.engine.burst, ramp: .zero)
        }
        pace.change(to: settings, now: MachineClock.now)
        control.wakeLanes()
        control.log?.add("rate_changed", .info, [.init("rate", rate?.description ?? "unlimited")])
    }

    /// Starts that the pace allowed and that were not made in time; `nil` without a pace.
    package var lateStarts: UInt64? { laneSettings.first?.pace.lateStarts }

    var pace: JobPace? { laneSettings.first?.pace.job }
}
