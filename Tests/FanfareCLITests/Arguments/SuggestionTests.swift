import FanfareBase
import FanfareCLI
import Testing

@Suite struct SuggestionTests {
    /// Distances counted by hand, and the textbook pair kitten and sitting.
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("rate", "rate", 0), ("rtae", "rate", 1),
        ("rat", "rate", 1), ("rates", "rate", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func `the distance counts edits and swaps of neighbors`(
        left: String, right: String, expected: Int
    ) {
        #expect(NearWords.distance(from: left, to: right) == expected)
        #expect(NearWords.distance(from: right, to: left) == expected)
    }

    @Test func `only what is near is suggested, and only the nearest`() {
        let names = ["rate", "ramp", "retries", "report"]
        #expect(Suggestion.nearest(to: "rtae", among: names) == ["rate"])
        #expect(Suggestion.nearest(to: "rep", among: names) == ["report"])
        #expect(Suggestion.nearest(to: "ra", among: names) == [])
        #expect(Suggestion.nearest(to: "verbose", among: names) == [])
        #expect(Suggestion.nearest(to: "", among: names) == [])
    }
}
