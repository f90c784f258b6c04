package import Fanfare
import FanfareBase
package import FanfareCore

/// A step of a load test as its page is told of it.
package struct PageStep: Equatable, Sendable {
    /// The load that it asked for, in words.
    package var load: String
    /// Answers a second.
    package var rate: Double
    /// The response time of half of the requests, in nanoseconds; `nil` without answers.
    package var p50: Int64?
    /// The response time of all but a hundredth of the requests, in nanoseconds; `nil` without answers.
    package var p99: Int64?
    /// The share of requests that ended in an error, from 0 to 1.
    package var errorShare: Double

    /// Takes the figures of a step that its page shows.
    package init(_ step: LoadStep) {
        load = Self.text(step.load, inFlight: step.inFlight)
        rate = step.throughput
        let response = step.figures.response
        p50 = response.count > 0 ? response.percentile(50) : nil
        p99 = response.count > 0 ? response.percentile(99) : nil
        errorShare = step.figures.errorShare
    }

    /// Returns the load that a step asks for, in words.
    package static func text(_ load: LoadSchedule.Load, inFlight: Int?) -> String {
        switch load {
        case .closed: "\(NumberText.grouped(UInt64(inFlight ?? 0))) in flight"
        case .open(let from, let to):
            from == to
                ? "\(NumberText.perSecond(from))/s"
                : "\(NumberText.perSecond(from))/s to \(NumberText.perSecond(to))/s"
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.member("load", load)
        writer.member("rate", rate)
        writer.member("p50", p50.map { Double($0) / 1e6 })
        writer.member("p99", p99.map { Double($0) / 1e6 })
        writer.member("errors", errorShare)
    }
}

/// The steps of a load test as its page is told of them.
package struct PageSteps: Sendable {
    /// The last steps that are over.
    package private(set) var last: [PageStep] = []
    /// The number of steps that are over.
    package private(set) var count = 0
    /// The step that runs: `2 of 5`; `nil` when none does.
    package private(set) var current: String?
    /// The load that it asks for, in words.
    package private(set) var load: String?

    package init() {}

    /// Takes in a moment; steps that were taken in before are not looked at again.
    /// - Parameters:
    ///   - stage: The step that runs.
    ///   - over: The steps that are over.
    ///   - inFlight: Requests in flight now.
    package mutating func update(_ stage: LoadStage, over: [LoadStep], inFlight: Int) {
        last += over.dropFirst(count).map { PageStep($0) }
        last = last.suffix(Limits.pageStepsMax)
        count = over.count
        let isRunning = stage.number > count
        load = isRunning ? stage.load.map { PageStep.text($0, inFlight: inFlight) } : nil
        current = isRunning ? "\(stage.number)" + (stage.count.map { " of \($0)" } ?? "") : nil
    }
}

extension Limits {
    /// Steps of a load test that its page shows, the last ones: some 100 bytes each, every second.
    package static let pageStepsMax = 50
}
