import FanfareBase

extension DeclaredReader {
    /// The parts of a request's description, which have to fit each other.
    struct RequestParts {
        var request: Value?
        var batch: Value?
        var idempotency: Value?
        var origin: DeclaredOrigin?
        var token: DeclaredToken
        var authorization: DeclaredAuthorization
    }

    private enum Encoding: String, CaseIterable {
        case json, form, text

        var contentType: String {
            switch self {
            case .json: "application/json"
            case .form: "application/x-www-form-urlencoded"
            case .text: "text/plain; charset=utf-8"
            }
        }
    }

    private enum Method: String, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The places that the body and the header fields of requests may have.
    private static let places: Places = [.row, .setting, .secret, .time, .requestID]

    mutating func readRequest(_ parts: RequestParts, into provider: inout DeclaredProvider) {
        let members = self.members(
            parts.request,
            ["method", "path", "headers", "encoding", "body", "max_body", "timeout"],
            like: #"{"method": "POST", "path": "/send", "body": {…}}"#)
        guard let members else { return }
        var request = DeclaredRequestForm()
        let method = word(members["method"], Method.self) ?? .post
        request.method = method.rawValue
        request.path = path(members, parts.origin) ?? DeclaredText([])
        request.fields = fields(members["headers"], Self.places)
        request.bodyBytesMax = count(members["max_body"], 1...Limits.declaredBodyBytesMax)
        request.timeout = duration(
            members["timeout"], .seconds(1) ... .seconds(600), "1s to 10m")
        let encoding = word(members["encoding"], Encoding.self) ?? .json
        if let body = members["body"] {
            if method == .get || method == .delete {
                fault(body, "cannot go with \(method.rawValue); write POST, PUT or PATCH")
            }
            request.body = self.body(body, encoding)
            if !request.fields.contains(where: { $0.name == "content-type" }) {
                let type = DeclaredText([.literal(Array(encoding.contentType.utf8))])
                request.fields.insert(DeclaredField("content-type", type), at: 0)
            }
        } else if let encoding = members["encoding"] {
            fault(encoding, "says how a body is written, and there is none; add /request/body")
        }
        provider.batch = batch(parts, members["body"], &request)
        provider.idempotency = idempotency(parts.idempotency, members["body"], &request)
        checkIDIsKnown(provider.idempotency, request, parts)
        provider.request = request
    }

    private mutating func path(_ members: Members, _ origin: DeclaredOrigin?) -> DeclaredText? {
        if case .column = origin {
            if let path = members["path"] {
                fault(path, "has no meaning where each row has a URL of its own; leave it out")
            }
            return nil
        }
        let value = required(members, "path", #"write the path of requests: "/v1/send""#)
        guard let value, let path = template(value, [.row, .setting]) else { return nil }
        var literals: [UInt8] = []
        for piece in path.pieces {
            if case .literal(let bytes) = piece { literals += bytes } else { literals += "x".utf8 }
        }
        guard case .literal(let first) = path.pieces.first, first.first == UInt8(ascii: "/") else {
            fault(value, "does not begin with /; write / before it")
            return nil
        }
        guard literals.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }) else {
            fault(value, "has a character that no path has; blanks are written %20")
            return nil
        }
        guard !PathFault.hasDotSegment(literals) else {
            fault(value, "has . or .. between its slashes; write the path that it leads to")
            return nil
        }
        return path
    }

    // MARK: Bodies

    private mutating func body(_ value: Value, _ encoding: Encoding) -> DeclaredBody {
        switch encoding {
        case .json:
            guard let node = node(value, Self.places) else { return .none }
            if case .optional = node {
                fault(value, "has a ?, and the body cannot be left out; write a default: |…")
            }
            return .json(node)
        case .text: return template(value, Self.places).map { .text($0) } ?? .none
        case .form:
            var fields: [DeclaredFormField] = []
            for (name, value) in named(value, like: #"{"user": "${row:token}"}"#) {
                if let field = formField(name, value) { fields.append(field) }
            }
            return .form(fields)
        }
    }

