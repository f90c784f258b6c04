import FanfareBase

extension DeclaredReader {
    private static let kindExample = #"{"kind": "header", "name": …, "value": …}"#

    /// The places that the fields of an exchange may have.
    private static let places: Places = [.setting, .secret, .time]

    /// Returns the keys of a kind.
    private static func keys(_ kind: DeclaredAuthorization.Kind) -> [String] {
        switch kind {
        case .none: []
        case .header: ["name", "value"]
        case .basic: ["user", "password"]
        case .bearerFile: ["file"]
        case .clientCredentials: ["url", "form", "token", "lifetime", "use"]
        case .login: ["url", "encoding", "fields", "token", "lifetime", "use"]
        case .serviceAccount: ["file", "scope"]
        case .jwt: ["alg", "key", "header", "claims", "lifetime", "use"]
        case .hmac: ["hash", "key", "key_default", "key_as", "over", "as", "prefix", "use", "also"]
        }
    }

    mutating func authorization(_ value: Value?) -> DeclaredAuthorization {
        guard let value else { return .none }
        guard value.json.members != nil else {
            wrongKind(value, "an object: \(Self.kindExample)")
            return .none
        }
        guard let json = value.json["kind"] else {
            let words = DeclaredAuthorization.Kind.allCases.map(\.rawValue)
            fault(
                Value(value.json, value.pointer.appending("kind")),
                "is missing; write one of \(words.joined(separator: ", "))")
            return .none
        }
        let word = self.word(
            Value(json, value.pointer.appending("kind")), DeclaredAuthorization.Kind.self)
        guard let kind = word,
            let members = self.members(value, ["kind"] + Self.keys(kind), like: Self.kindExample)
        else { return .none }
        return authorization(kind, members) ?? .none
    }

