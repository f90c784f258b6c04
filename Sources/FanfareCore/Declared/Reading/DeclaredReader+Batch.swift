import FanfareBase

extension DeclaredReader {
    /// Reads how rows share requests, and puts the place of their tokens or messages into the body.
    mutating func batch(
        _ parts: RequestParts, _ body: Value?, _ request: inout DeclaredRequestForm
    ) -> DeclaredBatch? {
        let members = self.members(
            parts.batch, ["rows", "tokens", "join", "messages", "linger"],
            like: #"{"rows": 100, "tokens": "/tokens"}, or {"rows": 100, "messages": ""}"#)
        guard let members else { return nil }
        let rows = count(required(members, "rows", "write the most rows of a request"), 2...10_000)
        let linger =
            duration(members["linger"], .zero ... .seconds(10), "0 to 10s") ?? .milliseconds(50)
        checkRowsCanShare(members.object, parts, request)
        let kind: DeclaredBatch.Kind
        switch (members["tokens"], members["messages"]) {
        case (let tokens?, nil):
            kind = .tokens
            let join = word(members["join"], DeclaredJoin.self) ?? .array
            if let pointer = self.pointer(tokens) {
                placeTokens(pointer, join, tokens, parts, &request)
            }
        case (nil, let messages?):
            kind = .messages
            if let join = members["join"] {
                fault(join, "is for tokens, and here are messages; leave it out")
            }
            if let pointer = self.pointer(messages) { placeMessages(pointer, messages, &request) }
        case (let tokens?, _?):
            fault(tokens, "and /batch/messages exclude each other; leave one of them out")
            return nil
        case (nil, nil):
            fault(
                members.object,
                #"says neither where tokens go nor where messages go; add "tokens": "/…" or "messages": "/…""#
            )
            return nil
        }
        return rows.map { DeclaredBatch(kind, rowsMax: $0, linger: linger) }
    }

    /// Checks that rows can share path, header fields and signature.
    private mutating func checkRowsCanShare(
        _ batch: Value, _ parts: RequestParts, _ request: DeclaredRequestForm
    ) {
        let column = parts.token.column
        if request.path.columns.contains(column)
            || request.fields.contains(where: { $0.value.columns.contains(column) })
        {
            fault(
                batch,
                "has no effect: path or header fields have the row's token, so no two rows would share "
                    + "a request; leave it out")
        }
        if case .hmac(let hmac) = parts.authorization,
            hmac.key.hasColumns || hmac.over.contains(where: \.hasColumns)
        {
            fault(
                batch,
                "cannot be: rows that share a request have no key of their own; leave it out")
        }
    }

    private mutating func placeTokens(
        _ pointer: JSONPointer, _ join: DeclaredJoin, _ value: Value, _ parts: RequestParts,
        _ request: inout DeclaredRequestForm
    ) {
        if request.body.columns.contains(parts.token.column) {
            fault(
                value,
                "puts tokens together, and /request/body has ${row:\(columns[parts.token.column])} as "
                    + "well, so no two rows would share a request; leave that out")
            return
        }
        let isPlaced = request.body.replace(at: pointer) { node in
            switch (node, join) {
            case (.array([]), .array), (.constant(Array("\"\"".utf8)), .comma): .tokens(join)
            case (.text(let text), .comma) where text.constant == []: .tokens(join)
            default: nil
            }
        }
        if !isPlaced {
            fault(
                value,
                join == .array
                    ? "leads to no empty array in /request/body; put [] where the tokens go"
                    : #"leads to no empty text in /request/body; put "" where the tokens go"#)
        }
    }

    private mutating func placeMessages(
        _ pointer: JSONPointer, _ value: Value, _ request: inout DeclaredRequestForm
    ) {
        if pointer.keys.isEmpty, case .json(let node) = request.body {
            request.body = .json(.messages(node))
            return
        }
        let isPlaced = request.body.replace(at: pointer) { node in
            guard case .array(let nodes) = node, nodes.count == 1 else { return nil }
            return .messages(nodes[0])
        }
        if !isPlaced {
            fault(
                value,
                "leads to no array with one element in /request/body; put [{…}] there, with the message "
                    + "of one row")
        }
    }
}

// MARK: Places in bodies

extension DeclaredBody {
    /// Replaces a value.
    /// - Parameters:
    ///   - pointer: The place of the value, as the body is written in the file.
    ///   - change: Returns the new value; nil if there can be none.
    /// - Returns: True if the value was there, and could be replaced.
    mutating func replace(
        at pointer: JSONPointer, _ change: (DeclaredNode) -> DeclaredNode?
    ) -> Bool {
        switch self {
        case .none, .text: return false
        case .json(var node):
            guard node.replace(at: pointer.keys[...], change) else { return false }
            self = .json(node)
            return true
        case .form(var fields):
            guard let name = pointer.keys.first,
                let index = fields.firstIndex(where: { $0.name == name })
            else { return false }
            var rest = pointer.keys.dropFirst()
            if fields[index].isJSON {
                guard rest.first == "json" else { return false }
                rest = rest.dropFirst()
            }
            guard fields[index].value.replace(at: rest, change) else { return false }
            self = .form(fields)
            return true
        }
    }

    /// Adds a member to an object, or a field to a form; false if there is no place for it.
    mutating func insert(_ node: DeclaredNode, at pointer: JSONPointer) -> Bool {
        guard let key = pointer.keys.last else { return false }
        if case .form(var fields) = self, pointer.keys.count == 1 {
            guard !fields.contains(where: { $0.name == key }) else { return false }
            fields.append(DeclaredFormField(name: key, value: node, isJSON: false))
            self = .form(fields)
            return true
        }
        return replace(at: JSONPointer(keys: pointer.keys.dropLast())) { object in
            guard case .object(var members) = object,
                !members.contains(where: { $0.key == key })
            else { return nil }
            members.append(DeclaredMember(key, node))
            return .object(members)
        }
    }

    /// All nodes in it.
    var nodes: [DeclaredNode] {
        switch self {
        case .none: []
        case .text(let text): [.text(text)]
        case .json(let node): node.all
        case .form(let fields): fields.flatMap(\.value.all)
        }
    }

    /// The columns that it has places for, but for tokens and messages that are put together.
    var columns: [Int] {
        nodes.flatMap { node -> [Int] in
            switch node {
            case .text(let text): text.columns
            case .json(let column, _): [column]
            default: []
            }
        }
    }

    var hasRequestID: Bool {
        nodes.contains { node in
            switch node {
            case .text(let text): text.has(.requestID)
            case .requestID: true
            default: false
            }
        }
    }
}

extension DeclaredNode {
    /// The node, and all nodes in it.
    var all: [DeclaredNode] {
        switch self {
        case .constant, .text, .json, .tokens, .requestID: [self]
        case .array(let nodes): nodes.flatMap(\.all)
        case .object(let members): members.flatMap(\.value.all)
        case .messages(let node): node.all
        case .optional(let node, _): node.all
        }
    }

    fileprivate mutating func replace(
        at keys: ArraySlice<String>, _ change: (DeclaredNode) -> DeclaredNode?
    ) -> Bool {
        guard let key = keys.first else {
            guard let other = change(self) else { return false }
            self = other
            return true
        }
        switch self {
        case .object(var members):
            guard let index = members.firstIndex(where: { $0.key == key }),
                members[index].value.replace(at: keys.dropFirst(), change)
            else { return false }
            self = .object(members)
        case .array(var nodes):
            guard let index = JSONPointer.index(key), index < nodes.count,
                nodes[index].replace(at: keys.dropFirst(), change)
            else { return false }
            self = .array(nodes)
        case .constant, .text, .json, .optional, .tokens, .messages, .requestID: return false
        }
        return true
    }
}

extension DeclaredAuthorization {
    /// True if a signature covers the id that tells requests from others.
    var hasRequestID: Bool {
        guard case .hmac(let hmac) = self else {
            if case .header(let field) = self { return field.value.has(.requestID) }
            return false
        }
        return (hmac.over + hmac.also.map(\.value)).contains { $0.has(.requestID) }
    }
}
