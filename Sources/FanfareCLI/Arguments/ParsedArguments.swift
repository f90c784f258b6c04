/// The options and arguments of a parsed command line.
///
/// The value of an option is `arguments[Options.timeout]`, of the type in the option's declaration.
package struct ParsedArguments: Sendable, Equatable {
    package let command: CommandSpec
    /// The arguments that are not options, in their order; `-` is standard input.
    package internal(set) var positionals: [String] = []
    /// The variables of the environment that look like those of options, and are none.
    package internal(set) var unknownVariables: [String] = []
    /// The settings of options, by their names.
    private var settings: [String: OptionSetting] = [:]
    /// The origins of options that the command line left open, including options without a value.
    private var origins: [String: OptionOrigin] = [:]

    init(command: CommandSpec) {
        self.command = command
    }

    /// The value of an option of the command.
    package subscript<Value>(option: Option<Value>) -> Value {
        precondition(offers(option), "BUG: \(command.name) has no option --\(option.name)")
        return self[ifOffered: option]
    }

    /// The value of an option that not every command has which asks for it; without it, it is not given.
    package subscript<Value>(ifOffered option: Option<Value>) -> Value {
        option.make(offers(option) ? settings[option.name] : nil)
    }

    /// True if the command has an option.
    package func offers(_ option: some AnyOption) -> Bool {
        command.option(named: option.name) != nil
    }

    /// True if an option was given in any way, also if it was a flag that was taken back.
    package func has(_ option: some AnyOption) -> Bool { settings[option.name] != nil }

    /// The value of an option as it was written; the last one if there are several.
    package func text(_ option: some AnyOption) -> String? { texts(option).last }

    /// The values of an option as they were written.
    package func texts(_ option: some AnyOption) -> [String] {
        guard case .values(let values) = settings[option.name] else { return [] }
        return values.map(\.text)
    }

    /// Returns an error about one option, for facts that only the command can know: "does not
    /// exist".
    package func error(_ option: some AnyOption, _ message: String) -> UsageError {
        UsageError(
            command: command.name, "\(origin(of: option).label(option.name)): \(message)")
    }

    /// An error about the command line as a whole.
    package func error(_ message: String) -> UsageError {
        UsageError(command: command.name, message)
    }

    /// An error about one option, as a command throws it.
    func fault(_ option: some AnyOption, _ message: String) -> CommandError {
        .usage(error(option, message))
    }

    /// An error about the command line as a whole, as a command throws it.
    func fault(_ message: String) -> CommandError { .usage(error(message)) }
}

extension ParsedArguments {
    mutating func set(flag option: OptionSpec, to isOn: Bool) {
        settings[option.name] = .flag(isOn)
    }

    mutating func append(_ value: GivenValue, to option: OptionSpec) {
        if case .values(let values) = settings[option.name] {
            settings[option.name] = .values(values + [value])
        } else {
            settings[option.name] = .values([value])
        }
    }

    /// Returns the setting of an option; nil if it has none.
    func setting(_ option: OptionSpec) -> OptionSetting? { settings[option.name] }

    /// Takes over the settings of another origin.
    mutating func set(
        _ option: OptionSpec, to setting: OptionSetting, from origin: OptionOrigin
    ) {
        settings[option.name] = setting == .none ? nil : setting
        origins[option.name] = origin
    }

    /// True if any source mentions an option, even if only to say that it has no value.
    func isDecided(_ option: OptionSpec) -> Bool { has(option) || origins[option.name] != nil }

    /// Returns the origin of an option's value.
    func origin(of option: some AnyOption) -> OptionOrigin {
        origins[option.name] ?? .commandLine
    }
}

extension UsageError {
    /// Returns the error about a faulty value, with the option's name and a right example.
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
