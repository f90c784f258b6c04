package import Fanfare
import FanfareBase
import FanfareCore

/// Answers for a provider that a file describes, as the examples in the file do.
package struct DescribedDesk: Sendable {
    /// A request, of either version of HTTP.
    struct Received {
        var method: String
        /// With the query.
        var path: String
        var body: [UInt8]
        /// The value of a header field; `nil` for one that did not come or was not kept.
        var field: (_ name: String) -> String?
    }

    let provider: DeclaredProvider
    private let answers: ExampleAnswers
    private let finder: TokenFinder
    /// The path at which tokens are given out; `nil` if they are not.
    private let tokenPath: TextPattern?
    private let exchange: DeclaredExchange?
    /// The life of the tokens that it gives out.
    private let tokenLife: Duration

    /// - Parameters:
    ///   - file: The description.
    ///   - tokenLife: The life of the tokens that it gives out.
    /// - Throws: `SimulatorError` if no example has an answer that accepts a message.
    package init(_ file: ProviderFile, tokenLife: Duration) throws(SimulatorError) {
        provider = file.provider
        self.tokenLife = tokenLife
        answers = ExampleAnswers(file)
        finder = TokenFinder(provider)
        switch provider.authorization {
        case .clientCredentials(let exchange), .login(let exchange):
            tokenPath = TextPattern(pathOf: exchange.url)
            self.exchange = exchange
        case .none, .header, .basic, .bearerFile, .serviceAccount, .jwt, .hmac:
            tokenPath = nil
            exchange = nil
        }
        guard answers.has(.accepted) else {
            throw SimulatorError(
                file.name, "has no example of an answer that accepts its rows, which is needed here"
            )
        }
    }

    /// True if connections in the clear speak HTTP/2.
    var isHTTP2InTheClear: Bool { provider.transport == .http2 }

    /// The protocol that is agreed on in TLS.
    var applicationProtocol: String { provider.transport == .http1 ? "http/1.1" : "h2" }

    /// Refuses a scenario with outcomes that no example leads to, or with words that none has.
    func check(_ scenario: Scenario) throws(SimulatorError) {
        for (index, rule) in scenario.rules.enumerated() {
            let fate = rule.action.stream
            if case .outcome(let outcome) = fate, !answers.has(outcome) {
                throw SimulatorError(
                    "rules[\(index)].then.outcome",
                    "no example of \(provider.name) has an answer for \(outcome.name)")
            }
            if case .answer(let said) = fate, rule.condition.service != .oauth,
                !answers.has(said.status, said.reason)
            {
                throw SimulatorError(
                    "rules[\(index)].then.reason",
                    "no example of \(provider.name) has '\(said.reason)' in an answer with status "
                        + "\(said.status)"
                )
            }
        }
    }

    /// Returns true if a request is one for a token.
    func isTokenRequest(path: String) -> Bool { tokenPath?.find(in: path.utf8) != nil }

    // MARK: Requests

    /// Decides about a request.
    /// - Parameters:
    ///   - received: The request.
    ///   - core: The state that connections share.
    ///   - unixMilliseconds: The time of day.
    ///   - rule: Finds the scenario's rule for a token and a service; true asks about a row behind the first one
    ///     of a request.
    /// - Returns: The answer, and what it is about.
    func decide(
        _ received: Received, core: SimulatorCore, unixMilliseconds: UInt64,
        rule: (UnsafeBufferPointer<UInt8>, SimulatedService, Bool) -> Int?
    ) -> GoogleDesk.Decision {
        if isTokenRequest(path: received.path), let exchange {
            return giveToken(exchange, core, unixMilliseconds, unsafe rule(.empty, .oauth, false))
        }
        guard let tokens = finder.tokens(of: received) else {
            return decision(answers.answer(status: 400, word: ""), "not of the description")
        }
        guard isLetIn(received, core, unixMilliseconds) else {
            var refused = decision(answers.renewal, "no token, or one that has expired")
            refused.target = tokens[0]
            return refused
        }
        var id = ByteBuffer()
        core.makeID().append(to: &id)
        let name = unsafe String(decoding: id.bytes, as: UTF8.self)
        guard !core.scenario.isEmpty else {
            var accepted = decision(answers.answer(accepting: tokens, id: name), "")
            accepted.target = tokens[0]
            accepted.name = accepted.answer.status == 200 ? name : ""
            return accepted
        }
        var rows: [(token: String, outcome: Outcome)] = []
        var first = -1
        for (index, token) in tokens.enumerated() {
            var (text, outcome) = (token, Outcome.accepted)
            if let found = text.withUTF8({ unsafe rule($0, .described, index > 0) }) {
                let fate = core.configuration.scenario.rules[found].action.stream
                if case .outcome(let wanted) = fate { outcome = wanted }
                if index == 0 { first = found }
            }
            rows.append((token, outcome))
        }
        var decided: GoogleDesk.Decision
        if first >= 0,
            case .answer(let said) = core.configuration.scenario.rules[first].action.stream
        {
            decided = decision(
                said.status == 200 && said.reason.isEmpty
                    ? answers.answer(to: rows, id: name)
                    : answers.answer(status: said.status, word: said.reason), said.reason)
        } else {
            let word = rows[0].outcome == .accepted ? "" : rows[0].outcome.name.description
            decided = decision(answers.answer(to: rows, id: name), word)
        }
        decided.rule = first
        decided.target = tokens[0]
        decided.name = decided.answer.status == 200 ? name : ""
        return decided
    }

    private func decision(_ whole: ExampleAnswers.Whole, _ word: String) -> GoogleDesk.Decision {
        var decided = GoogleDesk.Decision(
            answer: GoogleAnswer(status: Int(whole.status), word: word, body: whole.body),
            service: .described)
        decided.answer.accepts = whole.accepts
        decided.label = provider.name
        return decided
    }

    // MARK: Tokens

    /// Returns true if a request has a token that was given out here and is still good, where that can be told.
    private func isLetIn(
        _ received: Received, _ core: SimulatorCore, _ unixMilliseconds: UInt64
    ) -> Bool {
        guard let exchange, exchange.use.name == "authorization" else { return true }
        let pattern = TextPattern(exchange.use.value) { $0 == .token }
        guard let value = received.field(exchange.use.name),
            let token = pattern.find(in: value.utf8)
        else { return false }
        let grant = unsafe token.withUnsafeBufferPointer { unsafe core.accessTokens.grant(of: $0) }
        return grant.map { unixMilliseconds < $0.expiresAt } ?? false
    }

    private func giveToken(
        _ exchange: DeclaredExchange, _ core: SimulatorCore, _ unixMilliseconds: UInt64,
        _ rule: Int?
    ) -> GoogleDesk.Decision {
        if let rule,
            case .answer(let said) = core.configuration.scenario.rules[rule].action.stream,
            said.status != 200
        {
            let json = PlacedJSON(
                .object([
                    PlacedJSON.Member(
                        key: "error", keyOffset: 0, value: PlacedJSON(.text(said.reason)))
                ]))
            return GoogleDesk.Decision(
                answer: GoogleAnswer(status: said.status, word: said.reason, body: json.json),
                rule: rule, service: .oauth)
        }
        let life = UInt64(tokenLife.wholeNanoseconds / 1_000_000)
        let grant = AccessTokens.Grant(
            expiresAt: unixMilliseconds + life, number: core.makeTokenNumber())
        var json = Self.put(
            PlacedJSON(.text(core.accessTokens.token(for: grant))), at: exchange.token.keys[...],
            in: PlacedJSON(.object([])))
        if case .seconds(let place) = exchange.lifetime {
            json = Self.put(
                PlacedJSON(.number("\(tokenLife.components.seconds)")), at: place.keys[...],
                in: json)
        }
        return GoogleDesk.Decision(
            answer: GoogleAnswer(status: 200, body: json.json), rule: rule ?? -1, service: .oauth)
    }

    /// Puts a value where a pointer leads to, and what is needed on the way.
    private static func put(
        _ value: PlacedJSON, at keys: ArraySlice<String>, in old: PlacedJSON?
    ) -> PlacedJSON {
        guard let key = keys.first else { return value }
        let rest = keys.dropFirst()
        if key == "0", old?.members?.isEmpty ?? true {
            return PlacedJSON(.array([put(value, at: rest, in: old?.elements?.first)]))
        }
        var members = old?.members ?? []
        let inner = put(value, at: rest, in: old?[key])
        members.removeAll { $0.key == key }
        members.append(PlacedJSON.Member(key: key, keyOffset: 0, value: inner))
        return PlacedJSON(.object(members))
    }
}
