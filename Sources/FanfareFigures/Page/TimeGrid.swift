/// Values over time: lines that share their buckets.
struct TimeGrid: Equatable, Sendable {
    /// One value for each bucket.
    struct Line: Equatable, Sendable {
        var name: String
        /// The number of a color of the style sheet, 0 to 8.
        var color: Int
        /// `nil` where nothing is known.
        var values: [Double?]

        /// Names values.
        init(_ name: String, color: Int, _ values: [Double?]) {
            self.name = name
            self.color = color
            self.values = values
        }
    }

    /// The beginning of the first bucket, in seconds; not above 0, which is where the plot begins.
    var start = 0.0
    /// The length of each bucket, in seconds.
    var step: Double
    /// The end of the plot, in seconds.
    var end: Double
    var lines: [Line]

    /// The number of buckets.
    var count: Int { lines.map(\.values.count).max() ?? 0 }

    /// Returns the part of a bucket that is in the plot.
    func range(ofBucket index: Int) -> ClosedRange<Double> {
        let from = min(max(start + Double(index) * step, 0), end)
        return from...max(min(start + Double(index + 1) * step, end), from)
    }
}
