/// A writer of moments as `2026-11-21T08:19:00.123Z`, always 24 bytes.
///
/// The lines of a report mostly fall into the same second as the line before, so the part up to the
/// second is kept. Years beyond 9999 and before 0 do not fit the format: such moments become the
/// last and the first one that do.
///
/// RFC 3339 §5.6
package struct TimestampWriter: Sendable {
    /// The bytes of a moment.
    package static let byteCount = 24

    /// The second of `text`, counted from 1970.
    private var second = Int64.min
    /// `2026-11-21T08:19:00.` and room for the rest.
    private var text = InlineArray<24, UInt8>(repeating: 0)

    /// Creates a writer that remembers nothing yet.
    package init() {}

    /// Appends a moment.
    /// - Parameters:
    ///   - milliseconds: Unix time; negative before 1970.
    ///   - buffer: The buffer that gets the text.
    package mutating func append(milliseconds: Int64, to buffer: inout ByteBuffer) {
        let clamped = Self.nearest(milliseconds)
        // Rounded down, also before 1970.
        var second = clamped / 1000
        var rest = clamped % 1000
        if rest < 0 {
            rest += 1000
            second -= 1
        }
        if second != self.second { render(second) }
        let place = unsafe buffer.space(Self.byteCount)
        unsafe withUnsafeBytes(of: &text) { text in
            unsafe UnsafeMutableRawBufferPointer(start: place, count: Self.byteCount)
                .copyMemory(from: text)
        }
        // The kept part ends before the milliseconds.
        buffer.commit(20)
        buffer.append(threeDigits: UInt64(rest))
        buffer.append(UInt8(ascii: "Z"))
    }

    /// Returns the moment itself, or the one nearest to it that fits the format.
    package static func nearest(_ milliseconds: Int64) -> Int64 {
        min(max(milliseconds, first), last)
    }

    /// Returns a moment as a string.
    package static func string(milliseconds: Int64) -> String {
        var writer = TimestampWriter()
        var buffer = ByteBuffer(capacity: byteCount)
        writer.append(milliseconds: milliseconds, to: &buffer)
        return unsafe String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Returns a moment as people read it, to the second: `2026-11-21 08:19:00 UTC`.
    package static func shown(milliseconds: Int64) -> String {
        let text = string(milliseconds: milliseconds)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
    }

    // 0000-01-01T00:00:00.000Z
    private static let first: Int64 = -62_167_219_200_000
    // 9999-12-31T23:59:59.999Z
    private static let last: Int64 = 253_402_300_799_999

    private mutating func render(_ second: Int64) {
        self.second = second
        let day = CivilDay.day(of: second)
        let secondOfDay = second - day * 86_400
        let date = CivilDay.date(ofDay: day)
        put(date.year / 100, at: 0)
        put(date.year % 100, at: 2)
        put(date.month, at: 5)
        put(date.day, at: 8)
        put(secondOfDay / 3600, at: 11)
        put(secondOfDay / 60 % 60, at: 14)
        put(secondOfDay % 60, at: 17)
        text[4] = UInt8(ascii: "-")
        text[7] = UInt8(ascii: "-")
        text[10] = UInt8(ascii: "T")
        text[13] = UInt8(ascii: ":")
        text[16] = UInt8(ascii: ":")
        text[19] = UInt8(ascii: ".")
    }

    private mutating func put(_ value: Int64, at place: Int) {
        text[place] = UInt8(truncatingIfNeeded: 48 + value / 10)
        text[place + 1] = UInt8(truncatingIfNeeded: 48 + value % 10)
    }
}
