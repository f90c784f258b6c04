import FanfareCore
import Testing

@Suite struct TimeSeriesTests {
    private static func bucket(_ number: UInt64) -> TimeSeries.Bucket {
        var bucket = TimeSeries.Bucket()
        bucket.outcomes[.accepted] = number
        bucket.attempts = 2 * number
        bucket.retries = number
        bucket.connectionMilliseconds = 3 * number
        bucket.requestMilliseconds = 5 * number
        bucket.allowedMilliseconds = 7 * number
        bucket.latency.record(nanoseconds: Int64(number) * 1_000_000)
        return bucket
    }

    /// Some moments: in order, backwards, far apart, before 1970.
    static let moments: [[Int64]] = [
        (0..<5000).map { $0 * 37 },
        (0..<5000).map { 1_800_000_000_000 - $0 * 211 },
        (0..<1000).map { ($0 * 7919 % 1000) * 1_000_003 - 500_000_000 },
        [0, 253_402_300_799_999, -62_167_219_200_000, 1, 1_800_000_000_000],
        [-1, 0, 99, 100, -100, -101],
    ]

    @Test func `of a line's attempts all but the first are retries`() {
        var digest = ReportDigest(keepsSeries: true)
        for (row, attempts) in [0, 1, 3].enumerated() as EnumeratedSequence<[UInt16]> {
            digest.record(
                ReportLine(
                    row: UInt64(row + 1), outcome: .failed, status: attempts == 3 ? 503 : 0,
                    reason: UnsafeBufferPointer(start: nil, count: 0), index: .unlisted,
                    attempts: attempts, latencyNanoseconds: 5_000_000, sentAtMilliseconds: 1000))
        }
        let total = digest.series?.total
        #expect(total?.attempts == 4 && total?.retries == 2 && total?.outcomes[.failed] == 3)
        // Only what was answered has taken a time.
        #expect(total?.latency.count == 1)
    }

    @Test(arguments: moments)
    func `no sum is lost by merging, and buckets stay few`(_ moments: [Int64]) {
        var series = TimeSeries()
        var sum = TimeSeries.Bucket()
        for (index, moment) in moments.enumerated() {
            let bucket = Self.bucket(UInt64(index % 90 + 1))
            series.add(bucket, atMilliseconds: moment)
            sum += bucket
            #expect(series.buckets.count <= 600)
        }
        #expect(series.total == sum)
        for count in [1, 2, 7, 60, 600] {
            let fewer = series.merged(toAtMost: count)
            #expect(fewer.total == sum)
            #expect(fewer.buckets.count <= max(count, 2))
        }
    }

    @Test(arguments: moments)
    func `a moment's bucket is the one that it lies in`(_ moments: [Int64]) {
        var series = TimeSeries()
        for moment in moments { series.add(Self.bucket(1), atMilliseconds: moment) }
        // The widths are 100 ms times a power of two.
        var width: Int64 = 100
        while width < series.width { width *= 2 }
        #expect(width == series.width)
        var wanted: [Int64: UInt64] = [:]
        for moment in moments {
            let rest = (moment % width + width) % width
            wanted[moment - rest, default: 0] += 1
        }
        for (index, bucket) in series.buckets.enumerated() {
            let start = series.start + Int64(index) * width
            #expect(bucket.outcomes[.accepted] == wanted[start, default: 0])
        }
    }

    @Test(arguments: moments, [1, 2, 3])
    func `series that are merged are as one of all`(_ moments: [Int64], _ parts: Int) {
        var whole = TimeSeries()
        var each = [TimeSeries](repeating: TimeSeries(), count: parts)
        for (index, moment) in moments.enumerated() {
            // One part takes the beginning, so that the parts are of different lengths.
            let part = index < moments.count / 3 ? 0 : index % parts
            whole.add(Self.bucket(UInt64(index + 1)), atMilliseconds: moment)
            each[part].add(Self.bucket(UInt64(index + 1)), atMilliseconds: moment)
        }
        var merged = TimeSeries()
        for part in each { merged.merge(part) }
        #expect(merged == whole)
    }

    @Test func `an empty series changes nothing`() {
        var series = TimeSeries()
        series.add(Self.bucket(3), atMilliseconds: 12_345)
        let before = series
        series.merge(TimeSeries())
        #expect(series == before)
        #expect(series.start == 12_300 && series.width == 100)
    }

    // MARK: Sketches

    @Test(arguments: [1, 10, 1000, 20_000])
    func `a sketch's percentiles are within a quarter of a sorted list's`(_ count: Int) {
        let values = LatencyHistogramTests.values(count, seed: 7)
        let sorted = values.sorted()
        var sketch = LatencySketch()
        for value in values { sketch.record(nanoseconds: value) }
        #expect(sketch.count == UInt64(count))
        for percent in [1, 10, 50, 90, 99, 100] {
            let place = max((percent * count + 99) / 100, 1)
            let exact = Double(sorted[place - 1])
            let found = sketch.percentile(Double(percent)) ?? 0
            #expect(found > exact * 0.79 && found < exact * 1.26, "p\(percent)")
        }
        #expect(LatencySketch().percentile(50) == nil)
    }

    @Test func `a sketch of a histogram is that of its values, and so is a difference`() {
        let values = LatencyHistogramTests.values(3000, seed: 11)
        var (histogram, all, first) = (LatencyHistogram(), LatencySketch(), LatencySketch())
        var rest = LatencySketch()
        for (index, value) in values.enumerated() {
            histogram.record(nanoseconds: value)
            all.record(nanoseconds: value)
            if index < 1000 {
                first.record(nanoseconds: value)
            } else {
                rest.record(nanoseconds: value)
            }
        }
        #expect(LatencySketch(histogram) == all)
        #expect(all.since(first) == rest)
        first += rest
        #expect(first == all)
    }
}
