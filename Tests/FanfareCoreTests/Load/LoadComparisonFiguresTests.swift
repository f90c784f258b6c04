import FanfareCore
import Testing

@Suite struct LoadComparisonFiguresTests {
    private func step(answers: Int, processorNanoseconds: Int64 = 0) -> LoadStep {
        var figures = LoadFigures()
        for index in 0..<answers {
            figures.started(at: 0, lateness: 0, isOwn: false)
            figures.answered(
                200, service: 1_000_000, response: index < 80 ? 4_000_000 : 9_000_000, at: 0)
        }
        figures.answeredInTime = UInt64(answers)
        return LoadStep(
            .open(from: 10, to: 10), inFlight: nil, measuredNanoseconds: 2_000_000_000,
            figures: figures, processorNanoseconds: processorNanoseconds, busyShare: 0,
            connections: 1)
    }

    @Test func `a step's figures are in answers a second, milliseconds and microseconds`() throws {
        let figures = LoadComparison.Figures(
            step(answers: 100, processorNanoseconds: 2_500_000))
        #expect(figures.throughput == 50)
        // A histogram's value is at most 0.4 % away.
        #expect(abs(try #require(figures.median) - 4) < 0.016)
        #expect(abs(try #require(figures.tail) - 9) < 0.036)
        #expect(figures.processor == 25)
        #expect(figures.errors == 0)
    }

    @Test func `a step without answers has no latencies`() {
        let figures = LoadComparison.Figures(step(answers: 0))
        #expect(figures.throughput == 0)
        #expect(figures.median == nil && figures.tail == nil && figures.processor == nil)
    }
}
