import FanfareBase
package import FanfareCore

/// A moment of one provider's part of a job that has several.
public struct RouteProgress: Sendable, Equatable {
    /// The provider.
    public let provider: Provider
    /// Rows that have an outcome.
    public let finished: UInt64
    /// Rows that the provider took.
    public let accepted: UInt64
    /// Requests that wait for their answer.
    public let inFlight: Int
    /// Connections that are open.
    public let connections: Int
    /// Rows by their outcome.
    package let counts: OutcomeCounts
    /// The lanes' time by its limiting causes.
    package let limits: LimitTimes
    /// The trouble with a provider that has not answered for a while.
    package let trouble: ProviderTrouble?

    /// The rows for the provider in this run, as far as is known; `nil` if it is not.
    package let expectedRows: Double?

    package init(
        _ provider: Provider, _ snapshot: ProgressSnapshot, expectedRows: Double? = nil
    ) {
        self.provider = provider
        self.expectedRows = expectedRows
        finished = snapshot.finished
        accepted = snapshot.accepted
        inFlight = snapshot.inFlight
        connections = snapshot.connections
        counts = snapshot.counts
        limits = snapshot.limits
        trouble = snapshot.trouble
    }

    /// The number of rows that have an outcome of a kind, in this run.
    public func count(of kind: PushOutcome.Kind) -> UInt64 { counts[kind.outcome] }
}
