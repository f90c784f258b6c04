import FanfareBase
import FanfareCore

/// A date in HTTP's preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// RFC 9110 §5.6.7
enum HTTPDateText {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Writes a date.
    /// - Parameter seconds: UNIX time, from 1970 on.
    /// - Returns: 29 bytes.
    static func bytes(seconds: Int64) -> [UInt8] {
        // `1994-11-06T08:49:37.000Z`
        let text = Array(TimestampWriter.string(milliseconds: seconds * 1000).utf8)
        func part(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
        let month = months[(Int(part(5..<7)) ?? 1) - 1]
        let weekday = weekdays[Int(CivilDay.weekday(ofDay: seconds / 86_400))]
        return Array(
            "\(weekday), \(part(8..<10)) \(month) \(part(0..<4)) \(part(11..<19)) GMT".utf8)
    }
}
