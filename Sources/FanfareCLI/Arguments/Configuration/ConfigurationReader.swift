import FanfareBase
import FanfareJSON

/// Makes settings of the members of a file's objects.
struct ConfigurationReader {
    let path: String
    let command: CommandSpec
    let commands: [CommandSpec]

    typealias Member = (key: String, value: JSONValue)

    /// The members of an object, each of which comes once.
    func members(of value: JSONValue, _ place: String) throws(UsageError) -> [Member] {
        guard case .object(let members) = value else {
            throw error("\(place) must be an object, such as {\"connections\": 4}")
        }
        for (index, member) in members.enumerated()
        where members[..<index].contains(where: { $0.key == member.key }) {
            throw error("\(place): \"\(member.key.shownInMessage)\" comes twice")
        }
        return members
    }

    func layer(_ members: [Member], profile: String?) throws(UsageError) -> OptionLayer {
        var layer = OptionLayer(origin: .file(path: path, profile: profile))
        for (key, value) in members {
            let place = "\(OptionOrigin.place(path, profile)): \"\(key.shownInMessage)\""
            guard let (option, isNegated) = try option(key, place) else { continue }
            guard layer.settings[option.name] == nil else {
                throw error("\(place) and \"\(option.name)\" are the same option")
            }
            var setting = try setting(of: option, value, place)
            if isNegated, case .flag(let isOn) = setting { setting = .flag(!isOn) }
            layer.settings[option.name] = setting
        }
        return layer
    }

    /// The option that a key stands for; nil when it belongs to another command.
    private func option(
        _ key: String, _ place: String
    ) throws(UsageError) -> (OptionSpec, isNegated: Bool)? {
        let known = command.options + [Options.version.spec]
        if let option = known.first(where: { $0.name == key || $0.negation == key }) {
            if let reason = option.commandLineOnly {
                throw error("\(place) belongs on the command line: \(reason)")
            }
            return (option, option.name != key)
        }
        let others = commands.flatMap(\.options)
        if others.contains(where: { $0.name == key || $0.negation == key }) { return nil }
        if key == "profiles" {
            throw error("\(place) stands only at the top of the file")
        }
        var near = Suggestion.nearest(to: key, among: names(command.options))
        if near.isEmpty { near = Suggestion.nearest(to: key, among: names(others)) }
        let advice =
            Suggestion.question(near.map { "\"\($0)\"" })
            ?? "fanfare \(command.name) --help lists them"
        throw error("\(place) is no option of \(command.name); \(advice)")
    }

    private func names(_ options: [OptionSpec]) -> [String] {
        var names: [String] = []
        for option in options where option.commandLineOnly == nil {
            for name in [option.name] + (option.negation.map { [$0] } ?? [])
            where !names.contains(name) {
                names.append(name)
            }
        }
        return names
    }

    private func setting(
        of option: OptionSpec, _ value: JSONValue, _ place: String
    ) throws(UsageError) -> OptionSetting {
        if value == .null { return .none }
        if case .optional = option.arity, value == .bool(false) { return .none }
        guard let type = option.type else {
            guard case .bool(let isOn) = value else {
                throw error("\(place) must be true or false")
            }
            return .flag(isOn)
        }
        guard let texts = texts(of: option, type.form, value) else {
            throw error("\(place) must be \(Self.expectation(option, type.form))")
        }
        var values: [GivenValue] = []
        for text in texts {
            do throws(ValueFault) {
                // Checked first as the file has it, so that a message shows that text.
                let value = try GivenValue(text, type)
                let whole = resolved(text, type.form)
                values.append(whole == text ? value : try GivenValue(whole, type))
            } catch {
                let example = error.example ?? option.example
                let advice =
                    example.map { "; write for example \(JSONValue.string($0).text)" } ?? ""
                throw self.error("\(place): \(error.shown(text)) \(error.problem)\(advice)")
            }
        }
        return values.isEmpty ? .none : .values(values)
    }

    /// The texts that would stand on a command line; nil for a value of the wrong type.
    private func texts(of option: OptionSpec, _ form: ValueForm, _ value: JSONValue) -> [String]? {
        if case .array(let elements) = value {
            let texts = elements.compactMap { text($0, form) }
            guard texts.count == elements.count else { return nil }
            if option.arity.isList { return texts }
            // A word with a comma would become two.
            guard form == .list, !texts.contains(where: { $0.contains(",") }) else { return nil }
            return [texts.joined(separator: ",")]
        }
        // As on a command line, where it may stand alone.
        if case .optional(let bare) = option.arity, value == .bool(true) { return [bare] }
        return text(value, form).map { [$0] }
    }

    private func text(_ value: JSONValue, _ form: ValueForm) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .number(let number, let text): text ?? "\(number)"
        case .object where form == .jsonObject: value.text
        case .null, .bool, .array, .object: nil
        }
    }

    /// Describes a valid value of the option's type.
    private static func expectation(_ option: OptionSpec, _ form: ValueForm) -> String {
        let example = option.example ?? ""
        let text = JSONValue.string(example).text
        if option.arity == .repeated { return "an array of text, such as [\(text)]" }
        switch form {
        case .count, .number: return "a number, such as \(example)"
        case .jsonObject: return "an object, such as \(example)"
        case .list: return "text, such as \(text), or an array of such words"
        case .text, .file, .textOrFile, .routeFile, .keyedFiles, .sharedFile, .choice:
            return "text, such as \(text)"
        }
    }

    /// A value with a path in it, as seen from where we are.
    private func resolved(_ text: String, _ form: ValueForm) -> String {
        form.replacingPaths(in: text) { resolved($0) } ?? text
    }

    /// A path of the file as seen from where we are: it is relative to the file's folder.
    private func resolved(_ text: String) -> String {
        guard text != "-", text.utf8.first != UInt8(ascii: "/") else { return text }
        return path[..<path.nameIndex] + text
    }

    private func error(_ message: String) -> UsageError {
        UsageError(command: command.name, message)
    }
}
