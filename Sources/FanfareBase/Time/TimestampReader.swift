/// A reader of moments as `TimestampWriter` writes them, and in no other form.
///
/// Lines of a report mostly fall on the same day as the line before, so the day is kept.
///
/// RFC 3339 §5.6
package struct TimestampReader: Sendable {
    /// `2026-11-21T`, as eight bytes and the three behind them.
    private var known: (UInt64, UInt64) = (0, 0)
    /// Milliseconds of UNIX time at which that day began.
    private var day: Int64 = 0

    /// Creates a reader that remembers nothing yet.
    package init() {}

    /// Reads a moment.
    /// - Returns: Milliseconds of UNIX time; `nil` if the text is no moment.
    package mutating func milliseconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        let text = unsafe bytes.span
        guard text.count == TimestampWriter.byteCount, let start = bytes.baseAddress,
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            text[19] == UInt8(ascii: "."), text[23] == UInt8(ascii: "Z"),
            let hour = unsafe bytes.decimal(11..<13), hour < 24,
            let minute = unsafe bytes.decimal(14..<16), minute < 60,
            let second = unsafe bytes.decimal(17..<19), second < 60,
            let rest = unsafe bytes.decimal(20..<23)
        else { return nil }
        let raw = unsafe UnsafeRawPointer(start)
        let date = unsafe (
            raw.loadUnaligned(as: UInt64.self),
            raw.loadUnaligned(fromByteOffset: 3, as: UInt64.self)
        )
        if date != known {
            guard let found = unsafe Self.day(bytes) else { return nil }
            day = found * 86_400_000
            known = date
        }
        return day + Int64(((hour * 60 + minute) * 60 + second) * 1000 + rest)
    }

    private static func day(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        let text = unsafe bytes.span
        guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), let year = unsafe bytes.decimal(0..<4),
            let month = unsafe bytes.decimal(5..<7), let day = unsafe bytes.decimal(8..<10)
        else { return nil }
        return CivilDay.checkedDay(year: Int64(year), month: Int64(month), day: Int64(day))
    }
}
