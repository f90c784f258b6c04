/// The places of a setting's value in requests, as far as they bound what it may be.
package struct SettingPlaces: Equatable, Sendable {
    /// A header field that has it, as it is or encoded: there are no control characters in it.
    package var field: String?
    /// True if a header field begins with it as it is: no field begins with a blank. RFC 9110 §5.5
    package var beginsField = false
    /// True if a header field ends with it as it is.
    package var endsField = false
    /// True if it is a key: of signatures, or the name that stands for one in Basic.
    package var isKey = false

    /// True if something has to be there.
    ///
    /// A password of Basic, the secret of a client that asks for a token, and a value in a body may be empty.
    package var needsValue: Bool { beginsField || endsField || isKey }
}

extension DeclaredProvider {
    /// Returns the places that a setting's value has in requests.
    /// - Parameter setting: The setting's index.
    /// - Returns: The places.
    package func places(ofSetting setting: Int) -> SettingPlaces {
        let piece = DeclaredText.Value.setting(setting)
        var places = SettingPlaces()
        func look(_ field: DeclaredField) {
            guard field.value.has(piece) else { return }
            places.field = places.field ?? field.name
            if field.value.begins(with: piece) { places.beginsField = true }
            if field.value.ends(with: piece) { places.endsField = true }
        }
        request.fields.forEach(look)
        switch authorization {
        case .header(let field): look(field)
        case .basic(let user, let password):
            // Both are encoded, with their blanks, and have no control characters. RFC 7617 §2
            if user.has(piece) || password.has(piece) {
                places.field = places.field ?? "authorization"
            }
            if user.begins(with: piece), user.pieces.count == 1 { places.isKey = true }
        case .hmac(let hmac):
            hmac.also.forEach(look)
            if hmac.key.has(piece) || hmac.usualKey?.has(piece) == true { places.isKey = true }
        case .jwt(let jwt):
            if jwt.key == setting { places.isKey = true }
        case .none, .bearerFile, .clientCredentials, .login, .serviceAccount: break
        }
        return places
    }
}

extension DeclaredText {
    fileprivate func begins(with value: Value) -> Bool {
        if case .value(value, _)? = pieces.first { true } else { false }
    }

    fileprivate func ends(with value: Value) -> Bool {
        if case .value(value, _)? = pieces.last { true } else { false }
    }
}
