/// The way an option takes its value, and the Swift value that the program gets.
package struct OptionValue<Value: Sendable>: Sendable {
    let arity: OptionArity
    /// The type of the text behind the option; nil for flags.
    let type: ValueType<any Sendable>?
    /// Makes the program's value of the setting; nil is no setting.
    let make: @Sendable (OptionSetting?) -> Value
}

/// The number of values that an option takes.
package enum OptionArity: Sendable, Equatable {
    /// A flag that can only be given.
    case flag
    /// A flag that a later `--no-…` takes back; for one that is called `no-…`, the positive
    /// name does so.
    case negatableFlag
    /// A value; the last one given counts.
    case required
    /// A value, or none, which stands for one of them.
    ///
    /// The word behind the option is taken only if it is one of the right type.
    case optional(bare: String)
    /// A value each time the option is given; all count.
    case repeated
    /// A value for all routes, or behind the name of a provider for one of them; the last for each counts.
    case byRoute

    /// True if more than one value counts.
    var isList: Bool { self == .repeated || self == .byRoute }
}

extension OptionValue where Value == Bool {
    /// A flag that can only be given.
    package static var flag: OptionValue { flag(.flag, or: false) }

    /// A flag that can be taken back.
    package static var negatableFlag: OptionValue { negatableFlag(or: false) }

    static func negatableFlag(or value: Bool) -> OptionValue { flag(.negatableFlag, or: value) }

    private static func flag(_ arity: OptionArity, or value: Bool) -> OptionValue {
        OptionValue(arity: arity, type: nil) { setting in
            if case .flag(let isOn) = setting { isOn } else { value }
        }
    }
}

extension OptionValue {
    /// A value, or nil where the option is not given.
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - bare: The value that the option has without one; nil if it needs one.
    /// - Returns: The option's value.
    package static func value<Wrapped>(
        _ type: ValueType<Wrapped>, bare: String? = nil
    ) -> OptionValue where Value == Wrapped? {
        OptionValue(arity: bare.map { .optional(bare: $0) } ?? .required, type: type.erased) {
            elements($0, as: Wrapped.self).last
        }
    }

    /// The same, with a type that no other option has.
    static func value<Wrapped>(
        _ placeholder: String, form: ValueForm = .text,
        _ read: @escaping @Sendable (String) throws(ValueFault) -> Wrapped
    ) -> OptionValue where Value == Wrapped? {
        value(ValueType(placeholder, form: form, read))
    }

    /// A value that holds another one where the option is not given.
    static func value(_ type: ValueType<Value>, or value: Value) -> OptionValue {
        OptionValue(arity: .required, type: type.erased) {
            elements($0, as: Value.self).last ?? value
        }
    }

    /// All values, in the order given.
    static func values<Element>(
        _ type: ValueType<Element>
    ) -> OptionValue where Value == [Element] {
        OptionValue(arity: .repeated, type: type.erased) {
            elements($0, as: Element.self)
        }
    }

    /// The same, with a type that no other option has.
    static func values<Element>(
        _ placeholder: String, form: ValueForm = .text,
        _ read: @escaping @Sendable (String) throws(ValueFault) -> Element
    ) -> OptionValue where Value == [Element] {
        values(ValueType(placeholder, form: form, read))
    }

    private static func elements<Element>(
        _ setting: OptionSetting?, as _: Element.Type
    ) -> [Element] {
        guard case .values(let values) = setting else { return [] }
        return values.map { value in
            guard let element = value.value as? Element else {
                preconditionFailure("BUG: the option was read as one of another type")
            }
            return element
        }
    }
}
