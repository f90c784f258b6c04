import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct RehearsalFiguresTests {
    private func place(_ row: UInt64) -> RehearsalFigures.Place {
        .init(row: row, input: 0, line: row + 1)
    }

    private func count(_ row: UInt64, _ bytes: Int, into figures: inout RehearsalFigures) {
        if figures.countReady(tokenBytes: 64, payloadBytes: bytes, bytesMax: 4096) {
            figures.add(large: place(row), bytes: bytes, bytesMax: 4096)
        }
        if figures.wantsSample(of: 0) {
            figures.add(sample: place(row), of: 0, payload: "\(bytes)")
        }
    }

    /// Rows that two workers have shared are told as if one had seen them all.
    @Test func `parts add up to the whole`() {
        var generator = SplitMix64(seed: 9)
        let sizes = (1...1000).map { _ in Int(generator.next() % 4097) }
        var whole = RehearsalFigures(valueCount: 2, samplesMax: 4)
        var parts = [whole, whole]
        for (index, bytes) in sizes.enumerated() {
            let row = UInt64(index + 1)
            count(row, bytes, into: &whole)
            count(row, bytes, into: &parts[index / 10 % 2])
            if index % 3 == 0 {
                whole.note("bad", at: place(row))
                parts[index / 10 % 2].note("bad", at: place(row))
                whole.countLacking(value: 0, at: place(row))
                parts[index / 10 % 2].countLacking(value: 0, at: place(row))
            } else if index < 10 {
                // One of the parts has seen it in no row.
                whole.noteHeld(value: 0)
                parts[0].noteHeld(value: 0)
            }
            whole.countLacking(value: 1, at: place(row))
            parts[index / 10 % 2].countLacking(value: 1, at: place(row))
        }
        var sum = RehearsalFigures(valueCount: 2, samplesMax: 4)
        sum.merge(parts[1])
        sum.merge(parts[0])
        for figures in [whole, sum] {
            #expect(figures.readyCount == 1000)
            #expect(figures.payloadBytesMin == sizes.min())
            #expect(figures.payloadBytesMax == sizes.max())
            let mean = Double(sizes.reduce(0, +)) / 1000
            let difference: Double = abs(figures.payloadBytesMean - mean)
            #expect(difference < 0.001)
            let sorted = sizes.sorted()
            for percent in [1, 50, 90, 99, 100] as [UInt64] {
                // The step that the exact size lies in ends at what is told.
                let exact: Int = sorted[Int(percent) * 10 - 1]
                let told: Int = figures.payloadBytes(atPercentile: percent)
                let isNear = told >= exact && told < exact + RehearsalFigures.payloadStepBytes
                #expect(isNear)
            }
            let largest: [Int] = figures.largest.map(\.bytes)
            #expect(largest == Array(sorted.suffix(3).reversed()))
            let bad: [UInt64] = figures.places(of: "bad").map(\.row)
            #expect(bad == [1, 4, 7])
            #expect(figures.places(of: "good").isEmpty)
            #expect(figures.rowsLacking == [334, 1000])
            #expect(figures.areLackedByAll == [false, true])
            let lacking: [[UInt64]] = figures.placesLacking.map { $0.map(\.row) }
            #expect(lacking == [[1, 4, 7], [1, 2, 3]])
            let samples: [UInt64] = figures.samples.map(\.place.row)
            #expect(samples == [1, 2, 3, 4])
            let lengths: [Int] = figures.tokensByLength.map { $0.length }
            #expect(lengths == [64])
        }
    }

    /// However workers share the rows, the first ones with a mistake are named.
    @Test func `mistakes in the payloads of rows are counted, with the first rows`() {
        var parts = [RowRemarks(), RowRemarks()]
        for row in 1...100 as ClosedRange<UInt64> {
            let part = Int(row / 10 % 2)
            if row > 50 { parts[part].note("has a typo", at: place(row)) }
            if row == 7 { parts[part].note("has no 'aps'", at: place(row)) }
        }
        var sum = parts[1]
        sum.merge(parts[0])
        #expect(sum.all.map(\.text) == ["has no 'aps'", "has a typo"])
        #expect(sum.all.map(\.count) == [1, 50])
        #expect(sum.all.map { $0.places.map(\.row) } == [[7], [51, 52, 53]])
        for number in 0..<1000 { sum.note("mistake \(number)", at: place(1)) }
        #expect(sum.all.count == 32)
    }

    /// 1,000 rows at 100/s are 10 s; the hours make it an hour, and 250 rows do not fit.
    @Test func `hours and an end decide about the time and the rows that are sent`() {
        var figures = RehearsalFigures()
        for _ in 0..<1000 {
            _ = figures.countReady(tokenBytes: 64, payloadBytes: 10, bytesMax: 4096)
        }
        var result = RehearsalResult(
            figures: figures, values: [], inputs: [], rate: (100, 1_000_000_000), ramp: 0,
            connections: nil, census: nil)
        #expect(result.durationMilliseconds == 10_000 && result.sentCount == 1000)
        result.forecast = .init(milliseconds: 3_600_000, unsent: 250)
        #expect(result.durationMilliseconds == 3_600_000 && result.sentCount == 750)
        result.forecast = .init(milliseconds: nil, unsent: 1000)
        #expect(result.durationMilliseconds == nil && result.sentCount == 0)
    }

    /// n ÷ rate without a rise, and what it costs with one.
    @Test(arguments: [
        (1000, 100, 0, 10_000), (1000, 100, 4, 12_000),
        // 200 rows are sent while the rate rises for 4 s: 50 of them in half of the time.
        (200, 100, 4, 4000), (50, 100, 4, 2000), (0, 100, 4, 0),
    ])
    func `the duration is that of a pace`(rows: Int, rate: Int, ramp: Int, expected: Int) {
        var figures = RehearsalFigures()
        for _ in 0..<rows {
            _ = figures.countReady(tokenBytes: 64, payloadBytes: 10, bytesMax: 4096)
        }
        let result = RehearsalResult(
            figures: figures, values: [], inputs: [], rate: (Int64(rate), 1_000_000_000),
            ramp: Int64(ramp) * 1_000_000_000, connections: nil, census: nil)
        #expect(result.durationMilliseconds == Int64(expected))
    }

    /// 60 rows go at once, and seven at one in five seconds.
    @Test func `rows that a provider takes at once need no time`() {
        var figures = RehearsalFigures()
        for _ in 0..<67 {
            _ = figures.countReady(tokenBytes: 64, payloadBytes: 10, bytesMax: 4096)
        }
        var result = RehearsalResult(
            figures: figures, values: [], inputs: [], rate: (1, 5_000_000_000), ramp: 0,
            connections: nil, census: nil)
        #expect(result.durationMilliseconds == 335_000)
        result.atOnce = [60]
        #expect(result.durationMilliseconds == 35_000)
        result.atOnce = [100]
        #expect(result.durationMilliseconds == 0)
    }

    /// 300 rows at 10/s are 30 s, 1,000 at 100/s are 10 s; all 1,300 at 50/s are 26 s.
    @Test func `the duration of several providers is the longest one`() {
        var figures = RehearsalFigures(routeCount: 2)
        for row in 0..<1300 {
            _ = figures.countReady(
                route: row < 300 ? 0 : 1, tokenBytes: 64, payloadBytes: 10, bytesMax: 4096)
        }
        func result(_ rates: [Double?], whole: Int64? = nil) -> RehearsalResult {
            var result = RehearsalResult(
                figures: figures, values: [], inputs: [], rate: whole.map { ($0, 1_000_000_000) },
                ramp: 0, connections: nil, census: nil)
            result.routeRates = rates
            return result
        }
        #expect(result([10, 100]).durationMilliseconds == 30_000)
        #expect(result([nil, 100]).durationMilliseconds == 10_000)
        #expect(result([nil, 100], whole: 50).durationMilliseconds == 26_000)
        #expect(result([10, 100], whole: 50).durationMilliseconds == 30_000)
        #expect(result([10, nil]).durationMilliseconds(ofRoute: 0) == 30_000)
        #expect(result([10, nil]).durationMilliseconds(ofRoute: 1) == nil)
        #expect(result([nil, nil]).durationMilliseconds == nil)
    }

    /// Sizes are counted in steps of 64: 0 to 63 is the first.
    @Test func `a size is told to the end of its step`() {
        var figures = RehearsalFigures()
        for bytes in [63, 64, 127, 300] {
            _ = figures.countReady(tokenBytes: 64, payloadBytes: bytes, bytesMax: 4096)
        }
        #expect(figures.payloadBytes(atPercentile: 25) == 63)
        #expect(figures.payloadBytes(atPercentile: 26) == 127)
        #expect(figures.payloadBytes(atPercentile: 75) == 127)
        // The step ends at 319, and no payload is larger than 300.
        #expect(figures.payloadBytes(atPercentile: 76) == 300)
        #expect(figures.payloadBytesMin == 63 && figures.payloadBytesMax == 300)
        #expect(RehearsalFigures().payloadBytes(atPercentile: 50) == 0)
        #expect(RehearsalFigures().payloadBytesMean == 0)
    }

    @Test func `sizes and lengths beyond what is counted are counted with the last`() {
        var figures = RehearsalFigures()
        for tokenBytes in [Limits.tokenBytesMax, Limits.tokenBytesMax + 1] {
            _ = figures.countReady(
                tokenBytes: tokenBytes, payloadBytes: 1_000_000, bytesMax: 4096)
        }
        // Steps of 64 bytes up to 5,120, and one more, of which the largest is known.
        #expect(figures.payloadBytes(atPercentile: 50) == 1_000_000)
        #expect(figures.tokensByLength.map(\.length) == [Limits.tokenBytesMax])
        #expect(figures.tokensByLength.map(\.rows) == [2])
    }

    @Test func `the most frequent length comes first, then the shortest`() {
        var figures = RehearsalFigures()
        for tokenBytes in [8, 64, 16, 64] {
            _ = figures.countReady(tokenBytes: tokenBytes, payloadBytes: 10, bytesMax: 4096)
        }
        #expect(figures.tokensByLength.map(\.length) == [64, 8, 16])
    }

    /// Of payloads with the same room the first ones stay.
    @Test func `once three are kept only a larger payload is among the largest`() {
        var figures = RehearsalFigures()
        for row in 1...3 as ClosedRange<UInt64> { count(row, 100, into: &figures) }
        let asLarge = figures.countReady(tokenBytes: 64, payloadBytes: 100, bytesMax: 4096)
        let larger = figures.countReady(tokenBytes: 64, payloadBytes: 101, bytesMax: 4096)
        #expect(!asLarge && larger)
        figures.add(large: place(5), bytes: 101, bytesMax: 4096)
        #expect(figures.largest.map(\.place.row) == [5, 1, 2])
        #expect(figures.largest.map(\.room) == [3995, 3996, 3996])
    }

    @Test func `as many places and samples are kept as there is room for`() {
        var figures = RehearsalFigures(samplesMax: 2)
        for row in 1...4 as ClosedRange<UInt64> {
            figures.note("bad", at: place(row))
            count(row, 10, into: &figures)
        }
        #expect(figures.places(of: "bad").map(\.row) == [1, 2, 3])
        #expect(figures.samples.map(\.place.row) == [1, 2])
        var other = RehearsalFigures(samplesMax: 2)
        other.note("bad", at: place(0))
        other.note("worse", at: place(9))
        other.countRows(7)
        figures.merge(other)
        #expect(figures.places(of: "bad").map(\.row) == [0, 1, 2])
        #expect(figures.places(of: "worse").map(\.row) == [9])
        #expect(figures.rowCount == 7)
        // Figures of a worker that has sent nothing say nothing about sizes.
        #expect(figures.payloadBytesMin == 10 && figures.payloadBytesMax == 10)
    }

    /// FCM's limit is of texts in the payload, which itself may be larger than any of APNs.
    @Test func `a payload beyond all steps is as large as the largest`() {
        var figures = RehearsalFigures()
        _ = figures.countReady(tokenBytes: 150, payloadBytes: 5209, bytesMax: 32_768)
        #expect(figures.payloadBytes(atPercentile: 50) == 5209)
        #expect(figures.payloadBytesMin == 5209)
    }

    /// A list may have all rows of one provider in front.
    @Test func `each provider has its samples`() {
        var figures = RehearsalFigures(routeCount: 2, samplesMax: 2)
        var other = RehearsalFigures(routeCount: 2, samplesMax: 2)
        for row in 1...8 as ClosedRange<UInt64> {
            let route = row < 6 ? 0 : 1
            if figures.wantsSample(of: route) {
                figures.add(sample: place(row), of: route, payload: "\(row)")
            }
        }
        #expect(figures.samples.map(\.payload) == ["1", "2", "6", "7"])
        other.add(sample: place(5), of: 1, payload: "5")
        figures.merge(other)
        #expect(figures.samples.map(\.payload) == ["1", "2", "5", "6"])
        #expect(figures.samples.map(\.route) == [0, 0, 1, 1])
        #expect(!figures.wantsSample(of: 0) && !figures.wantsSample(of: 1))
    }
}
