package import Fanfare
package import FanfareBase

/// The rest of a load test, in time.
extension LoadStage {
    /// Returns the number of requests of this step that have ended.
    func ended(_ reading: ProgressReading) -> UInt64 {
        reading.rows - min(before.ended, reading.rows)
    }

    /// Returns the seconds left of this step and all later ones; of a search, only of its step.
    /// - Parameters:
    ///   - reading: The figures of the last seconds.
    ///   - now: The time.
    /// - Returns: The seconds; `nil` if they are not known.
    package func secondsLeft(_ reading: ProgressReading, at now: Instant) -> Double? {
        guard number > 0 else { return nil }
        if let length {
            let rest = max(length - now.nanoseconds(since: started), 0)
            let later = max((count ?? number) - number, 0)
            return (Double(rest) + Double(later) * Double(length)) / 1e9
        }
        guard let requests, reading.rowsPerSecond > 0 else { return nil }
        return Double(max(requests - Int64(clamping: ended(reading)), 0)) / reading.rowsPerSecond
    }

    /// Returns the share of the test that is over, from 0 to 1.
    /// - Parameters:
    ///   - elapsedSeconds: The time since the test began.
    ///   - left: The time that is left.
    /// - Returns: The share; `nil` for a search, whose end is not known, and without a time left.
    package func share(elapsedSeconds: Double, left: Double?) -> Double? {
        guard count != nil, let left, elapsedSeconds + left > 0 else { return nil }
        return elapsedSeconds / (elapsedSeconds + left)
    }
}
