/// Values over time: lines that share their buckets.
package struct TimeGrid: Equatable, Sendable {
    /// One value for each bucket.
    package struct Line: Equatable, Sendable {
        package var name: String
        /// Which colour of the style sheet, 0 to 8.
        package var colour: Int
        /// `nil` where nothing is known.
        package var values: [Double?]

        /// Names values.
        package init(_ name: String, colour: Int, _ values: [Double?]) {
            self.name = name
            self.colour = colour
            self.values = values
        }
    }

    /// Where the first bucket begins, in seconds; not above 0, which is where the plot begins.
    package var start: Double
    /// The length of each bucket, in seconds.
    package var step: Double
    /// Where the plot ends, in seconds.
    package var end: Double
    package var lines: [Line]

    /// Collects lines.
    package init(start: Double = 0, step: Double, end: Double, lines: [Line]) {
        self.start = start
        self.step = step
        self.end = end
        self.lines = lines
    }

    /// The number of buckets.
    package var count: Int { lines.map(\.values.count).max() ?? 0 }

    /// The part of a bucket that is in the plot.
    package func range(ofBucket index: Int) -> ClosedRange<Double> {
        let from = min(max(start + Double(index) * step, 0), end)
        return from...max(min(start + Double(index + 1) * step, end), from)
    }
}
