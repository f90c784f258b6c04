/// The way in which the readers of a message name settings.
package enum Naming: Sendable {
    /// As members of types, which programs set: `EngineOptions.delivery = .atLeastOnce`.
    case members
    /// As options of a command line, with a value behind them: `--delivery at-least-once`.
    case options(@Sendable (Setting) -> String)

    /// Returns the name of a setting, with a value where one is named.
    func text(_ setting: Setting, _ value: Statement.Value?) -> String {
        switch (self, value) {
        case (.members, .one(_, let member)): "\(setting.rawValue) = \(member)"
        case (.members, .any), (.members, nil): setting.rawValue
        case (.options(let name), .one(let word, _)), (.options(let name), .any(let word)):
            "\(name(setting)) \(word)"
        case (.options(let name), nil): name(setting)
        }
    }
}