    /// Reads an authorization; nil after a fault.
    private mutating func authorization(
        _ kind: DeclaredAuthorization.Kind, _ members: Members
    ) -> DeclaredAuthorization? {
        switch kind {
        case .none: return DeclaredAuthorization.none
        case .header: return header(members)
        case .basic:
            let user = template(
                required(members, "user", #"write "${set:user}""#), [.setting, .secret])
            let place = required(members, "password", #"write "${secret:password}""#)
            let password = template(place, [.setting, .secret])
            guard let user, let password else { return nil }
            // Beside a key in the place of the name a password says nothing.
            let hasKey = user.pieces.contains { piece in
                guard case .value(.setting(let setting), _) = piece else { return false }
                return settings[setting].isSecret
            }
            if !hasKey { checkIsNoConstant(place, password) }
            return .basic(user: user, password: password)
        case .bearerFile:
            let file = template(
                required(members, "file", #"write "${set:token_file}""#), [.setting])
            return file.map { .bearerFile($0) }
        case .serviceAccount:
            let file = template(required(members, "file", #"write "${set:key_file}""#), [.setting])
            let scope = text(required(members, "scope", "write the scope of the access token"))
            guard let file, let scope else { return nil }
            return .serviceAccount(file: file, scope: scope)
        case .clientCredentials:
            let form = required(
                members, "form", #"write {"grant_type": "client_credentials", …}"#)
            return exchange(members, form, .form).map { .clientCredentials($0) }
        case .login:
            let encoding = word(members["encoding"], DeclaredExchange.Encoding.self) ?? .json
            let fields = required(members, "fields", #"write {"app_key": "${set:app_key}", …}"#)
            return exchange(members, fields, encoding).map { .login($0) }
        case .jwt: return jwt(members)
        case .hmac: return hmac(members)
        }
    }

    private mutating func header(_ members: Members) -> DeclaredAuthorization? {
        let name = fieldName(required(members, "name", #"write "authorization""#))
        let place = required(members, "value", #"write "Bearer ${secret:key}""#)
        let value = template(place, [.setting, .secret, .time, .requestID])
        guard let name, let value else { return nil }
        checkIsNoConstant(place, value)
        return .header(DeclaredField(name, value))
    }

    /// Refuses a proof that stands in the file itself, which is shown and shared.
    mutating func checkIsNoConstant(_ place: Value?, _ text: DeclaredText) {
        guard let place, text.constant != nil else { return }
        fault(
            place,
            #"stands in the file, where everyone can read it; write ${secret:key} in its place, and "key": "#
                + #"{"secret": true} into /settings"#)
    }

    // MARK: Exchanges

    private mutating func exchange(
        _ members: Members, _ fields: Value?, _ encoding: DeclaredExchange.Encoding
    ) -> DeclaredExchange? {
        let place = required(members, "url", "write where tokens are given out")
        let url = template(place, [.setting])
        if let place, let constant = url?.constant {
            let text = String(decoding: constant, as: UTF8.self)
            if (try? DeclaredURL(service: text)) == nil {
                fault(place, "is '\(Self.shown(text))', which is no https URL; write https://…")
            }
        }
        let token = pointer(
            required(members, "token", #"write where the token is in the answer: "/access_token""#))
        let lifetime = self.lifetime(
            required(
                members, "lifetime",
                #"write how long a token lives: "23h", or where the answer says it in seconds: "/expires_in""#
            ))
        let use = self.use(
            required(members, "use", #"write "authorization: Bearer ${token}""#))
        var all: [DeclaredExchange.Field] = []
        for (name, value) in named(fields, like: #"{"client_id": "${set:client_id}"}"#) {
            if let field = exchangeValue(value) { all.append(.init(name, field)) }
        }
        guard let url, let token, let lifetime, let use else { return nil }
        return DeclaredExchange(
            url: url, encoding: encoding, fields: all, token: token, lifetime: lifetime, use: use)
    }

    private mutating func exchangeValue(_ value: Value) -> DeclaredExchange.Value? {
        if value.json.text != nil { return template(value, Self.places).map { .text($0) } }
        let words = DeclaredExchange.Digest.allCases.map(\.rawValue)
        let example = #"{"sha256": ["${set:app_key}", "${time:ms}", "${secret:secret}"]}"#
        guard let members = self.members(value, words, like: example) else { return nil }
        guard members.values.count == 1, let (word, list) = members.values.first,
            let digest = DeclaredExchange.Digest(rawValue: word)
        else {
            // One that is not known is told already.
            if value.json.members?.count != 1 {
                fault(value, "has to be a text or one digest: \(example)")
            }
            return nil
        }
        return .digest(
            digest, elements(list, like: example).compactMap { template($0, Self.places) })
    }

    private mutating func lifetime(_ value: Value?) -> DeclaredExchange.Lifetime? {
        guard let value else { return nil }
        if value.json.text?.hasPrefix("/") == true {
            return pointer(value).map { .seconds($0) }
        }
        return duration(value, .seconds(60) ... .seconds(30 * 86_400), "1m to 30d")
            .map { .fixed($0) }
    }

    // MARK: Signatures

    private mutating func jwt(_ members: Members) -> DeclaredAuthorization? {
        let algorithm = word(
            required(members, "alg", "write RS256, PS256 or ES256"), DeclaredJWT.Algorithm.self)
        let keyPlace = required(members, "key", #"write "${secret:key}""#)
        let key = template(keyPlace, [.secret])
        var setting: Int?
        if let keyPlace, let key {
            if key.pieces.count == 1, case .value(.setting(let only), _) = key.pieces[0] {
                setting = only
            } else {
                fault(keyPlace, "is more than a secret; write \"${secret:…}\" alone")
            }
        }
        let header = claims(members["header"], reserved: ["alg", "typ"])
        let claims = self.claims(members["claims"], reserved: ["iat", "exp"])
        let lifetime = duration(
            required(members, "lifetime", #"write how long a token lives: "1h""#),
            .seconds(60) ... .seconds(86_400), "1m to 24h")
        let use = self.use(required(members, "use", #"write "authorization: Bearer ${token}""#))
        guard let algorithm, let setting, let lifetime, let use else { return nil }
        return .jwt(
            DeclaredJWT(
                algorithm: algorithm, key: setting, header: header, claims: claims,
                lifetime: lifetime, use: use))
    }

    private mutating func claims(_ value: Value?, reserved: [String]) -> [DeclaredMember] {
        guard let value else { return [] }
        guard value.json.members != nil else {
            wrongKind(value, #"an object: {"iss": "${set:account}"}"#)
            return []
        }
        guard case .object(let members) = node(value, [.setting]) else { return [] }
        for member in members where reserved.contains(member.key) {
            let json = value.json[member.key] ?? value.json
            fault(
                Value(json, value.pointer.appending(member.key)),
                "is made by itself; leave it out")
        }
        return members
    }

    private mutating func hmac(_ members: Members) -> DeclaredAuthorization? {
        enum Hash: String, CaseIterable { case sha256 }
        _ = word(required(members, "hash", "write sha256"), Hash.self)
        let keyPlace = required(members, "key", #"write "${secret:key}""#)
        let key = template(keyPlace, [.secret, .row])
        let usualKey = members["key_default"].flatMap { template($0, [.secret]) }
        if let value = members["key_default"], let key, !key.hasColumns {
            fault(value, "is never used, because /auth/key is the same for all rows; leave it out")
        } else if let usualKey {
            checkIsNoConstant(members["key_default"], usualKey)
        }
        if let key { checkIsNoConstant(keyPlace, key) }
        let keyForm = word(members["key_as"], DeclaredHMAC.KeyForm.self) ?? .text
        let form = word(
            required(members, "as", "write hex, base64 or base64-of-hex"), DeclaredHMAC.Form.self)
        let field = fieldName(required(members, "use", "write the header field of the signature"))
        let prefix = text(members["prefix"]) ?? ""
        let list = required(members, "over", #"write what is signed: ["${time:s}", "${body}"]"#)
        let over = elements(list, like: #"["${time:s}", "${body}"]"#).compactMap {
            template($0, [.setting, .row, .time, .requestID, .body])
        }
        if let list, list.json.elements != nil, !over.contains(where: { $0.has(.body) }) {
            fault(
                list, "does not have ${body}, so the signature would be good for any body; add it")
        }
        let also = fields(members["also"], [.setting, .time, .requestID])
        guard let key, let form, let field else { return nil }
        return .hmac(
            DeclaredHMAC(
                key: key, usualKey: usualKey, keyForm: keyForm, over: over, form: form,
                prefix: prefix,
                field: field, also: also))
    }
}
