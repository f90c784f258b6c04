package import Fanfare
import FanfareBase

extension ValueReader {
    /// `09:00-20:00`, `22:00-06:00`, `0:00-24:00`, and whole hours as `9-20`.
    package static func window(_ text: String) throws(ValueFault) -> HoursOptions {
        guard let (first, second) = text.parts(at: "-") else {
            throw ValueFault("is not two times with a hyphen between them")
        }
        guard let opens = minute(first), opens < 1440, let closes = minute(second) else {
            throw ValueFault("has a time that is not from 00:00 to 24:00")
        }
        guard opens != closes else { throw ValueFault("opens and closes at the same time") }
        return HoursOptions(opensMinute: opens, closesMinute: closes)
    }

    private static func minute(_ text: String) -> Int? {
        let text = text.utf8.contains(UInt8(ascii: ":")) ? text : text + ":00"
        guard let (hour, minute) = text.parts(at: ":"), (1...2).contains(hour.utf8.count),
            minute.utf8.count == 2, (hour + minute).utf8.allSatisfy({ (48...57).contains($0) }),
            let hours = Int(hour), let minutes = Int(minute), minutes < 60
        else { return nil }
        let all = hours * 60 + minutes
        return all <= 1440 ? all : nil
    }
}
