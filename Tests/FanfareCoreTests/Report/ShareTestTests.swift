import FanfareCore
import Testing

/// The test of two shares, against other implementations of it.
@Suite struct ShareTestTests {
    /// `prop.test(c(15, 25), c(50, 50), correct = FALSE)` of R has X² = 4.1667 and p = 0.04123: z is 2.041241, the
    /// square root of 25/6.
    @Test func `the chance is that of other implementations`() throws {
        let small = try #require(ShareTest((15, of: 50), (25, of: 50)))
        #expect(abs(small.difference - 0.2) < 1e-12)
        #expect(abs(try #require(small.probability) - 0.041_226_8) < 1e-6)
        #expect(small.isSignificant)
        let even = try #require(ShareTest((500, of: 1000), (500, of: 1000)))
        #expect(even.difference == 0 && even.probability == 1 && !even.isSignificant)
    }

    @Test func `the order of the two turns only the sign`() throws {
        let (one, other) = (
            (count: 120, of: 1000) as (count: UInt64, of: UInt64),
            (count: 150, of: 900) as (count: UInt64, of: UInt64)
        )
        let (there, back) = (
            try #require(ShareTest(one, other)), try #require(ShareTest(other, one))
        )
        #expect(there.difference == -back.difference && there.probability == back.probability)
    }

    @Test func `several comparisons share the risk of an error`() throws {
        let one = try #require(ShareTest((15, of: 50), (25, of: 50))?.probability)
        let three = try #require(ShareTest((15, of: 50), (25, of: 50), comparisons: 3))
        #expect(abs(try #require(three.probability) - 3 * one) < 1e-12 && !three.isSignificant)
        #expect(ShareTest((5, of: 50), (5, of: 50), comparisons: 9)?.probability == 1)
    }

    @Test func `few rows say nothing, and none is no share`() {
        // 4 of 40 expected in each group.
        #expect(ShareTest((4, of: 40), (4, of: 40)).map { $0.probability == nil } == true)
        #expect(ShareTest((40, of: 40), (40, of: 40)).map { $0.probability == nil } == true)
        #expect(ShareTest((0, of: 0), (4, of: 40)) == nil)
    }
}
