import FanfareBase
package import FanfareCore

/// The translation of a job's message into a payload and header values for each provider.
extension Message {
    /// Translates the message for a provider.
    /// - Parameter provider: The provider.
    /// - Returns: Payload and headers.
    /// - Throws: `FanfareError` with code `configuration` about a field that the provider does not
    ///   take.
    package func translated(
        for provider: ProviderKind
    ) throws(FanfareError) -> MessageTranslation {
        let neutral = try neutral()
        let members = provider == .apns ? ownMembers.map { ($0.pointer, $0.json) } : []
        let translation: MessageTranslation
        do throws(MessageProblem) {
            translation = try neutral.translated(for: provider, adding: members)
        } catch {
            throw FanfareError(.configuration, "\(name): \(error.description)")
        }
        // Without a payload of the job there is no place for it, and those of rows are as they are.
        if case .declared = provider { return translation }
        if translation.payload == nil,
            let field = MessageField.allCases.first(where: { field in
                neutral.has(field) && MessageMapping.of(field, provider).isInPayload
            })
        {
            throw FanfareError(
                .configuration,
                "\(name): \(field.rawValue) is a part of the payload for \(provider.title), and nothing "
                    + "is said that makes one; give a title, a body or data, or write it into the "
                    + "payloads of the rows")
        }
        return translation
    }

    /// Returns the fields that a provider does not get, in sentences.
    /// - Parameters:
    ///   - provider: The provider.
    ///   - declared: Its description, if there is one.
    /// - Returns: A sentence for each field.
    func unsaid(to provider: ProviderKind, _ declared: DeclaredOptions?) -> [String] {
        let fields =
            if let declared {
                (try? MessageFilling(self, of: declared))?.unsaid ?? []
            } else {
                (try? translated(for: provider))?.unsaid ?? []
            }
        let words = fields.map(\.rawValue) + (provider == .apns ? [] : ownNames)
        return words.map {
            "\(name): \($0) is left out for \(provider.title), which has no place for it"
        }
    }

    /// The names of the members that only APNs knows.
    private var ownNames: [String] {
        ownMembers.compactMap { $0.pointer.split(separator: "/").last.map(String.init) }
            // Said to all, in another form.
            .filter { $0 != "alert" && MessageField(rawValue: $0) == nil }
    }

    func neutral() throws(FanfareError) -> NeutralMessage {
        var neutral = NeutralMessage()
        neutral.title = title
        neutral.subtitle = subtitle
        neutral.body = body
        neutral.image = image
        neutral.link = link
        neutral.data = orderedData
        neutral.badge = badge
        neutral.sound = sound
        if let ttl {
            let (seconds, rest) = ttl.components
            guard rest == 0, let seconds = UInt32(exactly: seconds) else {
                throw FanfareError(
                    .configuration,
                    "\(name): ttl is no whole number of seconds from 0 to \(UInt32.max)")
            }
            neutral.ttl = seconds
        }
        neutral.collapse = collapse
        neutral.priority = priority.flatMap { NeutralMessage.Priority(rawValue: $0.rawValue) }
        return neutral
    }
}

extension MessageMapping {
    /// True if a field is in the payload alone.
    fileprivate var isInPayload: Bool {
        !targets.isEmpty
            && targets.allSatisfy { target in
                if case .pointer = target.place { true } else { false }
            }
    }
}

extension Configuration {
    /// Returns the configuration with the message's delivery options, if the provider's own
    /// settings leave them open.
    /// - Throws: `FanfareError` with code `configuration`.
    func withMessage() throws(FanfareError) -> Configuration {
        var configuration = self
        for (index, route) in routes.enumerated() {
            guard route.declared == nil, let translation = try translation(of: route) else {
                continue
            }
            configuration.routes[index] = route.filled(from: translation)
        }
        return configuration
    }

    /// Returns the message of a route as its provider wants it; `nil` if there is none.
    ///
    /// The headers are the same for all rows, so messages that rows choose from agree on them.
    private func translation(
        of route: ProviderOptions
    ) throws(FanfareError) -> MessageTranslation? {
        let source = payload(of: route)
        var found: (name: String, translation: MessageTranslation)?
        for payload in source.choice?.texts.map(\.payload) ?? [source] {
            guard case .message(let message) = payload else { continue }
            let translation = try message.translated(for: route.provider.kind)
            guard let first = found else {
                found = (message.name, translation)
                continue
            }
            guard first.translation.headers == translation.headers else {
                throw FanfareError(
                    .configuration,
                    "\(first.name) and \(message.name) differ in ttl, collapse or priority, which a "
                        + "job has once for \(route.provider.kind.title)")
            }
        }
        return found?.translation
    }
}

extension PreparedJob {
    /// Returns the columns that the placeholders name, each once: the template's first.
    static func columns(
        ofTemplate json: [UInt8]?, and provider: ProviderOptions
    ) throws(FanfareError) -> [String] {
        let names = try columns(ofTemplate: json)
        guard let collapse = provider.collapseTemplate else { return names }
        let more = try told(\.jobError) { () throws(PayloadTemplateError) in
            try HeaderTemplate.columnNames(in: collapse)
        }
        return (names + more).distinct
    }
}

extension ProviderOptions {
    /// Fills in the header values of a message that no option gives.
    /// - Parameter translation: The message as this provider wants it.
    /// - Returns: The options with them.
    func filled(from translation: MessageTranslation) -> ProviderOptions {
        var options = self
        for header in translation.headers {
            switch (header.name, header.value) {
            case ("apns-expiration", _) where expiration != nil || expiresAfter != nil: break
            case ("apns-expiration", .text(let text)): options.expiration = text
            case ("apns-expiration", .moment(let seconds)): options.expiresAfter = .seconds(seconds)
            case ("apns-priority", .text(let text)): options.priority = priority ?? text
            case ("apns-collapse-id", _) where collapseID != nil: break
            case ("apns-collapse-id", .text(let text)): options.collapseID = text
            case ("apns-collapse-id", .template(let text)): options.collapseTemplate = text
            default: preconditionFailure("BUG: a message has no header \(header.name) like this")
            }
        }
        return options
    }
}
