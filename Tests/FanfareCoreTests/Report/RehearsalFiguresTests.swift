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
        if figures.wantsSample { figures.add(sample: place(row), payload: "\(bytes)") }
    }

    /// Rows that two workers have shared are told as if one had seen them all.
    @Test func `parts add up to the whole`() {
        var generator = SplitMix64(seed: 9)
        let sizes = (1...1000).map { _ in Int(generator.next() % 4097) }
        var whole = RehearsalFigures(valueCount: 1, samplesMax: 4)
        var parts = [whole, whole]
        for (index, bytes) in sizes.enumerated() {
            let row = UInt64(index + 1)
            count(row, bytes, into: &whole)
            count(row, bytes, into: &parts[index / 10 % 2])
            if index % 3 == 0 {
                whole.note("bad", at: place(row))
                parts[index / 10 % 2].note("bad", at: place(row))
                whole.countLacking(value: 0)
                parts[index / 10 % 2].countLacking(value: 0)
            }
        }
        var sum = RehearsalFigures(valueCount: 1, samplesMax: 4)
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
            #expect(figures.rowsLacking == [334])
            let samples: [UInt64] = figures.samples.map(\.place.row)
            #expect(samples == [1, 2, 3, 4])
            let lengths: [Int] = figures.tokensByLength.map { $0.length }
            #expect(lengths == [64])
        }
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
}
