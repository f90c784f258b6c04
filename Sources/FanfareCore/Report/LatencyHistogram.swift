/// A count of latencies in buckets that grow with the value, in 33 KiB for any number of them.
///
/// Every power of two is cut into 128 buckets of the same width, so a bucket is at most 1/128 of its
/// values wide; a percentile is the middle of its bucket, and so at most 0.4 % away from the value
/// that a sorted list would have there. Smallest and largest value, count and mean are exact.
package struct LatencyHistogram: Sendable, Equatable {
    /// Values are counted as at least this: a microsecond.
    package static let nanosecondsMin: Int64 = 1000
    /// Values are counted as at most this: an hour.
    package static let nanosecondsMax: Int64 = 3_600_000_000_000

    /// 1000 has its highest bit at 9, an hour in nanoseconds at 41.
    private static let exponentMin = 9
    private static let exponentMax = 41
    private static let bitsPerPower = 7
    private static let bucketCount = (exponentMax - exponentMin + 1) << bitsPerPower

    /// One table for all that are empty: each look at a job's progress begins with some.
    private static let zeros = [UInt64](repeating: 0, count: bucketCount)

    private var buckets = zeros
    package private(set) var count: UInt64 = 0
    /// The smallest value; 0 without values.
    package private(set) var min: Int64 = 0
    /// The largest value; 0 without values.
    package private(set) var max: Int64 = 0
    /// 128 bits: ten million hours in nanoseconds do not fit into 64.
    private var sum: UInt128 = 0

    /// Creates an empty histogram.
    package init() {}

    /// Counts a latency.
    /// - Complexity: O(1); the first one allocates.
    package mutating func record(nanoseconds: Int64) {
        record(nanoseconds: nanoseconds, count: 1)
    }

    /// Counts a latency so many times.
    /// - Complexity: O(1); the first one allocates.
    package mutating func record(nanoseconds: Int64, count times: UInt64) {
        guard times > 0 else { return }
        let value = Swift.min(Swift.max(nanoseconds, Self.nanosecondsMin), Self.nanosecondsMax)
        buckets[Self.bucket(of: value)] += times
        min = count == 0 ? value : Swift.min(min, value)
        max = Swift.max(max, value)
        count += times
        sum += UInt128(UInt64(value)) * UInt128(times)
    }

    /// Adds the values of another histogram.
    package mutating func merge(_ other: LatencyHistogram) {
        guard other.count > 0 else { return }
        for index in buckets.indices {
            buckets[index] += other.buckets[index]
        }
        min = count == 0 ? other.min : Swift.min(min, other.min)
        max = Swift.max(max, other.max)
        count += other.count
        sum += other.sum
    }

    /// Returns the latencies since an earlier state of the same histogram.
    ///
    /// It knows the smallest and largest value as closely as percentiles. For another histogram the
    /// difference means nothing, but is no trap: this is for show.
    package func since(_ earlier: LatencyHistogram) -> LatencyHistogram {
        var result = LatencyHistogram()
        guard count > earlier.count, sum > earlier.sum else { return result }
        result.sum = sum - earlier.sum
        for index in buckets.indices where buckets[index] > earlier.buckets[index] {
            result.buckets[index] = buckets[index] - earlier.buckets[index]
            result.count += result.buckets[index]
        }
        let first = result.buckets.firstIndex { $0 > 0 } ?? 0
        let last = result.buckets.lastIndex { $0 > 0 } ?? 0
        result.min = Swift.max(Self.start(ofBucket: first), min)
        result.max = Swift.min(Self.start(ofBucket: last) + Self.width(ofBucket: last) - 1, max)
        return result
    }

    /// The mean in nanoseconds; 0 without values.
    package var mean: Double {
        count == 0 ? 0 : Double(sum) / Double(count)
    }

    /// Returns the value that `percent` of all values do not exceed.
    /// - Parameter percent: 0 to 100. The value's place in a sorted list is ⌈percent ÷ 100 × count⌉,
    ///   and at least 1.
    /// - Returns: Nanoseconds; 0 without values.
    package func percentile(_ percent: Double) -> Int64 {
        guard count > 0 else { return 0 }
        // Multiplied first: 99.9 ÷ 100 × 1000 is a little more than 999.
        let exact = Swift.min(Swift.max(percent, 0), 100) * Double(count) / 100
        let place = Swift.min(Swift.max(UInt64(exact.rounded(.up)), 1), count)
        if place == count { return max }
        var seen: UInt64 = 0
        for index in buckets.indices {
            seen += buckets[index]
            if seen >= place {
                return Swift.min(Swift.max(Self.middle(ofBucket: index), min), max)
            }
        }
        return max
    }

    /// The counts in coarser bars for plots: eight for each power of two, from the first to the last
    /// that has values; those between without values are among them.
    package var bars: [(range: Range<Int64>, count: UInt64)] {
        let merged = 1 << (Self.bitsPerPower - 3)
        let sums = stride(from: 0, to: buckets.count, by: merged).map { first in
            buckets[first..<first + merged].reduce(0, +)
        }
        guard let first = sums.firstIndex(where: { $0 > 0 }),
            let last = sums.lastIndex(where: { $0 > 0 })
        else { return [] }
        return (first...last).map { index in
            let from = Self.start(ofBucket: index * merged)
            return (from..<Self.start(ofBucket: (index + 1) * merged), sums[index])
        }
    }

    /// The sum of all values, in nanoseconds.
    package var total: Double { Double(sum) }

    /// The number of values below each power of two from 0.26 ms to 69 s, with these in seconds.
    ///
    /// It is exact, because no bucket reaches across a power of two.
    package var cumulative: [(seconds: Double, count: UInt64)] {
        var seen: UInt64 = 0
        var next = 0
        return (18...36).map { exponent in
            let end = (exponent - Self.exponentMin) << Self.bitsPerPower
            for index in next..<end { seen += buckets[index] }
            next = end
            return (Double(Int64(1) << exponent) / 1e9, seen)
        }
    }

    /// Adds the counts to those of a `LatencySketch`, each of whose buckets holds 32 of ours.
    func addCounts(to sketch: inout InlineArray<132, UInt64>) {
        for index in buckets.indices { sketch[index >> 5] += buckets[index] }
    }

    /// Returns the bucket of a value in the range.
    ///
    /// The highest bit chooses the power, the seven below it the
    /// bucket within.
    private static func bucket(of value: Int64) -> Int {
        let exponent = 63 - value.leadingZeroBitCount
        let within = Int(value >> (exponent - bitsPerPower)) & (1 << bitsPerPower - 1)
        return (exponent - exponentMin) << bitsPerPower + within
    }

    private static func middle(ofBucket index: Int) -> Int64 {
        start(ofBucket: index) + width(ofBucket: index) / 2
    }

    private static func start(ofBucket index: Int) -> Int64 {
        let exponent = index >> bitsPerPower + exponentMin
        let within = Int64(index & (1 << bitsPerPower - 1))
        return Int64(1) << exponent + within * width(ofBucket: index)
    }

    private static func width(ofBucket index: Int) -> Int64 {
        Int64(1) << (index >> bitsPerPower + exponentMin - bitsPerPower)
    }
}