    /// Reads a field of a form: a text, a number, or `{"json": …}` for JSON inside of it.
    private mutating func formField(_ name: String, _ value: Value) -> DeclaredFormField? {
        switch value.json.content {
        case .text(""):
            return DeclaredFormField(name: name, value: .text(DeclaredText([])), isJSON: false)
        case .text(let text):
            guard let parts = placeholders(text, at: value) else { return nil }
            // JSON is for fields that say so.
            guard parts.json == nil, parts.firstOptional != nil else {
                return template(value, Self.places).map {
                    DeclaredFormField(name: name, value: .text($0), isJSON: false)
                }
            }
            return textNode(text, at: value, Self.places).map {
                DeclaredFormField(name: name, value: $0, isJSON: false)
            }
        case .number, .bool:
            return DeclaredFormField(
                name: name, value: .text(DeclaredText([.literal(value.json.json)])), isJSON: false)
        case .object:
            let members = self.members(value, ["json"], like: #"{"json": {…}}"#)
            let inside = required(members, "json", "write the JSON that the field has in it")
            guard let inside, let node = self.node(inside, Self.places) else { return nil }
            return DeclaredFormField(name: name, value: node, isJSON: true)
        case .null, .array:
            wrongKind(value, #"a text, a number or {"json": …}"#)
            return nil
        }
    }

    /// Reads a value of JSON with places for values in its texts.
    mutating func node(_ value: Value, _ allowed: Places) -> DeclaredNode? {
        switch value.json.content {
        case .null, .bool, .number: return .constant(value.json.json)
        case .text(let text): return textNode(text, at: value, allowed)
        case .array(let elements):
            var nodes: [DeclaredNode] = []
            for (index, element) in elements.enumerated() {
                let place = Value(element, value.pointer.appending(String(index)))
                if let node = self.node(place, allowed) { nodes.append(node) }
            }
            return .array(nodes)
        case .object:
            var members: [DeclaredMember] = []
            for (key, value) in named(value, like: "{}") {
                if key.contains("${") {
                    fault(value, "has a place for a value in its key; keys are sent as they stand")
                }
                if let node = self.node(value, allowed) {
                    members.append(DeclaredMember(key, node))
                }
            }
            return .object(members)
        }
    }

    private mutating func textNode(
        _ text: String, at value: Value, _ allowed: Places
    ) -> DeclaredNode? {
        guard let parts = placeholders(text, at: value) else { return nil }
        guard parts.firstOptional == nil else {
            var required = parts
            let columns = takeOptional(from: &required, at: value)
            return textNode(required, at: value, allowed).map { .optional($0, columns: columns) }
        }
        return textNode(parts, at: value, allowed)
    }

    /// Makes the optional places of a text ordinary ones.
    /// - Returns: The columns without which the text is left out.
    private mutating func takeOptional(
        from parts: inout DeclaredPlaceholders, at value: Value
    ) -> [Int] {
        var columns: [Int] = []
        for place in parts.takeOptional() {
            guard place.kind == "row", !place.name.isEmpty else {
                fault(value, "has \(place.written), and only values of rows may be missing")
                continue
            }
            columns.append(column(place.name))
        }
        return columns
    }

    private mutating func textNode(
        _ parts: DeclaredPlaceholders, at value: Value, _ allowed: Places
    ) -> DeclaredNode? {
        guard let json = parts.json else {
            guard let text = resolve(parts, at: value, allowed) else { return nil }
            guard let constant = text.constant else { return .text(text) }
            let written = PlacedJSON(.text(String(decoding: constant, as: UTF8.self)))
            return .constant(written.json)
        }
        guard case .column(let column) = resolve(json, at: value, allowed) else { return nil }
        let fallback = json.fallback.map { Array($0.utf8) }
        if let fallback {
            guard isJSON(fallback) else {
                fault(value, "has \(json.written), whose default is not JSON")
                return nil
            }
        }
        return .json(column: column, fallback: fallback)
    }

    // MARK: Idempotency

    private mutating func idempotency(
        _ value: Value?, _ body: Value?, _ request: inout DeclaredRequestForm
    ) -> DeclaredIdempotency? {
        let members = self.members(
            value, ["header", "pointer", "value", "valid"],
            like: #"{"header": "idempotency-key", "value": "uuid5", "valid": "24h"}"#)
        guard let members else { return nil }
        let form = word(
            required(members, "value", "write uuid5 or alnum16"), DeclaredIdempotency.Form.self)
        let valid = duration(
            required(
                members, "valid", #"write how long the service remembers it: "24h", "5m""#),
            .seconds(1) ... .seconds(30 * 86_400), "1s to 30d")
        if let header = members["header"], let pointer = members["pointer"] {
            fault(pointer, "is one place too many beside \(header.pointer.text); leave one out")
        } else if let header = members["header"], let name = fieldName(header) {
            if request.fields.contains(where: { $0.name == name }) {
                fault(header, "is '\(name)', which /request/headers has already; leave one out")
            }
            let text = DeclaredText([.value(.requestID, fallback: nil)])
            request.fields.append(DeclaredField(name, text))
        } else if let value = members["pointer"], let pointer = self.pointer(value) {
            let isDone = request.body.insert(.requestID, at: pointer)
            if !isDone {
                fault(
                    value,
                    "leads to no place in /request/body; it names a member of an object that is there, "
                        + "and that has no such member yet")
            }
        }
        guard let form, let valid else { return nil }
        return DeclaredIdempotency(form, valid: valid)
    }

    /// Checks that the content of `${id}` is known, and is used.
    private mutating func checkIDIsKnown(
        _ idempotency: DeclaredIdempotency?, _ request: DeclaredRequestForm, _ parts: RequestParts
    ) {
        let usesID =
            request.fields.contains { $0.value.has(.requestID) } || request.body.hasRequestID
            || parts.authorization.hasRequestID
        if !usesID, idempotency != nil, let value = parts.idempotency,
            value.json["header"] == nil, value.json["pointer"] == nil
        {
            fault(value, "goes nowhere; add header or pointer, or write ${id} where it belongs")
        }
        if usesID, parts.idempotency == nil, let value = parts.request {
            fault(
                value,
                #"or /auth has ${id}, and nothing says what it looks like; add "idempotency": {"value": "uuid5", "valid": "24h"}"#
            )
        }
    }
}

extension Limits {
    /// The largest body that a description may ask for: the largest of a webhook.
    static let declaredBodyBytesMax = 1024 * 1024
}
