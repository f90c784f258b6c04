public import Fanfare
public import FoundationEssentials

// Moments as Foundation has them, beside the numbers that `Fanfare` itself has, which does not use
// Foundation.

extension PushOutcome {
    /// The start of the last attempt; `nil` if the row was not sent.
    public var sentAt: Date? { sentAtMilliseconds.map(Date.init(unixMilliseconds:)) }

    /// The moment since when the token is dead, if the provider says it; see
    /// ``PushOutcome/unregisteredAtMilliseconds``.
    public var unregisteredAt: Date? {
        unregisteredAtMilliseconds.map(Date.init(unixMilliseconds:))
    }
}

extension PushRow {
    /// The moment after which the provider no longer tries to deliver it, to the second; see
    /// ``PushRow/expiration``.
    public var expires: Date? {
        get { expiration.map { Date(timeIntervalSince1970: Double($0)) } }
        set { expiration = newValue.map(\.unixSeconds) }
    }
}

extension ProviderOptions {
    /// The moment after which the provider no longer tries to deliver what rows have no other for, to the
    /// second; see ``ProviderOptions/expiration``.
    public var expires: Date? {
        get { expiration.flatMap { Int64($0) }.map { Date(timeIntervalSince1970: Double($0)) } }
        set { expiration = newValue.map { String($0.unixSeconds) } }
    }
}

extension EngineOptions {
    /// The latest start of an attempt, to the millisecond; see ``EngineOptions/untilMilliseconds``.
    public var until: Date? {
        get { untilMilliseconds.map(Date.init(unixMilliseconds:)) }
        set { untilMilliseconds = newValue.map(\.unixMilliseconds) }
    }
}

extension ProgressSnapshot {
    /// Until when rows wait for their window; `nil` if none does.
    public var waitsUntil: Date? { waitsUntilMilliseconds.map(Date.init(unixMilliseconds:)) }
}

extension JobEvent {
    /// The moment of the event.
    public var date: Date { Date(unixMilliseconds: milliseconds) }
}

extension Date {
    fileprivate init(unixMilliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(unixMilliseconds) / 1000)
    }

    fileprivate var unixMilliseconds: Int64 { whole(timeIntervalSince1970 * 1000) }

    fileprivate var unixSeconds: Int64 { whole(timeIntervalSince1970) }

    /// The nearest whole number; one that is out of range, as that of `distantFuture` in other units may be,
    /// is the last one of it.
    private func whole(_ number: Double) -> Int64 {
        Int64(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
    }
}
