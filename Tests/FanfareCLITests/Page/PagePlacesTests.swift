import FanfareBase
import FanfareCLI
import Testing

/// The viewer that gives up its place to a new one.
@Suite struct PagePlacesTests {
    private static let now = Instant(nanoseconds: 100_000_000_000)

    private func viewer(
        _ number: UInt64, reads: Bool = true, stillFor seconds: Int64? = nil
    ) -> PagePlaces.Viewer {
        PagePlaces.Viewer(
            number: number, isReader: reads,
            standsStillSince: seconds.map { Self.now.advanced(byNanoseconds: -$0 * 1_000_000_000) })
    }

    @Test func `sixteen that read keep their places`() {
        let viewers = (0..<16).map { viewer($0) }
        #expect(PagePlaces.leaving(viewers, at: Self.now) == nil)
    }

    @Test func `the one that has taken nothing for the longest time goes first`() {
        let viewers = [
            viewer(1, reads: false), viewer(2, stillFor: 4), viewer(3, reads: false, stillFor: 9),
            viewer(0, reads: false, stillFor: 5), viewer(4),
        ]
        #expect(PagePlaces.leaving(viewers, at: Self.now) == 2)
    }

    @Test func `a page that is slow for a moment stays, and the oldest of no page goes`() {
        let viewers = [
            viewer(0, stillFor: 2), viewer(7, reads: false), viewer(3, reads: false, stillFor: 1),
            viewer(5, reads: false),
        ]
        #expect(PagePlaces.leaving(viewers, at: Self.now) == 2)
    }

    /// Those that open connections and read nothing put out each other only.
    @Test func `whoever has read the page is not put out by those that have not`() {
        var viewers = [viewer(0)] + (1..<16).map { viewer($0, reads: false) }
        for number in UInt64(16)..<100 {
            let leaving = PagePlaces.leaving(viewers, at: Self.now)
            #expect(leaving.map { viewers[$0].number } == number - 15)
            if let leaving { viewers.remove(at: leaving) }
            viewers.append(viewer(number, reads: false))
        }
        #expect(viewers.first == viewer(0))
    }
}
