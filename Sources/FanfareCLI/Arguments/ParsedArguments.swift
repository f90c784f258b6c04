package import FanfareBase
package import FanfareCore
package import FanfareSimulator

/// What a command line said, by the names of the command's options.
///
/// Accessors of one type may only be asked for options of that type: the table decides how a value
/// is read, and a mismatch is a bug of the caller and traps.
package struct ParsedArguments: Sendable, Equatable {
    package let command: CommandSpec
    /// The arguments that are not options, in their order; `-` is standard input.
    package internal(set) var positionals: [String] = []
    /// The values of each option in the order given.
    private var values: [String: [String]] = [:]
    private var flags: [String: Bool] = [:]
    /// Where options come from that the command line left open; also of those that have no value.
    private var origins: [String: OptionOrigin] = [:]

    init(command: CommandSpec) {
        self.command = command
    }

    mutating func set(flag name: String, to isOn: Bool) {
        flags[name] = isOn
    }

    mutating func append(_ text: String, to name: String) {
        values[name, default: []].append(text)
    }

    /// Whether an option was given in any way, a flag that was taken back included.
    package func has(_ name: String) -> Bool {
        _ = spec(name)
        return flags[name] != nil || values[name] != nil
    }

    /// What a flag was last set to; nil if it was not given.
    package func flag(_ name: String) -> Bool? {
        precondition(spec(name).type == nil, "BUG: --\(name) is not a flag")
        return flags[name]
    }

    /// The value of an option as it was written; the last one if there are several.
    package func text(_ name: String) -> String? {
        texts(name).last
    }

    /// The values of an option as they were written.
    package func texts(_ name: String) -> [String] {
        precondition(spec(name).type != nil, "BUG: --\(name) is a flag")
        return values[name] ?? []
    }

    /// The file that an option names to be written; `-` is standard output.
    ///
    /// So is standard output by its path: opened once more, a file that it was led into would be
    /// written over from its beginning.
    package func outputFile(_ name: String) -> String? {
        text(name).map { ["/dev/stdout", "/dev/fd/1"].contains($0) ? "-" : $0 }
    }

    /// The value of a whole number's option.
    package func count(_ name: String) throws(UsageError) -> Int? {
        guard case .count(let bounds) = spec(name).type else { mismatch(name, "a count") }
        return try read(name) { text throws(ValueFault) in
            try ValueReader.count(text, in: bounds)
        }
    }

    /// The value of a number's option.
    package func number(_ name: String) throws(UsageError) -> Double? {
        guard case .number = spec(name).type else { mismatch(name, "a number") }
        return try read(name, ValueReader.number)
    }

    package func duration(_ name: String) throws(UsageError) -> Duration? {
        guard case .duration(let allowsZero) = spec(name).type else {
            mismatch(name, "a duration")
        }
        return try read(name) { text throws(ValueFault) in
            try ValueReader.duration(text, allowsZero: allowsZero)
        }
    }

    package func latency(_ name: String) throws(UsageError) -> LatencyModel? {
        guard case .latency = spec(name).type else { mismatch(name, "a latency") }
        return try read(name, ValueReader.latency)
    }

    /// The value of a size's option.
    /// - Returns: bytes.
    package func size(_ name: String) throws(UsageError) -> Int? {
        guard case .size = spec(name).type else { mismatch(name, "a size") }
        return try read(name, ValueReader.size)
    }

    package func rate(_ name: String) throws(UsageError) -> RateText? {
        guard case .rate = spec(name).type else { mismatch(name, "a rate") }
        return try read(name, ValueReader.rate)
    }

    /// A rate, or the range of one, in requests a second.
    package func rateRange(_ name: String) throws(UsageError) -> RateRangeSetting? {
        guard case .rateRange = spec(name).type else { mismatch(name, "a range of rates") }
        return try read(name, ValueReader.rateRange)
    }

    /// A share between 0 and 1.
    package func percent(_ name: String) throws(UsageError) -> Double? {
        guard case .percent = spec(name).type else { mismatch(name, "a percentage") }
        return try read(name, ValueReader.percent)
    }

    /// The header fields of a repeated option, in the order given.
    package func headerFields(
        _ name: String
    ) throws(UsageError) -> [(name: String, value: String)] {
        guard case .headerField = spec(name).type else { mismatch(name, "a header field") }
        var fields: [(name: String, value: String)] = []
        for text in texts(name) { fields.append(try read(name, text, ValueReader.headerField)) }
        return fields
    }

    /// The byte that separates fields.
    package func delimiter(_ name: String) throws(UsageError) -> UInt8? {
        guard case .delimiter = spec(name).type else { mismatch(name, "a delimiter") }
        return try read(name, ValueReader.delimiter)
    }

    package func listenAddress(_ name: String) throws(UsageError) -> HostPort? {
        guard case .listenAddress = spec(name).type else { mismatch(name, "an address") }
        return try read(name) { text throws(ValueFault) in
            try ValueReader.hostPort(text, allowsPortZero: true)
        }
    }

    package func endpoint(_ name: String) throws(UsageError) -> EndpointSetting? {
        guard case .endpoint = spec(name).type else { mismatch(name, "an endpoint") }
        return try read(name, ValueReader.endpoint)
    }

    package func proxy(_ name: String) throws(UsageError) -> HostPort? {
        guard case .proxy = spec(name).type else { mismatch(name, "a proxy") }
        return try read(name, ValueReader.proxy)
    }

    /// The pairs of a repeated option, in the order given.
    package func pairs(_ name: String) throws(UsageError) -> [(key: String, value: String)] {
        guard case .pair(let allowsEmptyValue) = spec(name).type else { mismatch(name, "a pair") }
        var pairs: [(key: String, value: String)] = []
        for text in texts(name) {
            pairs.append(
                try read(name, text) { text throws(ValueFault) in
                    try ValueReader.pair(text, allowsEmptyValue: allowsEmptyValue)
                })
        }
        return pairs
    }

    package func list(_ name: String) throws(UsageError) -> [String]? {
        guard case .list = spec(name).type else { mismatch(name, "a list") }
        return try read(name, ValueReader.list)
    }

    /// The bounds on outcomes of a repeated option, all together; nil if it was not given.
    ///
    /// `none` stands for no bounds, and alone.
    package func thresholds(_ name: String) throws(UsageError) -> [Threshold]? {
        guard case .thresholds = spec(name).type else { mismatch(name, "a list of bounds") }
        guard has(name) else { return nil }
        var all: [Threshold] = []
        for text in texts(name) {
            let some = try read(name, text, ValueReader.thresholds)
            if some.isEmpty && texts(name).count > 1 {
                throw error(name, "none stands alone")
            }
            all += some
        }
        return all
    }

    package func expiration(_ name: String) throws(UsageError) -> ExpirationSetting? {
        guard case .expiration = spec(name).type else { mismatch(name, "an expiration") }
        return try read(name, ValueReader.expiration)
    }

    package func moment(_ name: String) throws(UsageError) -> MomentSetting? {
        guard case .moment = spec(name).type else { mismatch(name, "a moment") }
        return try read(name, ValueReader.moment)
    }

    package func window(_ name: String) throws(UsageError) -> WindowSetting? {
        guard case .window = spec(name).type else { mismatch(name, "a window") }
        return try read(name, ValueReader.window)
    }

    /// The value of an option with a list of words, as a value of an enumeration of those words.
    package func choice<Choice: RawRepresentable<String>>(
        _ name: String, as _: Choice.Type = Choice.self
    ) throws(UsageError) -> Choice? {
        guard case .choice(let words) = spec(name).type else { mismatch(name, "a choice") }
        let word = try read(name) { text throws(ValueFault) in
            try ValueReader.choice(text, of: words)
        }
        guard let word else { return nil }
        guard let choice = Choice(rawValue: word) else { mismatch(name, "of \(Choice.self)") }
        return choice
    }

    /// An error about one option, for what only the command can know: "does not exist".
    package func error(_ name: String, _ message: String) -> UsageError {
        _ = spec(name)
        return UsageError(command: command.name, "\(origin(of: name).label(name)): \(message)")
    }
}

