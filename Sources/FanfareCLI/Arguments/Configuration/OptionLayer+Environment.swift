extension OptionLayer {
    /// Reads a command's options from the environment: `FANFARE_STOP_IF` for `--stop-if`.
    ///
    /// An empty variable counts as absent. Several values stand on lines of their own.
    init(environmentOf command: CommandSpec, _ surroundings: Surroundings) throws(UsageError) {
        self.init(origin: .environment)
        for option in command.options where option.isFromEnvironment {
            let variable = OptionOrigin.variable(option.name)
            var setting = try Self.setting(of: option, variable, surroundings, command)
            if let negation = option.negation {
                let opposite = OptionOrigin.variable(negation)
                if case .flag(let isOn) = try Self.setting(
                    of: option, opposite, surroundings, command)
                {
                    guard setting == nil else {
                        throw UsageError(
                            command: command.name,
                            "\(variable) and \(opposite) exclude each other; set one of them")
                    }
                    setting = .flag(!isOn)
                }
            }
            settings[option.name] = setting
        }
    }

    private static func setting(
        of option: OptionSpec, _ variable: String, _ surroundings: Surroundings,
        _ command: CommandSpec
    ) throws(UsageError) -> OptionSetting? {
        guard let text = surroundings.variable(variable), !text.isEmpty else { return nil }
        guard let type = option.type else {
            switch text {
            case "true", "1": return .flag(true)
            case "false", "0": return .flag(false)
            default:
                throw UsageError(
                    command: command.name,
                    "\(variable): \(text.quotedForMessage) is neither true nor false")
            }
        }
        var texts = option.arity.isList ? text.split(separator: "\n").map(String.init) : [text]
        if case .optional(let bare) = option.arity {
            if text == "false" { return OptionSetting.none }
            if text == "true" { texts = [bare] }
        }
        var values: [GivenValue] = []
        for text in texts {
            do throws(ValueFault) {
                values.append(try GivenValue(text, type))
            } catch {
                let example = error.example ?? option.example
                let advice = example.map { "; write for example \($0.quotedForShell)" } ?? ""
                throw UsageError(
                    command: command.name,
                    "\(variable): \(error.shown(text)) \(error.problem)\(advice)")
            }
        }
        return values.isEmpty ? nil : .values(values)
    }
}

extension OptionSpec {
    /// True if the environment may set the option.
    ///
    /// It may not set those that only make sense on a command line, except a file and its profile.
    var isFromEnvironment: Bool {
        commandLineOnly == nil || name == Options.config.name || name == Options.profile.name
    }
}
