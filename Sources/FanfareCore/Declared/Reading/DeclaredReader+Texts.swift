import FanfareBase

extension DeclaredReader {
    /// The places that a text may have.
    struct Places: OptionSet {
        var rawValue: UInt8

        static let row = Places(rawValue: 1)
        static let setting = Places(rawValue: 2)
        static let secret = Places(rawValue: 4)
        static let time = Places(rawValue: 8)
        static let requestID = Places(rawValue: 16)
        static let body = Places(rawValue: 32)
        static let token = Places(rawValue: 64)

        /// Each with how it is written.
        static let all: [(place: Places, written: String)] = [
            (.row, "${row:…}"), (.setting, "${set:…}"), (.secret, "${secret:…}"),
            (.time, "${time:s}"), (.requestID, "${id}"), (.body, "${body}"), (.token, "${token}"),
        ]

        /// The notation of the places that are in it.
        var written: String {
            Self.all.filter { contains($0.place) }.map(\.written).joined(separator: ", ")
        }
    }

    /// Reads a text with places for values.
    mutating func template(_ value: Value?, _ allowed: Places) -> DeclaredText? {
        guard let value, let text = self.text(value) else { return nil }
        return template(text, at: value, allowed)
    }

    mutating func template(_ text: String, at value: Value, _ allowed: Places) -> DeclaredText? {
        guard let parts = placeholders(text, at: value) else { return nil }
        if let json = parts.json {
            fault(
                value, "has \(json.written), and a value as JSON can only stand in a body of JSON")
            return nil
        }
        if let place = parts.firstOptional {
            fault(
                value,
                "has \(place.written), and only members of a body can be left out; write a default: |…"
            )
            return nil
        }
        return resolve(parts, at: value, allowed)
    }

    mutating func placeholders(_ text: String, at value: Value) -> DeclaredPlaceholders? {
        do throws(DeclaredTextFault) {
            return try DeclaredPlaceholders(text)
        } catch {
            fault(value, error.text)
            return nil
        }
    }

    /// Checks the names in a text against the known ones.
    mutating func resolve(
        _ parts: DeclaredPlaceholders, at value: Value, _ allowed: Places
    ) -> DeclaredText? {
        var pieces: [DeclaredText.Piece] = []
        var isGood = true
        for piece in parts.pieces {
            switch piece {
            case .literal(let text): pieces.append(.literal(Array(text.utf8)))
            case .placeholder(let placeholder):
                guard let filled = resolve(placeholder, at: value, allowed) else {
                    isGood = false
                    continue
                }
                pieces.append(.value(filled, fallback: placeholder.fallback.map { Array($0.utf8) }))
            }
        }
        return isGood ? DeclaredText(pieces) : nil
    }

    /// Finds the value for a place.
    mutating func resolve(
        _ placeholder: DeclaredPlaceholders.Placeholder, at value: Value, _ allowed: Places
    ) -> DeclaredText.Value? {
        let written = placeholder.written
        let (place, found): (Places, DeclaredText.Value?)
        switch (placeholder.kind, placeholder.name) {
        case ("row", let name) where !name.isEmpty: (place, found) = (.row, nil)
        case ("set", let name) where !name.isEmpty: (place, found) = (.setting, nil)
        case ("secret", let name) where !name.isEmpty: (place, found) = (.secret, nil)
        case ("time", "s"): (place, found) = (.time, .seconds)
        case ("time", "ms"): (place, found) = (.time, .milliseconds)
        case ("id", ""): (place, found) = (.requestID, .requestID)
        case ("body", ""): (place, found) = (.body, .body)
        case ("token", ""): (place, found) = (.token, .token)
        default:
            fault(value, "has \(written), which stands for nothing; here may be \(allowed.written)")
            return nil
        }
        guard allowed.contains(place) else {
            fault(value, "has \(written), which cannot stand here; here may be \(allowed.written)")
            return nil
        }
        guard place == .row || placeholder.fallback == nil else {
            fault(
                value,
                "has \(written) with a default, which only ${row:…} has; write that of a setting into "
                    + "/settings")
            return nil
        }
        guard place == .row || !placeholder.isJSON else {
            fault(value, "has \(written), and only values of rows are inserted as JSON")
            return nil
        }
        if let found { return found }
        return place == .row
            ? .column(column(placeholder.name))
            : setting(placeholder.name, isSecret: place == .secret, written, at: value)
    }

