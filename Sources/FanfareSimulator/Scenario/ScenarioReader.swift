import FanfareBase
import FanfareCore
import FanfareJSON

/// Takes the members out of one JSON object, and knows in the end which ones were not wanted.
struct ScenarioReader {
    private let place: String
    private var members: [(key: String, value: JSONValue)]

    init(_ value: JSONValue, place: String) throws(SimulatorError) {
        guard case .object(let members) = value else {
            throw SimulatorError(place, "must be an object")
        }
        for (index, member) in members.enumerated()
        where members[..<index].contains(where: { $0.key == member.key }) {
            throw SimulatorError("\(place).\(member.key)", "comes twice")
        }
        self.place = place
        self.members = members
    }

    /// The place of a key, for messages.
    func at(_ key: String) -> String { "\(place).\(key)" }

    mutating func take(_ key: String) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.key == key }) else { return nil }
        return members.remove(at: index).value
    }

    /// Refuses members that are left over.
    func finish() throws(SimulatorError) {
        guard let member = members.first else { return }
        throw SimulatorError(at(member.key), "unknown key")
    }

    mutating func array(_ key: String) throws(SimulatorError) -> [JSONValue] {
        guard case .array(let elements) = take(key) else {
            throw SimulatorError(at(key), "must be an array")
        }
        return elements
    }

    mutating func string(_ key: String) throws(SimulatorError) -> String? {
        switch take(key) {
        case nil: return nil
        case .string(let text): return text
        default: throw SimulatorError(at(key), "must be text")
        }
    }

    mutating func flag(_ key: String) throws(SimulatorError) -> Bool {
        switch take(key) {
        case nil: return false
        case .bool(let flag): return flag
        default: throw SimulatorError(at(key), "must be true or false")
        }
    }

    mutating func count(_ key: String, least: Int64) throws(SimulatorError) -> UInt64? {
        switch take(key) {
        case nil: return nil
        case .integer(let number) where number >= least: return UInt64(number)
        default: throw SimulatorError(at(key), "must be a whole number of at least \(least)")
        }
    }

    /// A number, or a range as an array of two.
    mutating func numbers(
        _ key: String
    ) throws(SimulatorError) -> (from: Double, to: Double, isRange: Bool)? {
        guard let value = take(key) else { return nil }
        if let number = Self.number(value) { return (number, number, false) }
        if case .array(let ends) = value, ends.count == 2,
            let from = Self.number(ends[0]), let to = Self.number(ends[1])
        {
            return (from, to, true)
        }
        throw SimulatorError(at(key), "must be a number or an array of two numbers")
    }

    /// A count from 1, or a range of them that includes both ends.
    mutating func counts(_ key: String) throws(SimulatorError) -> ClosedRange<UInt64>? {
        guard let range = try numbers(key) else { return nil }
        guard range.from >= 1, range.to >= range.from,
            let from = UInt64(exactly: range.from), let to = UInt64(exactly: range.to)
        else {
            throw SimulatorError(at(key), "must be a whole number from 1, or a range of them")
        }
        return from...to
    }

    /// A code of RFC 9113 §7 by name or number.
    mutating func errorCode(_ key: String) throws(SimulatorError) -> UInt32? {
        switch take(key) {
        case nil: return nil
        case .integer(let number):
            if let code = UInt32(exactly: number) { return code }
        case .string(let name):
            if let code = ErrorCodes.names.firstIndex(of: name) { return UInt32(code) }
        default: break
        }
        throw SimulatorError(
            at(key),
            "must be an error code: a number, or one of "
                + ErrorCodes.names.joined(separator: ", "))
    }

    /// `status` with `reason`, `timestamp` and `retryAfter`; nil if there is none.
    mutating func answer(of service: SimulatedService?) throws(SimulatorError) -> ScenarioAnswer? {
        let status = try count("status", least: 200)
        let reason = try string("reason")
        let timestamp = try count("timestamp", least: 0)
        let retryAfter = take("retryAfter")
        guard let status else {
            guard reason == nil, timestamp == nil, retryAfter == nil else {
                throw SimulatorError(
                    place, "reason, timestamp and retryAfter need a status")
            }
            return nil
        }
        guard status <= 599 else { throw SimulatorError(at("status"), "must be 200 to 599") }
        var answer = ScenarioAnswer(
            status: Int(status),
            reason: reason ?? ErrorCodes.usualReason(status: status, of: service),
            timestamp: timestamp)
        let isPrintable = answer.reason.utf8.allSatisfy {
            $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard isPrintable, answer.reason.utf8.count <= Limits.reasonBytesMax else {
            throw SimulatorError(at("reason"), "must be plain text without quotes")
        }
        guard timestamp == nil || !answer.reason.isEmpty else {
            throw SimulatorError(at("timestamp"), "needs a reason")
        }
        guard timestamp == nil || service == nil || service == .apns else {
            throw SimulatorError(at("timestamp"), "is for answers of APNs")
        }
        switch retryAfter {
        case nil: break
        case .integer(let seconds) where seconds >= 0: answer.retryAfter = "\(seconds)"
        case .string(let text) where text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }):
            answer.retryAfter = text
        case .object(let members)?:
            answer.retryDateNanoseconds = try retryDate(.object(members))
        default:
            throw SimulatorError(
                at("retryAfter"), "must be seconds, an HTTP date, or {\"dateIn\": \"2s\"}")
        }
        return answer
    }

    /// The outcome that a row is to have, where a file describes what leads to it.
    mutating func outcome(of service: SimulatedService?) throws(SimulatorError) -> Outcome? {
        guard let word = try string("outcome") else { return nil }
        guard service == .described else {
            throw SimulatorError(at("outcome"), "is for providers that a file describes")
        }
        let known = Outcome.allCases.filter { $0 != .invalid && $0 != .skipped }
        guard let outcome = known.first(where: { $0.name.description == word }) else {
            let words = known.map(\.name.description).joined(separator: ", ")
            throw SimulatorError(at("outcome"), "must be one of \(words)")
        }
        return outcome
    }

    private func retryDate(_ value: JSONValue) throws(SimulatorError) -> Int64 {
        var reader = try ScenarioReader(value, place: at("retryAfter"))
        guard let text = try reader.string("dateIn"),
            let time = try? DurationText.read(text)
        else {
            throw SimulatorError(reader.at("dateIn"), "must be a duration such as \"2s\"")
        }
        try reader.finish()
        return time.wholeNanoseconds
    }

    /// `true`, `"reset"` for an end with a reset of TCP, or `"unread"` for one that leaves bytes unread.
    mutating func closeConnection(_ action: inout Scenario.Action) throws(SimulatorError) {
        switch take("closeConnection") {
        case nil, .bool(false): return
        case .bool(true): break
        case .string("reset"): action.resetsConnection = true
        case .string("unread"): action.leavesUnread = true
        default:
            throw SimulatorError(
                at("closeConnection"), "must be true, false, \"reset\" or \"unread\"")
        }
        action.closesConnection = true
    }

    mutating func rateLimit() throws(SimulatorError) -> Scenario.RateLimit? {
        guard let value = take("rateLimit") else { return nil }
        var rate = value
        var burst = 1.0
        var scope = Scenario.RateLimit.Scope.all
        if case .object = value {
            var reader = try ScenarioReader(value, place: at("rateLimit"))
            rate = reader.take("rate") ?? .null
            burst = Double(try reader.count("burst", least: 1) ?? 1)
            if let per = try reader.string("per") {
                guard let known = Scenario.RateLimit.Scope(rawValue: per) else {
                    throw SimulatorError(
                        reader.at("per"), "must be \"all\", \"connection\" or \"token\"")
                }
                scope = known
            }
            try reader.finish()
        }
        guard case .string(let text) = rate, let rate = try? RateText(text) else {
            throw SimulatorError(at("rateLimit"), "must be a rate such as \"100/s\" or \"90k/m\"")
        }
        return Scenario.RateLimit(
            nanosecondsPerRequest: Double(rate.nanoseconds) / Double(rate.count), burst: burst,
            scope: scope)
    }

    /// `"graceful"` or an object with `error`, `lastStreamID` and `reason`.
    mutating func goAway() throws(SimulatorError) -> Scenario.GoAway? {
        guard let value = take("goaway") else { return nil }
        var goAway = Scenario.GoAway()
        if value == .string("graceful") { return goAway }
        guard case .object = value else {
            throw SimulatorError(at("goaway"), "must be \"graceful\" or an object with an error")
        }
        var reader = try ScenarioReader(value, place: at("goaway"))
        guard let code = try reader.errorCode("error") else {
            throw SimulatorError(at("goaway"), "needs an error")
        }
        goAway.errorCode = code
        switch reader.take("lastStreamID") {
        case nil: break
        case .string("before"): goAway.lastStream = .beforeThis
        case .string("this"): goAway.lastStream = .throughThis
        case .integer(let id) where id >= 0 && id <= Int64(Int32.max):
            goAway.lastStream = .id(Int32(id))
        default:
            throw SimulatorError(
                reader.at("lastStreamID"), "must be a stream id, \"before\" or \"this\"")
        }
        goAway.reason = try reader.string("reason") ?? ""
        try reader.finish()
        return goAway
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number, _): number
        case .null, .bool, .string, .array, .object: nil
        }
    }
}