extension ParsedArguments {
    /// What was said about an option; nil for nothing.
    func setting(_ name: String) -> OptionSetting? {
        flags[name].map { .flag($0) } ?? values[name].map { .values($0) }
    }

    /// Takes over what another origin says.
    mutating func set(_ name: String, to setting: OptionSetting, from origin: OptionOrigin) {
        flags[name] = nil
        values[name] = nil
        origins[name] = origin
        switch setting {
        case .flag(let isOn): flags[name] = isOn
        case .values(let texts): values[name] = texts
        case .none: break
        }
    }

    /// Whether anything was said about an option, and be it that it has no value.
    func isDecided(_ name: String) -> Bool { setting(name) != nil || origins[name] != nil }

    /// Where an option's value comes from.
    func origin(of name: String) -> OptionOrigin { origins[name] ?? .commandLine }
}

extension ParsedArguments {
    private func spec(_ name: String) -> OptionSpec {
        guard let spec = command.option(named: name) else {
            preconditionFailure("BUG: \(command.name) has no option --\(name)")
        }
        return spec
    }

    private func mismatch(_ name: String, _ type: String) -> Never {
        preconditionFailure("BUG: --\(name) of \(command.name) is not \(type)")
    }

    private func read<Result>(
        _ name: String, _ reader: (String) throws(ValueFault) -> Result
    ) throws(UsageError) -> Result? {
        guard let text = text(name) else { return nil }
        return try read(name, text, reader)
    }

    private func read<Result>(
        _ name: String, _ text: String, _ reader: (String) throws(ValueFault) -> Result
    ) throws(UsageError) -> Result {
        do throws(ValueFault) {
            return try reader(text)
        } catch {
            throw .faultyValue(text, of: spec(name), in: command, error)
        }
    }
}

extension UsageError {
    /// Puts the option and a right example around what is wrong with a value.
    static func faultyValue(
        _ text: String, of option: OptionSpec, in command: CommandSpec, _ fault: ValueFault
    ) -> UsageError {
        var message = "--\(option.name): \(fault.shown(text)) \(fault.problem)"
        if let example = fault.example ?? option.example {
            message += "; write for example --\(option.name) \(example.quotedForShell)"
        }
        return UsageError(command: command.name, message)
    }
}
