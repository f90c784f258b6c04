/// The number of streams that a connection may have open, which the provider changes.
///
/// With a provider token a connection starts with one stream, until the first success has shown
/// that the token is good. A rejection takes the limit back to one, the next success restores it.
/// Rejections for a device that is gone (410) do not count.
package struct StreamLimitRule: Equatable, Sendable {
    /// The limit in force, for SETTINGS_MAX_CONCURRENT_STREAMS.
    package private(set) var limit: UInt32
    private var highLimit: UInt32
    private var isFixed: Bool

    /// - Parameters:
    ///   - highLimit: The limit while all is well.
    ///   - startsAtOne: The connection must show a good provider token first.
    ///   - isFixed: The limit never changes.
    package init(highLimit: UInt32, startsAtOne: Bool, isFixed: Bool) {
        self.highLimit = highLimit
        self.isFixed = isFixed
        limit = startsAtOne && !isFixed ? min(1, highLimit) : highLimit
    }

    /// A request was answered.
    /// - Returns: The limit to announce, or nil if it stays as it is.
    package mutating func answered(status: Int) -> UInt32? {
        if isFixed { return nil }
        switch status {
        case 200: return move(to: highLimit)
        case 410: return nil
        case 400..<500: return move(to: min(1, highLimit))
        default: return nil
        }
    }

    /// The connection turns out to be one of a service whose limit is always the same.
    /// - Parameter limit: The service's.
    /// - Returns: The limit to announce, or nil if it stays as it is.
    package mutating func fix(at limit: UInt32) -> UInt32? {
        isFixed = true
        highLimit = limit
        return move(to: limit)
    }

    /// A scenario sets another limit.
    /// - Returns: The limit to announce, or nil if it stays as it is.
    package mutating func highLimitChanged(to highLimit: UInt32) -> UInt32? {
        self.highLimit = highLimit
        return move(to: highLimit)
    }

    private mutating func move(to newLimit: UInt32) -> UInt32? {
        guard newLimit != limit else { return nil }
        limit = newLimit
        return newLimit
    }
}
