/// An option, as parsing, help and everything else made from the tables see it.
///
/// Two commands that share a name but not its meaning (`--key` of `send` and of `simulate`) have
/// two declarations.
package struct OptionSpec: AnyOption, Equatable {
    /// The long name in kebab-case, without the dashes.
    package let name: String
    package let short: Character?
    package let arity: OptionArity
    /// The type of the value; nil for flags.
    package let type: ValueType<any Sendable>?
    package internal(set) var group: OptionGroup
    /// One line that fits alone in a list; no full stop at its end.
    package internal(set) var summary: String
    /// Whole sentences for the reader who wants to know more.
    package internal(set) var detail: String?
    /// The default when the option is not given, in words or as a value.
    package internal(set) var defaultText: String?
    /// A right value, for messages; nil for flags.
    package internal(set) var example: String?
    /// The endings that the names of such files have; nil stands for that of the example.
    package let endings: [String]?
    /// The options that it needs: names, or `name=value` for one value of a choice.
    package internal(set) var needs: [String]
    /// The options that cannot be given with it.
    package internal(set) var excludes: [String]
    /// The words of the short help, where the summary is too long for its line.
    package internal(set) var brief: String?
    /// True if most people need it: the short help lists it.
    package internal(set) var isCommon: Bool
    /// The reason why a file of options cannot contain it; nil if a file can.
    package let commandLineOnly: String?

    package var spec: OptionSpec { self }

    /// The line of the short help.
    package var line: String { brief ?? summary }

    /// The form of its value, for code that does not read the value; nil for flags.
    var form: ValueForm? { type?.form }

    /// The placeholder of its value in help; nil for flags.
    package var placeholder: String? { type?.placeholder }

    /// The name that takes a flag back; nil if nothing does.
    package var negation: String? {
        guard arity == .negatableFlag else { return nil }
        return name.hasPrefix("no-") ? String(name.dropFirst(3)) : "no-\(name)"
    }
}

/// The headings that options stand under in help, in the order of their cases.
package enum OptionGroup: String, CaseIterable, Sendable {
    case rows = "Rows"
    case payload = "Payload"
    case headers = "Notification headers"
    case provider = "Provider"
    case generated = "Generated rows"
    case load = "Load"
    case request = "Request, for services other than APNs"
    case server = "Server"
    case checks = "What the server checks"
    case answers = "How the server answers"
    case pace = "Pace"
    case hours = "Hours"
    case safety = "Safety"
    case engine = "Connections and attempts"
    case comparison = "Comparison"
    case selection = "Lines"
    case report = "Report"
    case output = "Output"
    case watching = "Watching"
    case cluster = "Several machines"
    case ending = "When it is over"
    case general = "General"
}
