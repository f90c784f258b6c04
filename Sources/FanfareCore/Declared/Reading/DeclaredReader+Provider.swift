import FanfareBase

extension DeclaredReader {
    private static let keys = [
        "fanfare_provider", "name", "about", "sources", "notes", "tried", "ends", "settings",
        "columns", "origin", "protocol", "auth", "request", "token", "batch", "answer", "pace",
        "priority",
        "idempotency", "examples",
    ]

    /// Names that are Fanfare's own.
    private static let builtIn = ProviderKind.allCases.map(\.rawValue) + ["simulator"]

    /// Reads a whole file; the result counts only if there are no faults.
    mutating func provider(_ file: Value) -> DeclaredProvider? {
        let members = self.members(
            file, Self.keys, like: #"{"fanfare_provider": 1, "name": "example", …}"#)
        let version = required(members, "fanfare_provider", "write 1, the version of this schema")
        guard hasKnownVersion(version), let members else { return nil }
        var provider = DeclaredProvider(
            name: name(required(members, "name", "write what it is called")) ?? "")
        provider.about = text(members["about"])
        provider.sources = texts(members["sources"], like: #"["https://example.com/docs"]"#)
        provider.notes = texts(members["notes"], like: #"["What users have to know."]"#)
        provider.isTried = flag(members["tried"]) ?? false
        provider.end = day(members["ends"])
        readSettings(members["settings"])
        provider.settings = settings

        let origin = self.origin(
            required(members, "origin", #"write where requests go: "https://api.example.com""#))
        provider.origin = origin ?? provider.origin
        provider.token = token(members["token"], origin)
        provider.transport = word(members["protocol"], DeclaredTransport.self) ?? .automatic
        provider.authorization = authorization(
            required(members, "auth", #"write {"kind": "none"} if there is none"#))
        provider.pace = pace(members["pace"])
        let parts = RequestParts(
            request: required(
                members, "request", #"write {"method": "POST", "path": "/send", "body": {…}}"#),
            batch: members["batch"], idempotency: members["idempotency"], origin: origin,
            token: provider.token, authorization: provider.authorization)
        readRequest(parts, into: &provider)
        checkProof(of: provider, members["origin"])
        provider.answer = answer(
            required(members, "answer", "write what answers mean"), provider)
        provider.priority = priority(members["priority"])
        checkAllSettingsAreUsed(members["settings"])
        provider.columns = columns
        provider.columnRules = columnRules(members["columns"])
        provider.examples = examples(members["examples"], provider)
        return provider
    }

    private mutating func hasKnownVersion(_ value: Value?) -> Bool {
        guard let value else { return true }
        guard case .number(let text) = value.json.content,
            text == String(DeclaredProvider.version)
        else {
            fault(
                value,
                "is no version of the schema that is known here; write \(DeclaredProvider.version)")
            return false
        }
        return true
    }

    private mutating func name(_ value: Value?) -> String? {
        guard let value, let name = text(value) else { return nil }
        guard Self.isName(name, also: "-_"), name.utf8.count <= 32 else {
            fault(
                value,
                "is '\(Self.shown(name))'; a name has small letters, digits, - and _, begins with a "
                    + "letter, and has 32 characters at most")
            return nil
        }
        guard !Self.builtIn.contains(name) else {
            fault(value, "is '\(name)', which is built in; choose another name")
            return nil
        }
        return name
    }

    static func isName(_ text: String, also signs: String) -> Bool {
        guard let first = text.utf8.first, first &- 97 < 26 else { return false }
        return text.utf8.allSatisfy {
            $0 &- 97 < 26 || $0 &- 48 < 10 || signs.utf8.contains($0)
        }
    }

    private mutating func texts(_ value: Value?, like example: String) -> [String] {
        elements(value, like: example).compactMap { text($0) }
    }

    /// Reads a day: `2027-01-12`.
    private mutating func day(_ value: Value?) -> String? {
        guard let value, let text = self.text(value) else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { $0 &- 48 < 10 } }),
            let month = Int(parts[1]), 1...12 ~= month, let day = Int(parts[2]), 1...31 ~= day
        else {
            fault(value, #"is '\#(Self.shown(text))', which is no day; write it as "2027-01-12""#)
            return nil
        }
        return text
    }

    // MARK: Settings

    private mutating func readSettings(_ value: Value?) {
        for (name, value) in named(value, like: #"{"app_key": {"secret": true}}"#) {
            var setting = DeclaredSetting(name: name)
            if !Self.isName(name, also: "_") {
                fault(
                    value,
                    "has a name with something else than small letters, digits and _, or begins with "
                        + "none of the letters; choose another one")
            }
            let members = self.members(
                value, ["secret", "default", "about"] + Self.ruleOfValueKeys,
                like: #"{"secret": true}, or {}"#)
            setting.isSecret = flag(members?["secret"]) ?? false
            setting.usual = members?["default"].flatMap { $0.json.text }
            if let usual = members?["default"], usual.json.text == nil {
                wrongKind(usual, "a text")
            }
            setting.about = text(members?["about"])
            if setting.isSecret, let usual = members?["default"] {
                fault(
                    usual,
                    "would be a secret in the file; leave it out, secrets come from files of their own"
                )
            }
            setting.rule = valueRule(members)
            if let usual = members?["default"], let text = setting.usual,
                let problem = setting.rule?.problem(text)
            {
                fault(usual, "\(problem), by the rule beside it; write one that follows it")
            }
            settings.append(setting)
        }
    }

    private mutating func checkAllSettingsAreUsed(_ value: Value?) {
        // The parts that could not be read may have used them.
        guard faults.isEmpty else { return }
        for (index, setting) in settings.enumerated() where !usedSettings.contains(index) {
            guard let value, let json = value.json[setting.name] else { continue }
            fault(
                Value(json, value.pointer.appending(setting.name)),
                "is used nowhere; write ${\(setting.isSecret ? "secret" : "set"):\(setting.name)} "
                    + "where it belongs, or leave it out")
        }
    }

    // MARK: Origin and token

    private mutating func origin(_ value: Value?) -> DeclaredOrigin? {
        guard let value else { return nil }
        if value.json.text != nil {
            guard let text = template(value, [.setting]) else { return nil }
            // A text with settings in it is checked as soon as they are known.
            if let url = known(text) { check(origin: url, value) }
            return .fixed(text)
        }
        let members = self.members(
            value, ["column", "allow_hosts"],
            like: #"{"column": "endpoint", "allow_hosts": ["hooks.example.org"]}"#)
        let column = text(
            required(members, "column", "write which column has the URL of a row"))
        let list = required(
            members, "allow_hosts",
            #"write the hosts that rows may name: ["hooks.example.org", ".example.com"]; "*" is any"#
        )
        var hosts: [DeclaredHost] = []
        let all = elements(list, like: #"["hooks.example.org"]"#)
        for value in all {
            guard let text = self.text(value) else { continue }
            if let host = DeclaredHost(text) {
                hosts.append(host)
            } else {
                fault(
                    value,
                    "is '\(Self.shown(text))', which is no host; write example.org, .example.org for "
                        + "all below it, or *, with a port behind a colon if need be")
            }
        }
        if let list, list.json.elements?.isEmpty == true {
            fault(list, #"is empty, so no row could be sent; "*" allows any host"#)
        }
        return column.map { .column(self.column($0), hosts: RowHosts(hosts)) }
    }

    /// Refuses to show a proof that is good at all hosts to any host that a row may name.
    private mutating func checkProof(of provider: DeclaredProvider, _ origin: Value?) {
        guard let proof = provider.proofInRequests, let origin,
            let list = origin.json["allow_hosts"]
        else { return }
        for (index, element) in (list.elements ?? []).enumerated() {
            guard let text = element.text, DeclaredHost(text)?.isOfMany == true else { continue }
            let pointer = origin.pointer.appending("allow_hosts").appending(String(index))
            fault(
                Value(element, pointer),
                "is '\(Self.shown(text))', so anyone's host could get \(proof), which is good at the others; "
                    + "name the hosts or their domains, or sign with hmac")
        }
    }

    private mutating func check(origin url: String, _ value: Value) {
        do throws(DeclaredURL.Fault) {
            _ = try DeclaredURL(origin: url)
        } catch {
            let cure =
                switch error {
                case .path: "put the path into /request/path"
                case .notEncrypted: "write https, or a loopback address"
                default: "write https and a host: https://api.example.com"
                }
            fault(value, "is '\(Self.shown(url))', which \(error.text); \(cure)")
        }
    }

    /// Returns a text of settings that have a default, or of none; nil if a user has to say more.
    private func known(_ text: DeclaredText) -> String? {
        var bytes: [UInt8] = []
        for piece in text.pieces {
            switch piece {
            case .literal(let literal): bytes += literal
            case .value(.setting(let setting), _):
                guard let usual = settings[setting].usual else { return nil }
                bytes += usual.utf8
            case .value: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func token(_ value: Value?, _ origin: DeclaredOrigin?) -> DeclaredToken {
        let members = self.members(
            value, ["shape", "column"], like: #"{"shape": "[0-9a-f]{64}", "column": "token"}"#)
        var token = DeclaredToken()
        if let shape = members?["shape"], let text = self.text(shape) {
            do throws(TokenPatternFault) {
                token.shape = try TokenPattern(text)
            } catch {
                fault(shape, "is '\(Self.shown(text))', which \(error.text)")
            }
        }
        if let name = text(members?["column"]) {
            token.column = column(name)
        } else if case .column(let column, _) = origin {
            token.column = column
        } else {
            token.column = column("token")
        }
        return token
    }

    /// Returns the index of a column, which is a new one if it was not named before.
    mutating func column(_ name: String) -> Int {
        if let index = columns.firstIndex(of: name) { return index }
        columns.append(name)
        return columns.count - 1
    }

    // MARK: Pace

    private mutating func pace(_ value: Value?) -> DeclaredPace {
        let members = self.members(
            value,
            [
                "rows_per_second", "requests_per_second", "burst", "in_flight", "ramp",
                "remaining_header", "reset_header",
            ], like: #"{"requests_per_second": 10, "in_flight": 8}"#)
        var pace = DeclaredPace()
        pace.rowsPerSecond = rate(members?["rows_per_second"])
        pace.requestsPerSecond = rate(members?["requests_per_second"])
        pace.burst = count(members?["burst"], 1...1_000_000)
        if let burst = members?["burst"], pace.rowsPerSecond == nil, pace.requestsPerSecond == nil {
            fault(burst, "needs rows_per_second or requests_per_second beside it")
        }
        pace.inFlight = count(members?["in_flight"], 1...10_000)
        pace.ramp = duration(members?["ramp"], .zero ... .seconds(3600), "0 to 1h") ?? .zero
        (pace.remainingField, pace.resetField) = quotaFields(members)
        return pace
    }

    private mutating func rate(_ value: Value?) -> DeclaredRate? {
        guard let value else { return nil }
        guard case .number(let text) = value.json.content else {
            wrongKind(value, "a number from 0.001 to 1000000")
            return nil
        }
        guard let rate = DeclaredRate(text) else {
            fault(
                value,
                "is \(Self.shown(text)); it may be 0.001 to 1000000, as in 0.2 for one in 5 seconds"
            )
            return nil
        }
        return rate
    }

    /// Reads the names of the fields that count requests: neither says anything without the other.
    private mutating func quotaFields(
        _ members: Members?
    ) -> (remaining: String?, reset: String?) {
        let values = (members?["remaining_header"], members?["reset_header"])
        switch values {
        case (let remaining?, nil):
            fault(remaining, "needs reset_header beside it, the field that tells how long to wait")
        case (nil, let reset?):
            fault(reset, "needs remaining_header beside it, the field that tells how many are left")
        default: break
        }
        return (quotaField(values.0), quotaField(values.1))
    }

    private mutating func quotaField(_ value: Value?) -> String? {
        guard let value, let name = fieldName(value) else { return nil }
        guard name.utf8.count <= DeclaredPace.fieldBytesMax else {
            fault(
                value, "is longer than \(DeclaredPace.fieldBytesMax) bytes; no such field is read")
            return nil
        }
        return name
    }
}
