package import FanfareCore

/// Where a load test is, for those who watch it.
package struct LoadStage: Sendable {
    /// The steps that are over.
    package var steps: [LoadStep] = []
    /// What the step that runs asks for; `nil` when none does.
    package var current: LoadSchedule.Load?
    /// Requests in flight together, in a closed loop.
    package var inFlight: Int?
    /// How many steps there are; `nil` for a search, which finds that out.
    package var stepCount: Int?
    /// How long all of them take; `nil` if that is not known before.
    package var seconds: Double?

    /// Nothing has begun.
    package init() {}
}

extension LoadPlan {
    /// Where a test stands that has not begun.
    var stage: LoadStage {
        var stage = LoadStage()
        if case .inFlight(let count) = options.pattern { stage.inFlight = count }
        let schedules = schedules
        guard !schedules.isEmpty else { return stage }
        stage.stepCount = schedules.count
        if schedules.allSatisfy({ $0.length < .max }) {
            stage.seconds = schedules.reduce(0) { $0 + Double($1.length) / 1e9 }
        }
        return stage
    }
}
