/// A neutral message as one provider wants it.
package struct MessageTranslation: Equatable, Sendable {
    /// A header of every request.
    package struct Header: Equatable, Sendable {
        package enum Value: Equatable, Sendable {
            /// The same for all rows.
            case text(String)
            /// A text with placeholders, for `HeaderTemplate`.
            case template(String)
            /// A moment so many seconds after the start of the job, in UNIX seconds.
            case moment(secondsAfterStart: UInt32)
        }

        package var name: String
        package var value: Value

        package init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// A template, JSON without white space; nil if the message says nothing.
    package var payload: [UInt8]?
    package var headers: [Header] = []
    /// The fields that were given and have no place at the provider.
    package var unsaid: [MessageField] = []
}

extension NeutralMessage {
    /// Translates a message for a provider.
    /// - Parameters:
    ///   - provider: The provider.
    ///   - members: The other members of its payload, as pointers and JSON; they win.
    /// - Returns: Payload and headers.
    /// - Throws: The first of `problems(for:)`.
    package func translated(
        for provider: ProviderKind, adding members: [(pointer: String, json: String)] = []
    ) throws(MessageProblem) -> MessageTranslation {
        if let problem = problems(for: provider).first { throw problem }
        var translation = MessageTranslation()
        var tree = PayloadTree()
        for (pointer, json) in MessageMapping.fixedMembers(provider) {
            tree.set(Self.path(pointer), json)
        }
        for field in MessageField.allCases {
            let mapping = MessageMapping.of(field, provider)
            if has(field) && mapping.targets.isEmpty { translation.unsaid.append(field) }
            for target in mapping.targets {
                switch target.place {
                case .pointer(let pointer): put(field, target, at: Self.path(pointer), in: &tree)
                case .header(let name):
                    guard let value = headerValue(field, target) else { continue }
                    translation.headers.append(MessageTranslation.Header(name, value))
                }
            }
        }
        // Behind everything else, as they always were; members of `aps` among them go into it.
        for (pointer, json) in members { tree.set(Self.path(pointer), json) }
        if !isEmpty || !members.isEmpty { translation.payload = Array(tree.json.utf8) }
        return translation
    }

    private static func path(_ pointer: String) -> [String] {
        pointer.split(separator: "/").map(String.init)
    }

    private func put(
        _ field: MessageField, _ target: MessageTarget, at path: [String],
        in tree: inout PayloadTree
    ) {
        guard field == .data else {
            if let json = json(field, target) { tree.set(path, json) }
            return
        }
        for datum in data {
            tree.set(path.dropLast() + [datum.key], AlertFlags.quoted(datum.value))
        }
    }

    /// Returns the JSON of a field for a member of the payload.
    private func json(_ field: MessageField, _ target: MessageTarget) -> String? {
        if !has(field) || target.wantsText && title == nil && body == nil { return nil }
        return switch target.form {
        case .text: text(of: field).map(AlertFlags.quoted)
        case .number: text(of: field).flatMap { AlertFlags.Number($0)?.json }
        case .mark(let json): json
        case .duration: ttl.map { "\"\($0)s\"" }
        case .words(let high, let normal):
            priority.map { AlertFlags.quoted($0 == .high ? high : normal) }
        case .seconds: ttl.map { String($0) }
        // A form of headers.
        case .moment: nil
        }
    }

    private func headerValue(
        _ field: MessageField, _ target: MessageTarget
    ) -> MessageTranslation.Header.Value? {
        guard has(field) else { return target.fallback.map { .text($0) } }
        switch target.form {
        case .text:
            guard let text = text(of: field) else { return nil }
            let isTemplate = (try? TemplateText(text))?.isTemplate == true
            return isTemplate ? .template(text) : .text(text)
        case .seconds: return ttl.map { .text(String($0)) }
        case .moment: return ttl.map { $0 == 0 ? .text("0") : .moment(secondsAfterStart: $0) }
        case .words(let high, let normal):
            return priority.map { .text($0 == .high ? high : normal) }
        // Forms of payloads.
        case .number, .mark, .duration: return nil
        }
    }
}
