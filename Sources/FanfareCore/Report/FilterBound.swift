import FanfareBase

/// A bound on the numbers or the times of a column: `>=18`, `<2026-01-01`.
struct FilterBound: Equatable, Sendable {
    /// The side of the bound that is wanted.
    enum Relation: Equatable, Sendable {
        case below, atMost, above, atLeast
    }

    /// A value that can be ordered.
    private enum Quantity: Equatable {
        case number(Double)
        /// Milliseconds of UNIX time.
        case moment(Int64)
    }

    private let relation: Relation
    private let quantity: Quantity

    /// Reads the bound behind the sign.
    /// - Returns: `nil` for what is neither a number nor a time.
    init?(_ relation: Relation, _ text: [UInt8]) {
        let quantity = unsafe text.withUnsafeBufferPointer { unsafe Self.quantity($0) }
        guard let quantity else { return nil }
        self.relation = relation
        self.quantity = quantity
    }

    /// Looks whether a value is on the wanted side; text that is no number, or no time, is on neither.
    func matches(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        switch quantity {
        case .number(let bound): unsafe Self.number(value).map { holds($0, bound) } ?? false
        case .moment(let bound): unsafe Self.moment(value.span).map { holds($0, bound) } ?? false
        }
    }

    private func holds<Value: Comparable>(_ value: Value, _ bound: Value) -> Bool {
        switch relation {
        case .below: value < bound
        case .atMost: value <= bound
        case .above: value > bound
        case .atLeast: value >= bound
        }
    }

    // MARK: Values

    private static func quantity(_ text: UnsafeBufferPointer<UInt8>) -> Quantity? {
        if let number = unsafe number(text) { return .number(number) }
        return unsafe moment(text.span).map { .moment($0) }
    }

    /// A decimal number; hexadecimal ones, infinities and the like are none.
    private static func number(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        let isPlain = unsafe text.allSatisfy {
            (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0)
        }
        guard isPlain, (1...numberBytesMax).contains(text.count) else { return nil }
        return unsafe Double(String(decoding: text, as: UTF8.self))
    }

    /// More digits than a number of 64 bits tells apart.
    private static let numberBytesMax = 40

    /// A date, or a date and a time: `2026-01-31`, `2026-01-31T09:30Z`, `2026-01-31 09:30:00.250+01:00`.
    ///
    /// Without a distance from UTC it is in UTC.
    ///
    /// RFC 3339 §5.6
    private static func moment(_ text: Span<UInt8>) -> Int64? {
        guard text.count >= 10, text[4] == dash, text[7] == dash,
            let year = text.decimal(0..<4), let month = text.decimal(5..<7),
            let day = text.decimal(8..<10),
            let date = CivilDay.checkedDay(year: Int64(year), month: Int64(month), day: Int64(day))
        else { return nil }
        if text.count == 10 { return date * 86_400_000 }
        guard "Tt ".utf8.contains(text[10]) else { return nil }
        return time(text).map { date * 86_400_000 + $0 }
    }

    /// The milliseconds of the day behind a date, as UTC has them.
    private static func time(_ text: Span<UInt8>) -> Int64? {
        guard text.count >= 16, text[13] == colon, let hour = text.decimal(11..<13),
            hour < 24, let minute = text.decimal(14..<16), minute < 60
        else { return nil }
        var milliseconds = Int64(hour * 60 + minute) * 60_000
        var place = 16
        if text.count >= 19, text[16] == colon {
            guard let second = text.decimal(17..<19), second <= 60 else { return nil }
            milliseconds += Int64(second) * 1000
            place = 19
            if text.count > 20, text[19] == UInt8(ascii: ".") {
                place = 20
                var unit: Int64 = 100
                while place < text.count, let digit = text.decimal(place..<place + 1) {
                    milliseconds += Int64(digit) * unit
                    unit /= 10
                    place += 1
                }
                guard place > 20 else { return nil }
            }
        }
        return offset(text, from: place).map { milliseconds - $0 }
    }

    /// The distance from UTC at the end of a time, in milliseconds.
    private static func offset(_ text: Span<UInt8>, from place: Int) -> Int64? {
        let count = text.count - place
        if count == 0 { return 0 }
        let sign = text[place]
        if count == 1 { return "Zz".utf8.contains(sign) ? 0 : nil }
        guard count == 6, "+-".utf8.contains(sign), text[place + 3] == colon,
            let hour = text.decimal(place + 1..<place + 3), hour < 24,
            let minute = text.decimal(place + 4..<place + 6), minute < 60
        else { return nil }
        return Int64(hour * 60 + minute) * (sign == dash ? -60_000 : 60_000)
    }

    private static let dash = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")
}
