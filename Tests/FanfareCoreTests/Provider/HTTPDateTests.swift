import FanfareBase
import FanfareCore
import Testing

@Suite struct HTTPDateTests {
    private func parse(_ text: String, now: Int64 = 1_700_000_000) -> Int64? {
        var text = text
        return text.withUTF8 { HTTPDate.parse($0, now: now) }
    }

    /// RFC 9110 §5.6.7 has these three, which are the same moment: `date -u -d … +%s`.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ])
    func `the three forms are read`(text: String) {
        #expect(parse(text) == 784_111_777)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ("Sat Nov 21 11:22:33 2026", 1_795_260_153),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ])
    func `dates are counted from 1970`(text: String, seconds: Int64) {
        #expect(parse(text) == seconds)
    }

    @Test func `a year of two digits is less than fifty years ahead`() {
        // Now is 2023: 73 is 2073, and 74 is 1974.
        #expect(parse("Sunday, 01-Jan-73 00:00:00 GMT") == 3_250_454_400)
        #expect(parse("Tuesday, 01-Jan-74 00:00:00 GMT") == 126_230_400)
    }

    @Test(arguments: [
        "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "1994-11-06T08:49:37Z",
    ])
    func `anything else is none`(text: String) {
        #expect(parse(text) == nil)
    }
}
