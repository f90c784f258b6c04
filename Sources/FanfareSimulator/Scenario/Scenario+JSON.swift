import FanfareBase
import FanfareCore
package import FanfareJSON

extension Scenario {
    /// Reads a scenario file.
    /// - Parameters:
    ///   - bytes: The file's content.
    ///   - file: The name for messages.
    ///   - isDescribed: True if it is for a provider that a file describes, whose tokens may be anything.
    /// - Throws: `SimulatorError` with the place of the fault, such as `rules[2].then.status`.
    ///   Nothing is ignored: unknown keys and combinations without a meaning are faults.
    package init(
        json bytes: UnsafeBufferPointer<UInt8>, file: String = "scenario",
        isDescribed: Bool = false
    ) throws(SimulatorError) {
        let value: JSONValue
        do {
            let mark = unsafe ByteOrderMark.count(in: bytes)
            value = try unsafe JSONValue.parse(
                UnsafeBufferPointer(rebasing: bytes.dropFirst(mark)))
        } catch {
            throw SimulatorError(file, error.description)
        }
        try self.init(value, file: file, isDescribed: isDescribed)
    }

    /// Reads a scenario file.
    /// - Throws: The same.
    package init(
        json bytes: [UInt8], file: String = "scenario", isDescribed: Bool = false
    ) throws(SimulatorError) {
        self = try unsafe bytes.withUnsafeBufferPointer { bytes throws(SimulatorError) in
            try unsafe Scenario(json: bytes, file: file, isDescribed: isDescribed)
        }
    }

    /// Reads a scenario that has been parsed already.
    package init(
        _ value: JSONValue, file: String = "scenario", isDescribed: Bool = false
    ) throws(SimulatorError) {
        var reader = try ScenarioReader(value, place: file)
        for (index, rule) in try reader.array("rules").enumerated() {
            rules.append(
                try Rule(rule, place: "\(file): rules[\(index)]", isDescribed: isDescribed))
        }
        try reader.finish()
        guard rules.count <= Limits.simulatorRules else {
            throw SimulatorError(file, "more than \(Limits.simulatorRules) rules")
        }
    }
}

extension Scenario.Rule {
    fileprivate init(
        _ value: JSONValue, place: String, isDescribed: Bool
    ) throws(SimulatorError) {
        var reader = try ScenarioReader(value, place: place)
        // A name is for the reader of the file; it must be text, and has no other use.
        _ = try reader.string("name")
        if let when = reader.take("when") {
            condition = try Scenario.Condition(
                when, place: "\(place).when", isDescribed: isDescribed)
        }
        guard let then = reader.take("then") else {
            throw SimulatorError(place, "a rule needs \"then\"")
        }
        action = try Scenario.Action(
            then, place: "\(place).then",
            service: isDescribed ? condition.service ?? .described : condition.service,
            limit: &condition.rateLimit)
        try reader.finish()
    }
}

extension Scenario.Condition {
    fileprivate init(
        _ value: JSONValue, place: String, isDescribed: Bool
    ) throws(SimulatorError) {
        var reader = try ScenarioReader(value, place: place)
        try readService(&reader, isDescribed: isDescribed)
        try readTokenPrefix(&reader, isDescribed: isDescribed)
        if let range = try reader.numbers("fraction") {
            guard range.from >= 0, range.to <= 1, range.from <= range.to else {
                throw SimulatorError(
                    reader.at("fraction"), "must be a number or a range within 0 and 1")
            }
            // A single number is the upper end.
            fraction = range.isRange ? range.from..<range.to : 0..<range.to
        }
        everyNth = try reader.count("everyNth", least: 1) ?? 0
        connections = try reader.counts("connection")
        attempts = try reader.counts("attempt")
        if let after = reader.take("after") {
            switch after {
            case .integer(let count) where count >= 0: afterRequests = UInt64(count)
            case .string(let text):
                guard let time = try? DurationText.read(text) else { fallthrough }
                afterNanoseconds = time.wholeNanoseconds
            default:
                throw SimulatorError(
                    reader.at("after"), "must be a number of requests or a duration such as \"2s\"")
            }
        }
        try reader.finish()
        guard service != .oauth || tokenPrefix.isEmpty && fraction == nil else {
            throw SimulatorError(place, "requests for access tokens have no token")
        }
    }

