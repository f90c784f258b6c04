/// The origin of an option's value, in descending order of precedence.
package enum OptionOrigin: Sendable, Equatable {
    case commandLine
    case environment
    /// A file, and the profile in it unless it is for all.
    case file(path: String, profile: String?)

    /// Returns an option's name as messages write it.
    func label(_ name: String) -> String {
        switch self {
        case .commandLine: "--\(name)"
        case .environment: Self.variable(name)
        case .file(let path, let profile): "\(Self.place(path, profile)): \"\(name)\""
        }
    }

    /// The environment variable of an option.
    static func variable(_ name: String) -> String {
        "FANFARE_" + name.uppercased().replacing("-", with: "_")
    }

    static func place(_ path: String, _ profile: String?) -> String {
        profile.map { "\(path): profiles.\($0.shownInMessage)" } ?? path
    }
}

/// The setting of one option in one origin.
package enum OptionSetting: Sendable, Equatable {
    case flag(Bool)
    /// One value, or several of an option that may be repeated.
    case values([GivenValue])
    /// As if it were not given, also if a lower layer gives it.
    case none

    /// True if it gives the option a value or sets the flag.
    var isInForce: Bool {
        switch self {
        case .flag(let isOn): isOn
        case .values: true
        case .none: false
        }
    }
}

/// The value of an option, as it was written and as it was read.
package struct GivenValue: Sendable, Equatable {
    let text: String
    let value: any Sendable

    /// Reads a value.
    /// - Throws: `ValueFault`.
    init(_ text: String, _ type: ValueType<any Sendable>) throws(ValueFault) {
        self.text = text
        value = try type.read(text)
    }

    /// The same text is the same value.
    package static func == (left: GivenValue, right: GivenValue) -> Bool {
        left.text == right.text
    }
}

/// The settings of options from one origin.
struct OptionLayer {
    let origin: OptionOrigin
    var settings: [String: OptionSetting] = [:]

    /// True if a condition of the form `name` or `name=value` holds in this layer.
    func meets(_ condition: String) -> Bool {
        let parts = condition.split(separator: "=", maxSplits: 1).map(String.init)
        guard let setting = settings[parts[0]], setting.isInForce else { return false }
        guard parts.count == 2 else { return true }
        guard case .values(let values) = setting else { return false }
        return values.last?.text == parts[1]
    }
}
