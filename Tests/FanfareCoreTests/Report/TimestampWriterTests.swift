import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct TimestampWriterTests {
    /// Seconds from `date -u -d … +%s`.
    static let known: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-1000, "1969-12-31T23:59:59.000Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_799_999, "2000-02-29T23:59:59.999Z"),
        (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (1_234_567_890_123, "2009-02-13T23:31:30.123Z"),
        (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
        (.max, "9999-12-31T23:59:59.999Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (.min, "0000-01-01T00:00:00.000Z"),
    ]

    @Test(arguments: known)
    func `a known moment has its date`(milliseconds: Int64, text: String) {
        #expect(TimestampWriter.string(milliseconds: milliseconds) == text)
    }

    @Test func `one writer writes moments in any order`() {
        var writer = TimestampWriter()
        for (milliseconds, text) in Self.known + Self.known.reversed() {
            #expect(appended { writer.append(milliseconds: milliseconds, to: &$0) } == text)
        }
    }
}
