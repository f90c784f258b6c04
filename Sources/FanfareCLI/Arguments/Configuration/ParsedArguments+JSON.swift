import FanfareJSON

extension ParsedArguments {
    /// Returns the options in force, as a file for `--config`.
    ///
    /// Options that are missing there have their defaults. Paths are absolute, so that the file may
    /// stand anywhere. Header fields, which may be secrets, are left out unless they are in a file
    /// of their own.
    /// - Parameter folder: The folder that relative paths start from, with a slash at its end.
    /// - Returns: A whole file, with a line end.
    package func configurationJSON(folder: String) -> String {
        JSONValue.lines(
            command.options.compactMap { option in
                guard option.commandLineOnly == nil, let setting = setting(option),
                    let value = Self.value(setting, of: option, folder: folder)
                else { return nil }
                return (option.name, value)
            })
    }

    private static func value(
        _ setting: OptionSetting, of option: OptionSpec, folder: String
    ) -> JSONValue? {
        switch setting {
        case .none: return nil
        case .flag(let isOn): return .bool(isOn)
        case .values(let given):
            let values = given.map(\.text).compactMap { text -> JSONValue? in
                let resolved = option.form?.replacingPaths(in: text) { path in
                    path == "-" ? path : whole(path, folder)
                }
                if let resolved { return .string(resolved) }
                return switch option.form {
                case .textOrFile: nil
                case .count: Int64(text).map { .integer($0) } ?? .string(text)
                default: .string(text)
                }
            }
            if option.arity == .byRoute, values.count > 1 { return .array(values) }
            if option.arity == .repeated { return values.isEmpty ? nil : .array(values) }
            return values.last
        }
    }

    private static func whole(_ path: String, _ folder: String) -> String {
        path.hasPrefix("/") ? path : folder + path
    }
}
