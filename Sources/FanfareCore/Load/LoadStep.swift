import FanfareBase

/// The result of one step of a load test: the figures of all lanes, and their meaning.
package struct LoadStep: Sendable {
    /// The reason why a step says more about this machine than about the server.
    package enum GeneratorLimit: String, Sendable {
        /// Requests started late though the server had room.
        case lateStarts = "late_starts"
        /// A lane had its core to the full.
        case processor = "cpu"
    }

    /// The load that was asked for.
    package var load: LoadSchedule.Load
    /// Requests in flight together, in a closed loop.
    package var inFlight: Int?
    /// The measured time.
    package var measuredNanoseconds: Int64
    package var figures: LoadFigures
    /// CPU time of the lanes in the measured time.
    package var processorNanoseconds: Int64
    /// The share of its core that the busiest lane used, from 0 to 1.
    package var busyShare: Double
    /// Connections that got as far as sending requests, over the whole step.
    package var connections: UInt64
    /// True if a search for the knee found the step within its bounds; `nil` outside a search.
    package var isWithinBounds: Bool?

    /// Collects the facts.
    package init(
        _ load: LoadSchedule.Load, inFlight: Int?, measuredNanoseconds: Int64,
        figures: LoadFigures, processorNanoseconds: Int64, busyShare: Double, connections: UInt64
    ) {
        self.load = load
        self.inFlight = inFlight
        self.measuredNanoseconds = measuredNanoseconds
        self.figures = figures
        self.processorNanoseconds = processorNanoseconds
        self.busyShare = busyShare
        self.connections = connections
    }

    /// Answers a second within the measured time.
    package var throughput: Double {
        measuredNanoseconds > 0
            ? Double(figures.answeredInTime) * 1e9 / Double(measuredNanoseconds) : 0
    }

    /// CPU time of the lanes for each answer, in nanoseconds; 0 without any.
    package var processorPerRequest: Double {
        figures.answeredInTime > 0
            ? Double(processorNanoseconds) / Double(figures.answeredInTime) : 0
    }

    /// The reason why the step measures this machine, if it does.
    package var generatorLimit: GeneratorLimit? {
        if Double(figures.ownLateStarts) > Limits.ownLateShare * Double(figures.started) {
            return .lateStarts
        }
        return busyShare >= Limits.laneBusyShare ? .processor : nil
    }

    /// Returns true if connections were opened for every few answers, as with a server that closes them: the
    /// rate of dials may be what limits the figures.
    /// - Parameter wanted: The connections that the test keeps.
    /// - Returns: True if at least each fourth answer needed one, and a hundred did.
    package func hasDialedForAnswers(_ wanted: Int) -> Bool {
        // A server that is restarted, or a test that fails in its first moments, is none.
        let replaced = connections - min(connections, UInt64(wanted))
        return replaced >= 100 && replaced >= figures.answered / 4
    }

    /// True if the server kept requests from starting, so that service times alone would flatter
    /// it.
    package var hasHeldUpStarts: Bool {
        let (service, response) = (
            figures.service.percentile(99), figures.response.percentile(99)
        )
        return generatorLimit != .lateStarts && response >= 2 * service
            && response - service >= 2 * Limits.lateStart.wholeNanoseconds
    }
}
