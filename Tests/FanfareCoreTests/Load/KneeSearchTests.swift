import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@Suite struct KneeSearchTests {
    /// Searches against a service that keeps every rate up to a capacity.
    private func search(
        capacity: Double, first: Double = 1000, precision: Double = 0.02,
        within range: ClosedRange<Double> = Limits.loadRateMin...Limits.loadRateMax
    ) -> (KneeSearch, [Double]) {
        var search = KneeSearch(first: first, precision: precision, within: range)
        var rates: [Double] = []
        while let rate = search.rate, rates.count < 1000 {
            rates.append(rate)
            search.tried(isWithinBounds: rate <= capacity)
        }
        return (search, rates)
    }

    @Test func `it doubles, and then halves the gap`() {
        let (search, rates) = search(capacity: 5300)
        #expect(
            rates == [1000, 2000, 4000, 8000, 6000, 5000, 5500, 5250, 5375, 5312.5])
        // 62.5 are less than 2 % of 5,250.
        #expect(search.kept == 5250 && search.tooMuch == 5312.5)
    }

    @Test(arguments: [0.5, 3, 999, 1000, 2000, 9000, 123_456], [0.001, 0.02, 0.5])
    func `it comes as close as it is asked to`(capacity: Double, precision: Double) throws {
        let (search, rates) = search(capacity: capacity, precision: precision)
        let kept = try #require(search.kept)
        #expect(kept <= capacity && capacity < kept * (1 + precision) * 1.000001)
        #expect(try #require(search.tooMuch) > capacity)
        // Doubling and halving: as many steps as there are bits.
        #expect(rates.count < 40)
    }

    @Test func `a service that keeps nothing, or everything, ends it too`() {
        let (none, down) = search(capacity: 0, within: 10...100_000)
        #expect(none.kept == nil && none.tooMuch == 10 && down.last == 10)
        let (all, up) = search(capacity: .infinity, within: 10...100_000)
        #expect(all.kept == 100_000 && all.tooMuch == nil && up.last == 100_000)
    }

    /// Beyond its capacity μ a service falls behind: after a time of t at λ a request waits
    /// t × (λ ÷ μ − 1).
    @Test(arguments: [2000.0, 9000])
    func `against a queue it finds the capacity within five percent`(capacity: Double) throws {
        let seconds = 10.0
        let bounds = KneeSearch.Bounds(p99: 250_000_000, errorShare: 0.01)
        var search = KneeSearch(first: 1000, precision: 0.02)
        while let rate = search.rate {
            var figures = LoadFigures()
            let count = 1000
            for index in 0..<count {
                let due = seconds * Double(index) / Double(count)
                let waited = 0.001 + due * max(0, rate / capacity - 1)
                figures.started(at: 0, lateness: 0, isOwn: false)
                figures.answered(
                    200, service: 1_000_000, response: Int64(waited * 1e9), at: 0)
            }
            let step = LoadStep(
                .open(from: rate, to: rate), inFlight: nil, measuredNanoseconds: 10_000_000_000,
                figures: figures, processorNanoseconds: 0, busyShare: 0, connections: 1)
            search.tried(isWithinBounds: bounds.areKept(by: step))
        }
        let kept = try #require(search.kept)
        #expect(abs(kept - capacity) <= 0.05 * capacity, "\(kept)")
    }

    @Test func `errors break a bound, and so does silence`() {
        var step = LoadSample.step()
        #expect(KneeSearch.Bounds(p99: 1_000_000_000, errorShare: 0.5).areKept(by: step))
        #expect(!KneeSearch.Bounds(p99: 1_000_000_000, errorShare: 0.49).areKept(by: step))
        #expect(!KneeSearch.Bounds(p99: 1_000_000, errorShare: 0.5).areKept(by: step))
        step.figures = LoadFigures()
        #expect(!KneeSearch.Bounds(p99: 1_000_000_000, errorShare: 1).areKept(by: step))
    }
}
