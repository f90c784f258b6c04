import FanfareCore
import Testing

/// All by arithmetic.
@Suite struct RouteRatesTests {
    @Test func `without a rate of the job each provider has its own`() {
        let rates = RouteRates(whole: nil, routes: [10, nil, 3])
        #expect(rates.areKnown)
        #expect(rates.speeds([5, 5, 0]) == [10, .infinity, 0])
        #expect(!RouteRates(whole: nil, routes: [nil, nil]).areKnown)
    }

    @Test func `the rate of the job is shared by the rows that are left`() {
        let rates = RouteRates(whole: 12, routes: [nil, nil, nil])
        #expect(rates.speeds([30, 10, 20]) == [6, 2, 4])
        #expect(rates.speeds([30, 0, 0]) == [12, 0, 0])
        #expect(rates.speeds([0, 0, 0]) == [0, 0, 0])
    }

    @Test func `a provider that cannot use its share leaves it to the others`() {
        // The first one's half of 12 is more than its own rate; the other two share the 10 that are left.
        let rates = RouteRates(whole: 12, routes: [2, nil, nil])
        #expect(rates.speeds([30, 15, 15]) == [2, 5, 5])
        // All are slower than the job.
        #expect(RouteRates(whole: 100, routes: [2, 3]).speeds([1, 1]) == [2, 3])
    }
}
