import FanfareBase
import FanfareCore
import Testing

@Suite struct TimestampReaderTests {
    private static func read(_ texts: String...) -> [Int64?] {
        var reader = TimestampReader()
        return texts.map { text in
            var text = text
            return text.withUTF8 { reader.milliseconds($0) }
        }
    }

    /// The values are those of `date --date=… +%s%3N`.
    @Test(arguments: [
        ("1970-01-01T00:00:00.000Z", Int64(0)), ("2026-11-21T09:35:29.999Z", 1_795_253_729_999),
        ("2024-02-29T23:59:59.001Z", 1_709_251_199_001),
        ("2000-03-01T00:00:00.000Z", 951_868_800_000),
        ("1969-12-31T23:59:59.999Z", -1), ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ])
    func `a moment is that of the calendar`(_ text: String, _ milliseconds: Int64) {
        #expect(Self.read(text) == [milliseconds])
    }

    @Test func `what was written is read again, in any order`() {
        var reader = TimestampReader()
        var moment: Int64 = -62_167_219_200_000
        // A prime number of milliseconds, some 37 days.
        while moment < 253_402_300_800_000 {
            for offset in [Int64(0), 86_399_999, 1] where moment + offset < 253_402_300_800_000 {
                var text = TimestampWriter.string(milliseconds: moment + offset)
                #expect(text.withUTF8 { reader.milliseconds($0) } == moment + offset)
            }
            moment += 3_200_000_051
        }
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T09:35:29Z", "2026-11-21T09:35:29.999+",
        "2026-02-30T00:00:00.000Z",
        "2026-13-01T00:00:00.000Z", "2026-00-10T00:00:00.000Z", "2026-01-00T00:00:00.000Z",
        "2026-11-21T24:00:00.000Z", "2026-11-21T09:60:00.000Z", "2026-11-21 09:35:29.999Z",
        "2026-11-21T09:35:29.99xZ", "20x6-11-21T09:35:29.999Z", "2025-02-29T00:00:00.000Z",
    ])
    func `what is no moment is none, and does not disturb the next one`(_ text: String) {
        #expect(
            Self.read("2026-11-21T00:00:00.000Z", text, "2026-11-21T00:00:00.001Z") == [
                1_795_219_200_000, nil, 1_795_219_200_001,
            ])
    }
}
