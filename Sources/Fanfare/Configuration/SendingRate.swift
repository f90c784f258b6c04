/// So many attempts in so long.
public struct SendingRate: Sendable, Equatable {
    /// How many.
    public var count: Int
    /// In how long; in whole nanoseconds.
    public var period: Duration

    /// So many in a time; in a second, if it is not said.
    public init(_ count: Int, per period: Duration = .seconds(1)) {
        self.count = count
        self.period = period
    }
}
