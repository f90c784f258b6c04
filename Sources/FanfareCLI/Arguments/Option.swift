/// An option, declared once: its name, its form, its help, and its value.
///
/// `arguments[Options.timeout]` is the value of one; the tables list them for each command.
package struct Option<Value: Sendable>: AnyOption {
    package private(set) var spec: OptionSpec
    /// Makes the program's value of the setting; nil is no setting.
    let make: @Sendable (OptionSetting?) -> Value

    package init(
        _ name: String, short: Character? = nil, _ value: OptionValue<Value>,
        _ group: OptionGroup, _ summary: String, detail: String? = nil,
        default defaultText: String? = nil, example: String? = nil, endings: [String]? = nil,
        needs: [String] = [], excludes: [String] = [], brief: String? = nil,
        common isCommon: Bool = false, commandLineOnly: String? = nil
    ) {
        make = value.make
        spec = OptionSpec(
            name: name, short: short, arity: value.arity, type: value.type, group: group,
            summary: summary, detail: detail, defaultText: defaultText, example: example,
            endings: endings, needs: needs, excludes: excludes, brief: brief, isCommon: isCommon,
            commandLineOnly: commandLineOnly)
    }

    /// The same option where most people need it.
    var common: Option { with { $0.isCommon = true } }

    /// The same option where its help says something else.
    func with(_ change: (inout OptionSpec) -> Void) -> Option {
        var copy = self
        change(&copy.spec)
        return copy
    }
}

/// An option of any type, for code that only needs its name.
package protocol AnyOption: Sendable {
    var spec: OptionSpec { get }
}

extension AnyOption {
    /// The long name in kebab-case, without the dashes.
    package var name: String { spec.name }
}