    private mutating func setting(
        _ name: String, isSecret: Bool, _ written: String, at value: Value
    ) -> DeclaredText.Value? {
        guard let index = settings.firstIndex(where: { $0.name == name }) else {
            fault(
                value,
                "has \(written), and there is no such setting; "
                    + (NearWords.question(name, among: settings.map(\.name))
                        ?? "add it to /settings"))
            return nil
        }
        usedSettings.insert(index)
        guard settings[index].isSecret == isSecret else {
            fault(
                value,
                isSecret
                    ? #"has \#(written), and the setting is no secret; write ${set:\#(name)}, or {"secret": true} in /settings"#
                    : "has \(written), and the setting is a secret; write ${secret:\(name)}")
            return nil
        }
        return .setting(index)
    }

    // MARK: Header fields

    /// Fields that are the connection's, or are made from the request.
    private static let reserved = [
        "connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Reads the name of a header field, in small letters.
    mutating func fieldName(_ value: Value?) -> String? {
        guard let value, let text = self.text(value) else { return nil }
        return fieldName(text, at: value)
    }

    mutating func fieldName(_ text: String, at value: Value) -> String? {
        let name = text.lowercased()
        // RFC 9110 §5.6.2
        let isToken = name.utf8.allSatisfy {
            $0 &- 97 < 26 || $0 &- 48 < 10 || "!#$%&'*+-.^_`|~".utf8.contains($0)
        }
        guard isToken, !name.isEmpty else {
            fault(
                value,
                "has '\(Self.shown(text))' for a header field's name; it has letters, digits and -")
            return nil
        }
        guard !Self.reserved.contains(name) else {
            fault(value, "names the header field \(name), which is made by itself; leave it out")
            return nil
        }
        return name
    }

    /// Reads a header field in one text: `authorization: Bearer ${token}`, or the name alone.
    mutating func use(_ value: Value?) -> DeclaredField? {
        guard let value, let text = self.text(value) else { return nil }
        let (before, behind) = text.parts(at: ":") ?? (text, "${token}")
        guard let name = fieldName(before, at: value),
            let template = self.template(
                String(behind.drop { $0 == " " }), at: value, [.token, .setting])
        else { return nil }
        guard template.has(.token) else {
            fault(value, "has no place for the token; write ${token} behind the colon")
            return nil
        }
        return DeclaredField(name, template)
    }

    /// Reads an object of header fields.
    mutating func fields(_ value: Value?, _ allowed: Places) -> [DeclaredField] {
        var fields: [DeclaredField] = []
        for (key, value) in named(value, like: #"{"x-app-id": "${set:app_id}"}"#) {
            guard let name = fieldName(key, at: value),
                let template = self.template(value, allowed)
            else { continue }
            if let bad = Self.control(in: template) {
                fault(value, "has \(bad), which would end the header field; leave it out")
            } else if fields.contains(where: { $0.name == name }) {
                fault(value, "comes twice; leave one of them out")
            } else {
                if Self.proofs.contains(name) { checkIsNoConstant(value, template) }
                fields.append(DeclaredField(name, template))
            }
        }
        return fields
    }

    /// The header fields that have nothing but the proof of a sender's identity. RFC 9110 §11.6.2, §11.7.2
    private static let proofs = ["authorization", "proxy-authorization"]

    /// Returns the characters of a text that no header field can have, in words.
    private static func control(in text: DeclaredText) -> String? {
        for case .literal(let bytes) in text.pieces {
            if bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) { return "a line break" }
            if bytes.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
                return "a control character"
            }
        }
        return nil
    }
}
