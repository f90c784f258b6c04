import FanfareBase
package import FanfareCore
package import FanfareTLS

/// The values that a job has for the settings of a description.
package struct ProviderSettings: DeclaredSettings, Sendable {
    private enum Value: Sendable {
        case text([UInt8])
        case secret(Secret)
        /// One that is not known, or is not to be shown.
        case hidden
        /// One that was not given, and that rows do without.
        case absent
    }

    /// The text in the place of a secret that people would see.
    package static let mask = "•••"

    private var values: [Value]

    /// Checks the given values against the settings of a description.
    /// - Parameters:
    ///   - provider: The description.
    ///   - given: Values by their names, which are no secrets.
    ///   - secrets: Secrets by their names; missing ones are masked.
    /// - Throws: `Fault` about a value that is unknown or missing.
    package init(
        _ provider: DeclaredProvider, given: [(name: String, value: String)],
        secrets: [(name: String, value: Secret)]
    ) throws(Fault) {
        for (name, _) in given { try Self.check(name, isSecret: false, provider) }
        for (name, _) in secrets { try Self.check(name, isSecret: true, provider) }
        values = []
        for (index, setting) in provider.settings.enumerated() {
            if setting.isSecret {
                let secret = secrets.last { $0.name == setting.name }?.value
                let isOptional = provider.isOptional(setting: index)
                if let rule = setting.rule,
                    let problem = unsafe secret?.withBytes({ unsafe rule.problem($0) })
                {
                    throw .refused(setting.name, of: provider.name, problem: problem)
                }
                if let secret { try Self.check(secret, index, provider) }
                values.append(secret.map { .secret($0) } ?? (isOptional ? .absent : .hidden))
            } else if let value = given.last(where: { $0.name == setting.name })?.value
                ?? setting.usual
            {
                if let problem = setting.rule?.problem(value) {
                    throw .refused(setting.name, of: provider.name, problem: problem)
                }
                values.append(.text(Array(value.utf8)))
            } else {
                throw .missing(setting.name, of: provider.name)
            }
        }
    }

    private static func check(
        _ name: String, isSecret: Bool, _ provider: DeclaredProvider
    ) throws(Fault) {
        guard let setting = provider.settings.first(where: { $0.name == name }) else {
            let names = provider.settings.filter { $0.isSecret == isSecret }.map(\.name)
            throw .unknown(name, isSecret: isSecret, of: provider.name, known: names)
        }
        guard setting.isSecret == isSecret else {
            throw setting.isSecret
                ? .secret(name, of: provider.name) : .noSecret(name, of: provider.name)
        }
    }

    /// Refuses a secret that cannot stand where the description has it.
    private static func check(
        _ secret: Secret, _ setting: Int, _ provider: DeclaredProvider
    ) throws(Fault) {
        let name = provider.settings[setting].name
        let places = provider.places(ofSetting: setting)
        let problem: String? = unsafe secret.withBytes { bytes in
            if bytes.isEmpty { return places.needsValue ? "is empty" : nil }
            guard let field = places.field else { return nil }
            let isControl = { (byte: UInt8) in (byte < 0x20 && byte != 0x09) || byte == 0x7F }
            if unsafe bytes.contains(where: isControl) {
                return "has a line break or another control character in it, and stands in the "
                    + "header field \(field)"
            }
            let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
            let ends = unsafe [bytes[0], bytes[bytes.count - 1]]
            return places.beginsField && isBlank(ends[0]) || places.endsField && isBlank(ends[1])
                ? "begins or ends with a blank, and so would the header field \(field)" : nil
        }
        if let problem { throw .unusable(name, of: provider.name, problem: problem) }
    }

    /// The reason why values do not fit the settings of a description.
    package enum Fault: Error, Equatable {
        case unknown(String, isSecret: Bool, of: String, known: [String])
        /// One that has no default has no value.
        case missing(String, of: String)
        /// A secret was given as an ordinary setting.
        case secret(String, of: String)
        /// The other way around.
        case noSecret(String, of: String)
        /// The file's rule for the setting refuses its value.
        case refused(String, of: String, problem: String)
        /// The file of a secret has something else than its value.
        case unusable(String, of: String, problem: String)

        /// The fault, for people.
        package var text: String {
            switch self {
            case .unknown(let name, let isSecret, let provider, let known):
                let kind = isSecret ? "secret" : "setting"
                let near = NearWords.nearest(to: name, among: known)
                let advice =
                    known.isEmpty
                    ? "it has none"
                    : near.isEmpty
                        ? "it has \(known.joined(separator: ", "))"
                        : "did you mean \(near.joined(separator: " or "))?"
                return "\(provider) has no \(kind) \(TerminalText.shown(name, max: 60)); \(advice)"
            case .missing(let name, let provider):
                return "\(provider) needs the setting \(name), which has no value"
            case .secret(let name, let provider):
                return "\(name) of \(provider) is a secret, which comes from a file of its own"
            case .refused(let name, let provider, let problem):
                return "the setting \(name) of \(provider) \(problem)"
            case .unusable(let name, let provider, let problem):
                return "the secret \(name) of \(provider) \(problem)"
            case .noSecret(let name, let provider):
                return "\(name) of \(provider) is no secret, and stands in no file of its own"
            }
        }
    }

    /// The names of the secrets that are not known.
    /// - Parameter provider: The description that the values are for.
    /// - Returns: The names in the order of the description.
    package func missingSecrets(of provider: DeclaredProvider) -> [String] {
        zip(provider.settings, values).compactMap { setting, value in
            if case .hidden = value { setting.name } else { nil }
        }
    }

    /// The same with all secrets masked.
    package var masked: ProviderSettings {
        var copy = self
        copy.values = values.map { value in
            if case .secret = value { .hidden } else { value }
        }
        return copy
    }

    /// Masks all secrets, and the keys for signatures that were not given.
    /// - Parameter provider: The description that the values are for.
    /// - Returns: The values for a check of rows, which does without these keys.
    func maskedForCheck(of provider: DeclaredProvider) -> ProviderSettings {
        var copy = masked
        for index in copy.values.indices where provider.places(ofSetting: index).isKey {
            if case .absent = copy.values[index] { copy.values[index] = .hidden }
        }
        return copy
    }

    /// Returns true if a text has the value of a setting that is not known, or must not be shown.
    func hides(_ text: DeclaredText) -> Bool {
        text.pieces.contains { piece in
            guard case .value(.setting(let setting), _) = piece else { return false }
            if case .hidden = values[setting] { return true }
            return false
        }
    }

    /// Returns true if a text has the value of a setting that was not given, and need not be.
    func lacks(_ text: DeclaredText) -> Bool {
        text.pieces.contains { piece in
            guard case .value(.setting(let setting), _) = piece else { return false }
            if case .absent = values[setting] { return true }
            return false
        }
    }

    /// The values that are no secrets, in the order of the description.
    var plainValues: [UInt8] {
        values.flatMap { value in
            if case .text(let text) = value { text + [0] } else { [0] as [UInt8] }
        }
    }

    /// All secrets that are known.
    var secrets: [Secret] {
        values.compactMap { value in
            if case .secret(let secret) = value { secret } else { nil }
        }
    }

    /// The secret of a setting; nil if it is not known.
    func secret(_ setting: Int) -> Secret? {
        if case .secret(let secret) = values[setting] { secret } else { nil }
    }

    package func lend<R, E>(
        _ setting: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        switch values[setting] {
        case .secret(let secret): return try unsafe secret.withBytes(body)
        case .text(let bytes):
            return try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(E) -> R in
                try unsafe body(bytes)
            }
        case .hidden, .absent:
            let bytes = Array(Self.mask.utf8)
            return try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(E) -> R in
                try unsafe body(bytes)
            }
        }
    }
}
