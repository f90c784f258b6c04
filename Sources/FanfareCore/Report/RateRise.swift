/// The rise of the rates at the beginning of a job: in a line from nothing to their height.
package struct RateRise {
    private let start: Double
    private let length: Double

    /// - Parameters:
    ///   - start: The moment when it begins, in seconds.
    ///   - length: Its length in seconds; 0 for none.
    package init(from start: Double, over length: Double) {
        self.start = start
        self.length = length
    }

    /// Returns the time at full rates in which as many rows are sent as between two moments.
    package func time(from first: Double, to last: Double) -> Double {
        height(last) - height(first)
    }

    /// Returns the moment when rows are sent that need a time at full rates.
    package func moment(_ time: Double, after first: Double) -> Double {
        guard first < start + length else { return first + time }
        let sum = height(first) + time
        return start + (sum < length / 2 ? (2 * sum * length).squareRoot() : sum + length / 2)
    }

    /// The time at full rates from the beginning to a moment: half of it while the rates rise.
    private func height(_ moment: Double) -> Double {
        let time = moment - start
        return time < length ? time * time / (2 * length) : time - length / 2
    }
}
