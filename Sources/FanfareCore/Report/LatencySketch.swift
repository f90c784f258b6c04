/// A counter of latencies in a kilobyte: four buckets for each power of two.
///
/// A `LatencyHistogram` serves a job, and this serves one of many moments of it: a percentile is at
/// most a quarter of its value away from the one in a sorted list. Sums and differences of sketches
/// are exact.
package struct LatencySketch: Sendable, Equatable {
    private static let bitsPerPower = 2
    private static let exponentMin = 9
    private static let bucketCount = 132

    private var buckets = InlineArray<132, UInt64>(repeating: 0)

    /// Creates a sketch of nothing.
    package init() {}

    /// Takes over the counts of a histogram.
    package init(_ histogram: LatencyHistogram) {
        histogram.addCounts(to: &buckets)
    }

    /// The number of values.
    package var count: UInt64 {
        var sum: UInt64 = 0
        for index in buckets.indices { sum += buckets[index] }
        return sum
    }

    /// Counts a latency.
    package mutating func record(nanoseconds: Int64) {
        let value = min(
            max(nanoseconds, LatencyHistogram.nanosecondsMin), LatencyHistogram.nanosecondsMax)
        let exponent = 63 - value.leadingZeroBitCount
        let within = Int(value >> (exponent - Self.bitsPerPower)) & (1 << Self.bitsPerPower - 1)
        buckets[(exponent - Self.exponentMin) << Self.bitsPerPower + within] += 1
    }

    package static func += (sum: inout LatencySketch, more: LatencySketch) {
        for index in sum.buckets.indices { sum.buckets[index] += more.buckets[index] }
    }

    /// Returns the latencies since an earlier state of the same sketch.
    package func since(_ earlier: LatencySketch) -> LatencySketch {
        var result = self
        for index in buckets.indices { result.buckets[index] -= earlier.buckets[index] }
        return result
    }

    /// Returns about the value that `percent` of all values do not exceed.
    /// - Returns: Nanoseconds; `nil` without values.
    package func percentile(_ percent: Double) -> Double? {
        let count = self.count
        guard count > 0 else { return nil }
        let place = max(min(percent, 100) * Double(count) / 100, 1)
        var seen = 0.0
        for index in buckets.indices where buckets[index] > 0 {
            let some = Double(buckets[index])
            if seen + some >= place {
                let width = Double(Int64(1) << (index >> Self.bitsPerPower + Self.exponentMin)) / 4
                let start = width * Double(4 + index & 3)
                // As if its values lay evenly in a bucket.
                return start + width * (place - seen - 0.5) / some
            }
            seen += some
        }
        return nil
    }

    package static func == (left: LatencySketch, right: LatencySketch) -> Bool {
        left.buckets.indices.allSatisfy { left.buckets[$0] == right.buckets[$0] }
    }
}
