/// One option of one command: the single source for parsing, help and all that is derived from
/// them.
///
/// Two commands that share a name but not a meaning (`--key` of `send` and of `simulate`) have two
/// specifications.
package struct OptionSpec: Sendable, Equatable {
    /// Whether an option takes a value, and of what type.
    package enum Value: Sendable, Equatable {
        /// A flag that can only be given.
        case flag
        /// A flag that a later `--no-…` takes back; for one that is called `no-…`, the positive
        /// name does so.
        case negatableFlag
        /// A value; the last one given counts.
        case required(placeholder: String, ValueType)
        /// A value, or none, which stands for one of them.
        ///
        /// The word behind the option is taken only if it is one of the right type.
        case optional(placeholder: String, ValueType, bare: String)
        /// A value each time the option is given; all count.
        case repeated(placeholder: String, ValueType)

        /// One of some words, which are also the placeholder.
        static func choice(_ words: String...) -> Value {
            .required(placeholder: words.joined(separator: "|"), .choice(words))
        }
    }

    /// The long name in kebab-case, without the dashes.
    package let name: String
    package let short: Character?
    package let value: Value
    package let group: OptionGroup
    /// One line that fits alone in a list; no full stop at its end.
    package let summary: String
    /// Whole sentences for the reader who wants to know more.
    package let detail: String?
    /// What holds when the option is not given, in words or as a value.
    package private(set) var defaultText: String?
    /// A right value, for messages; nil for flags.
    package let example: String?
    /// The endings that the names of such files have; nil stands for that of the example.
    package let endings: [String]?
    /// What must be given as well: names, or `name=value` for one value of a choice.
    package let needs: [String]
    /// What must not be given as well.
    package let excludes: [String]
    /// Whether most people need it: the short help shows these.
    package private(set) var isCommon: Bool
    /// Why it cannot stand in a file of options; nil if it can.
    package let commandLineOnly: String?

    package init(
        _ name: String, short: Character? = nil, _ value: Value, _ group: OptionGroup,
        _ summary: String, detail: String? = nil, default defaultText: String? = nil,
        example: String? = nil, endings: [String]? = nil, needs: [String] = [],
        excludes: [String] = [], common isCommon: Bool = false,
        commandLineOnly: String? = nil
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.group = group
        self.summary = summary
        self.detail = detail
        self.defaultText = defaultText
        self.example = example
        self.endings = endings
        self.needs = needs
        self.excludes = excludes
        self.isCommon = isCommon
        self.commandLineOnly = commandLineOnly
    }

    /// The same option where most people need it.
    package var common: OptionSpec {
        var copy = self
        copy.isCommon = true
        return copy
    }

    /// The same option where something else holds without it.
    package func with(default text: String) -> OptionSpec {
        var copy = self
        copy.defaultText = text
        return copy
    }

    /// The type of the value; nil for flags.
    package var type: ValueType? {
        switch value {
        case .flag, .negatableFlag: nil
        case .required(_, let type), .repeated(_, let type), .optional(_, let type, _): type
        }
    }

    /// What stands for the value in help; nil for flags.
    package var placeholder: String? {
        switch value {
        case .flag, .negatableFlag: nil
        case .required(let placeholder, _), .repeated(let placeholder, _),
            .optional(let placeholder, _, _):
            placeholder
        }
    }

    /// The name that takes a flag back; nil if nothing does.
    package var negation: String? {
        guard case .negatableFlag = value else { return nil }
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
    case engine = "Engine"
    case comparison = "Comparison"
    case selection = "Lines"
    case output = "Output"
    case general = "General"
}
