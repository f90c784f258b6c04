import FanfareCore
import Testing

@Suite struct RetryAfterTests {
    private func parse(_ text: String) -> Duration? {
        var text = text
        return text.withUTF8 { RetryAfter.parse($0, now: 784_111_777) }
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
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
        ("Sun Nov  6 08:49:38 1994", 1), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        // A past date means now, and more than a day is not believed at once.
        ("Sat, 05 Nov 1994 08:49:37 GMT", 0), ("Mon, 06 Nov 2000 08:49:37 GMT", 86_400),
    ])
    func `a date is the time until then`(text: String, seconds: Int) {
        #expect(parse(text) == .seconds(seconds))
    }

    @Test(arguments: [
        "", " 1", "1 ", "-1", "+1", "1.5", "1s", "ten", "1000000000",
        "Fri, 31 Dec 1999 23:59:59",
    ])
    func `anything else is as if it were not there`(text: String) {
        #expect(parse(text) == nil)
    }
}
