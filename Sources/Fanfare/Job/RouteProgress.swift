import FanfareBase
import FanfareCore

/// A moment of one provider's part of a job that has several.
public struct RouteProgress: Sendable, Equatable {
    /// The provider.
    public let provider: Provider
    /// The sums of what was done so far.
    package var counts: ProgressCounts
    /// The state at the moment.
    package let gauges: ProgressGauges
    /// The rows for the provider in this run, as far as is known; `nil` if it is not.
    package let expectedRows: Double?

    package init(
        _ provider: Provider, counts: ProgressCounts = ProgressCounts(),
        gauges: ProgressGauges = ProgressGauges(), expectedRows: Double? = nil
    ) {
        self.provider = provider
        self.counts = counts
        self.gauges = gauges
        self.expectedRows = expectedRows
    }

    /// Rows that have an outcome.
    public var finished: UInt64 { counts.finished }
    /// Rows that the provider took.
    public var accepted: UInt64 { counts.outcomes[.accepted] }
    /// Requests that wait for their answer.
    public var inFlight: Int { gauges.inFlight }
    /// Connections that are open.
    public var connections: Int { gauges.connections }

    /// The number of rows that have an outcome of a kind, in this run.
    public func count(of kind: PushOutcome.Kind) -> UInt64 { counts.outcomes[kind.outcome] }
}
