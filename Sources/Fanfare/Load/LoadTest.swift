import FanfareBase
package import FanfareCore
import FanfareFigures
import FanfareSystem
import FanfareTLS
import Synchronization

/// A load test of a push provider, or of any other HTTP service.
package final class LoadTest: Interruptible {
    private struct State {
        var current: LoadRun?
        var stop: JobStop?
        var finishedBefore = ProgressCounts()
        var stage = LoadStage()
        /// The steps that were begun.
        var stepCount = 0
        var steps: [LoadStep] = []
    }

    let plan: LoadPlan
    private let state = Mutex(State())

    /// Checks the options of a load test; nothing is sent yet.
    /// - Parameters:
    ///   - configuration: The provider, the credentials, the connections, and the notification for
    ///     a push provider. The test sets inputs, report, guards, attempts and pace itself.
    ///   - options: The options.
    /// - Throws: `FanfareError` with code `configuration`.
    package init(_ configuration: Configuration, _ options: LoadOptions) throws(FanfareError) {
        plan = try LoadPlan(configuration, options)
        let count = plan.schedules.count
        state.withLock { $0.stage.count = count == 0 ? nil : count }
    }

    /// Runs all steps, or those before it was stopped.
    ///
    /// If the system has no room for threads or event loops, that stops it.
    /// - Throws: `FanfareError` when the file for the requests cannot be opened.
    package func run() throws(FanfareError) -> LoadTestResult {
        guard let path = plan.options.requestsPath else { return try measured(nil) }
        let requests = try RequestFile(path)
        let writer = try requests.start()
        defer {
            requests.close()
            writer.join()
        }
        var result = try measured(requests)
        requests.close()
        writer.join()
        result.requests = requests.result
        return result
    }

    private func measured(_ requests: RequestFile?) throws(FanfareError) -> LoadTestResult {
        let started = WallClock.milliseconds
        var steps: [LoadStep] = []
        for schedule in plan.schedules {
            guard let step = try run(schedule, requests) else { break }
            steps.append(step)
        }
        var knee: Knee?
        if case .knee(let first, let bounds) = plan.options.pattern {
            knee = try findKnee(from: first, bounds, &steps, requests)
        }
        var result = LoadResult(
            stamp: plan.stamp(startMilliseconds: started), settings: plan.settings,
            steps: steps, knee: knee, stop: state.withLock { $0.stop })
        result.name = plan.configuration.name
        result.note = plan.configuration.note
        return LoadTestResult(
            result: result, conditions: plan.options.failIf, naming: plan.configuration.naming)
    }

    private func findKnee(
        from first: Double, _ wanted: LoadOptions.KneeBounds, _ steps: inout [LoadStep],
        _ requests: RequestFile?
    ) throws(FanfareError) -> Knee {
        let bounds = KneeSearch.Bounds(
            p99: wanted.p99.wholeNanoseconds, errorShare: wanted.errorShare)
        var search = KneeSearch(
            first: first, precision: wanted.precision,
            within: min(first, Limits.kneeRateMin)...Limits.loadRateMax)
        while let rate = search.rate, steps.count < Limits.loadStepsMax {
            guard var step = try run(plan.schedule(.open(from: rate, to: rate)), requests)
            else { break }
            // One that was broken off says nothing about its rate.
            guard state.withLock({ $0.stop }) == nil else {
                steps.append(step)
                break
            }
            let isKept = bounds.areKept(by: step)
            step.isWithinBounds = isKept
            steps.append(step)
            search.tried(isWithinBounds: isKept)
            state.withLock { $0.stage.tries.append(.init(rate: rate, isKept: isKept)) }
        }
        return Knee(bounds: bounds, search: search, steps: steps)
    }

    /// Ends it early; its result is the measurement until then.
    package func interrupt(_ reason: JobStop) {
        let run = state.withLock { state in
            if state.stop == nil { state.stop = reason }
            return state.current
        }
        run?.interrupt(reason)
    }

    /// The progress of the test.
    ///
    /// Safe from any thread.
    package var progress: ProgressSnapshot {
        let (run, before) = state.withLock { ($0.current, $0.finishedBefore) }
        var progress = run?.progress ?? ProgressSnapshot()
        progress.counts += before
        return progress
    }

    /// The stage of the test.
    ///
    /// Safe from any thread.
    package var stage: LoadStage { state.withLock { $0.stage } }

    /// True if the test was told to end early.
    package var isStopping: Bool { state.withLock { $0.stop != nil } }

    /// The steps that are over.
    ///
    /// Safe from any thread.
    package var steps: [LoadStep] { state.withLock { $0.steps } }

    // MARK: Steps

    /// Runs one step.
    /// - Returns: The step's result; `nil` if the test was stopped before.
    private func run(
        _ schedule: LoadSchedule, _ requests: RequestFile?
    ) throws(FanfareError) -> LoadStep? {
        let number = state.withLock { state in
            state.stepCount += 1
            return state.stepCount
        }
        let run = LoadRun(plan, schedule, requests: requests, step: number)
        let isStopped = state.withLock { state in
            guard state.stop == nil else { return true }
            state.current = run
            state.stage.begin(schedule, after: state.finishedBefore, at: MachineClock.now)
            return false
        }
        guard !isStopped else { return nil }
        let step = try run.run()
        let counts = run.progress.counts
        state.withLock { state in
            state.current = nil
            state.finishedBefore += counts
            state.steps.append(step)
            if state.stop == nil { state.stop = run.stop }
        }
        return step
    }
}

/// The result of a load test.
package struct LoadTestResult: Sendable {
    package private(set) var result: LoadResult
    /// The file with each request; `nil` if there is none.
    package internal(set) var requests: RecordedRequests?
    /// The conditions that make it a failure.
    private let conditions: [LoadCondition]
    /// The comparison with an earlier result; `nil` before one, or if there was none.
    private(set) var comparison: LoadComparison?
    /// The names of settings in its texts.
    private let naming: Naming

    init(result: LoadResult, conditions: [LoadCondition] = [], naming: Naming) {
        self.result = result
        self.conditions = conditions
        self.naming = naming
        self.result.judge(conditions)
    }

    /// Returns the result with the conditions judged again, those on a comparison included.
    /// - Parameter comparison: The comparison with an earlier result; `nil` if there was none.
    /// - Returns: The same figures, with the conditions that hold.
    package func judged(against comparison: LoadComparison?) -> LoadTestResult {
        var judged = self
        judged.comparison = comparison
        judged.result.judge(conditions, against: comparison)
        return judged
    }

    /// A line for each condition that holds, with its end.
    package func crossings(usesColor: Bool) -> String {
        result.crossings.map { $0.line(naming, usesColor: usesColor) + "\n" }.joined()
    }

    /// The process's exit code.
    package var exitCode: Int32 { result.exitStatus.rawValue }

    /// The reason why the test stopped before its end, if it did.
    package var stopMessage: String? { result.stop?.statement.text(naming) }

    /// The test's ending, in a sentence.
    package var ending: String {
        guard let stopMessage else {
            let count = result.steps.count
            return "Ended: \(count) \(count == 1 ? "step was" : "steps were") measured."
        }
        return "Stopped early: \(stopMessage)"
    }

    /// The result as a JSON document with a versioned schema.
    package var json: String { result.json(naming: naming) }

    /// The result as one page of HTML with plots, which needs nothing else, in UTF-8.
    package var html: [UInt8] {
        LoadPage(result, comparison: comparison, naming: naming).render()
    }

    /// The result as a table for people.
    package func table(usesColor: Bool) -> String {
        LoadTable(result, usesColor: usesColor, naming: naming).render()
    }
}
