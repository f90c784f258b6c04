/// The reason why a template cannot be used.
package struct PayloadTemplateError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable, CaseIterable {
        /// `{{` without `}}` in the same string.
        case unclosedPlaceholder
        /// `{{}}`, `{{ | default}}`.
        case emptyName
        /// A name with something else than letters, digits, `_`, `-` and `.`.
        case invalidName
        /// `:json` in a placeholder that is not the whole string.
        case jsonNotAlone
        /// `:json` as the key of an object, which must be a string.
        case jsonAsKey
        /// The default of a `:json` placeholder is not JSON.
        case invalidDefault
        /// The input has no such column. Found by `init`, which knows the schema.
        case unknownColumn
    }

    package var code: Code
    /// The placeholder, or the part of it that is there.
    package var placeholder: String
    /// The place where it starts in the template's JSON text: the offset of a byte.
    package var offset: Int

    package init(_ code: Code, placeholder: String, offset: Int) {
        self.code = code
        self.placeholder = placeholder
        self.offset = offset
    }

    /// The fault of the placeholder, as a phrase that follows it.
    package var reason: String {
        switch code {
        case .unclosedPlaceholder: "is never closed with }}"
        case .emptyName: "has no name"
        case .invalidName:
            "has a name with something else than letters, digits, _, - and .; for a blank in the name of "
                + "a column write _"
        case .jsonNotAlone: "has :json, but is not the whole string"
        case .jsonAsKey: "has :json, but is the key of an object, which must be a string"
        case .invalidDefault: "has :json and a default that is not JSON"
        case .unknownColumn: "names a column that the input does not have"
        }
    }

    package var description: String {
        "placeholder \(placeholder) at byte \(offset) of the template \(reason)"
    }
}
