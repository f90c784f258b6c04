import Testing

@testable import Fanfare

@Suite struct RetryAfterTests {
    private func parse(_ text: String) -> Duration? {
        var text = text
        return text.withUTF8 { RetryAfter.parse($0) }
    }

    @Test(arguments: [
        ("0", 0), ("1", 1), ("007", 7), ("120", 120), ("86400", 86_400),
        // More than a day is not believed at once.
        ("86401", 86_400), ("999999999", 86_400),
    ])
    func `a number of seconds is read`(text: String, seconds: Int) {
        #expect(parse(text) == .seconds(seconds))
    }

    @Test(arguments: [
        "", " 1", "1 ", "-1", "+1", "1.5", "1s", "ten", "1000000000",
        "Fri, 31 Dec 1999 23:59:59 GMT",
    ])
    func `anything else is as if it were not there`(text: String) {
        #expect(parse(text) == nil)
    }
}