    private mutating func readService(
        _ reader: inout ScenarioReader, isDescribed: Bool
    ) throws(SimulatorError) {
        guard let name = try reader.string("provider") else { return }
        service = SimulatedService(rawValue: name)
        if isDescribed, service != .oauth {
            throw SimulatorError(
                reader.at("provider"),
                "must be \"oauth\", where tokens are given out; other rules are for messages")
        }
        guard service != nil, service != .described else {
            throw SimulatorError(
                reader.at("provider"), "must be \"apns\", \"fcm\" or \"oauth\"")
        }
    }

    private mutating func readTokenPrefix(
        _ reader: inout ScenarioReader, isDescribed: Bool
    ) throws(SimulatorError) {
        guard let prefix = try reader.string("tokenPrefix") else { return }
        tokenPrefix = Array(prefix.lowercased().utf8)
        if isDescribed {
            guard !prefix.isEmpty, tokenPrefix.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw SimulatorError(reader.at("tokenPrefix"), "must be visible ASCII")
            }
        } else if service == .fcm {
            let isToken = tokenPrefix.allSatisfy { $0.isBase64URL || $0 == UInt8(ascii: ":") }
            guard !prefix.isEmpty, isToken else {
                throw SimulatorError(
                    reader.at("tokenPrefix"), "must be letters, digits, '-', '_' and ':'")
            }
        } else {
            guard !prefix.isEmpty, tokenPrefix.allSatisfy(\.isHexDigit) else {
                throw SimulatorError(reader.at("tokenPrefix"), "must be hex characters")
            }
        }
    }
}

extension Scenario.Action {
    // `limit` is where a `rateLimit` goes, which is written as an action and works as a condition.
    fileprivate init(
        _ value: JSONValue, place: String, service: SimulatedService?,
        limit: inout Scenario.RateLimit?
    ) throws(SimulatorError) {
        var reader = try ScenarioReader(value, place: place)
        limit = try reader.rateLimit()
        var answer = try reader.answer(of: service)
        let outcome = try reader.outcome(of: service)
        if limit != nil && answer == nil && outcome == nil {
            answer = ScenarioAnswer(
                status: 429, reason: ErrorCodes.usualReason(status: 429, of: service))
        }
        let reset = try reader.errorCode("resetStream")
        let stall = try reader.string("stall")
        try reader.closeConnection(&self)
        stopsReading = try reader.flag("stopReading")
        goAway = try reader.goAway()
        if let text = try reader.string("latency") {
            latency = try LatencyModel(text, place: reader.at("latency"))
        }
        if let limit = try reader.count("maxConcurrentStreams", least: 0) {
            guard let limit = UInt32(exactly: limit) else {
                throw SimulatorError(reader.at("maxConcurrentStreams"), "is too large")
            }
            maxConcurrentStreams = limit
        }
        try reader.finish()

        switch stall {
        case nil, "stream": break
        case "connection": stallsConnection = true
        default:
            throw SimulatorError(reader.at("stall"), "must be \"stream\" or \"connection\"")
        }
        let fates = [answer != nil, outcome != nil, reset != nil, stall != nil].count { $0 }
        guard fates <= 1 else {
            throw SimulatorError(
                place,
                service == .described
                    ? "only one of status, outcome, resetStream and stall"
                    : "only one of status, resetStream and stall")
        }
        guard !stopsReading || !stallsConnection && !closesConnection else {
            throw SimulatorError(
                place, "stopReading has no meaning with a connection that stalls or closes")
        }
        guard !resetsConnection || answer == nil else {
            throw SimulatorError(place, "a reset can overtake the answer; close with true")
        }
        if let answer {
            stream = .answer(answer)
        } else if let outcome {
            stream = .outcome(outcome)
        } else if let reset {
            stream = .reset(errorCode: reset)
        } else if stall != nil || closesConnection || goAway?.errorCode != nil {
            // The connection ends before an answer: only a written status is sent first.
            stream = .stall
        }
        guard self != Scenario.Action() else {
            throw SimulatorError(place, "the rule does nothing; use \"status\": 200 to accept")
        }
    }
}
