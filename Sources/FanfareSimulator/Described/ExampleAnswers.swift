import Fanfare
import FanfareBase
import FanfareCore

/// The answers of a description's examples, and what is made of them for other rows.
struct ExampleAnswers: Sendable {
    /// An answer to a request as a whole.
    struct Whole: Sendable {
        var status: UInt16
        var body: [UInt8]
        /// The body with what was decoded in its place; `nil` if it is not JSON.
        var json: PlacedJSON?
        var outcomes: [Outcome]
        var isRenewal: Bool

        /// True if it accepts at least one row.
        var accepts: Bool {
            status == 200 && (outcomes.isEmpty || outcomes.contains(.accepted))
        }
    }

    private let answer: DeclaredAnswer
    private let wholes: [Whole]
    /// Those after which a request is sent again in two halves: a scenario asks for them by their status or
    /// a word, since they are no outcome's.
    private let splitting: [Whole]
    /// A row's own part of an answer, by its outcome.
    private let elements: [Outcome: PlacedJSON]
    /// A body with a place for rows' own parts, by the number of the list in it.
    private let bases: [Int: Whole]
    /// The answer in which all rows are accepted and none has a part of its own; `nil` if there is none.
    private var acceptance: Whole?

    /// - Parameter file: The description.
    init(_ file: ProviderFile) {
        let provider = file.provider
        answer = provider.answer
        var (wholes, elements, bases) = ([Whole](), [Outcome: PlacedJSON](), [Int: Whole]())
        var splitting: [Whole] = []
        let column = provider.columns[provider.token.column]
        for example in provider.examples {
            let tokens = example.rows.map { $0[column]?.word ?? "" }
            for said in example.answers where said.isComplete {
                let reply = file.reply(status: said.status, body: said.body)
                let whole = Whole(
                    status: said.status, body: said.body, json: reply.body,
                    outcomes: said.outcomes.map(\.outcome),
                    isRenewal: said.outcomes.contains {
                        $0.credential == .renew || $0.retry == .withNewCredential
                    })
                guard !said.splits else {
                    splitting.append(whole)
                    continue
                }
                wholes.append(whole)
                guard let json = reply.body else { continue }
                for (number, places) in Self.parts(provider.answer.rows, json, tokens).enumerated()
                where places.contains(where: { $0 != nil }) {
                    if bases[number] == nil { bases[number] = whole }
                    for (outcome, part) in zip(whole.outcomes, places) {
                        if let part, elements[outcome] == nil { elements[outcome] = part }
                    }
                }
            }
        }
        self.wholes = wholes
        self.splitting = splitting
        self.elements = elements
        self.bases = bases
        acceptance = tellsAccepted ? nil : whole(.accepted)
    }

    /// True if rows that are accepted have parts of their own in an answer.
    private var tellsAccepted: Bool {
        switch answer.rows {
        case .batch, .tokens: false
        case .index: true
        case .tokenKey(_, _, _, let rest), .object(_, _, let rest):
            rest.class.outcome != .accepted
        }
    }

    /// The rows' own parts of an answer, for each of its lists.
    private static func parts(
        _ rows: DeclaredRows, _ json: PlacedJSON, _ tokens: [String]
    ) -> [[PlacedJSON?]] {
        switch rows {
        case .batch: return []
        case .index(let list, _):
            // A list of another length says nothing of any row.
            guard let elements = list.find(in: json)?.elements, elements.count == tokens.count
            else { return [] }
            return [elements.map { $0 }]
        case .tokens(let lists, _):
            return lists.map { list in
                let listed = Self.listed(list, in: json)
                // Nothing but the token stands there.
                return tokens.map { listed.contains($0) ? PlacedJSON(.text($0)) : nil }
            }
        case .tokenKey(let list, let key, _, _):
            let elements = list.find(in: json)?.elements ?? []
            return [
                tokens.map { token in
                    elements.first { key.find(in: $0)?.word == token }
                }
            ]
        case .object(let at, _, _):
            let object = at.find(in: json)
            return [tokens.map { object?[$0] }]
        }
    }

    private static func listed(_ list: DeclaredTokenList, in json: PlacedJSON) -> [String] {
        guard let value = list.at.find(in: json) else { return [] }
        guard let separator = list.separator else {
            return value.elements?.compactMap(\.word) ?? []
        }
        return value.text?.split(separator: separator).map(String.init) ?? []
    }

    // MARK: What there is

    /// Returns true if there is an answer for rows with an outcome.
    func has(_ outcome: Outcome) -> Bool {
        whole(outcome) != nil || tells(outcome) && !bases.isEmpty
    }

    /// Returns true if a row can have an outcome of its own among others.
    private func tells(_ outcome: Outcome) -> Bool {
        switch answer.rows {
        case .batch: false
        case .index: elements[outcome] != nil
        case .tokens(let lists, _): number(of: outcome, in: lists) != nil
        case .tokenKey(_, _, _, let rest), .object(_, _, let rest):
            elements[outcome] != nil || rest.class.outcome == outcome
        }
    }

    private func number(of outcome: Outcome, in lists: [DeclaredTokenList]) -> Int? {
        lists.indices.first { lists[$0].verdict.class.outcome == outcome && bases[$0] != nil }
    }

    private func whole(_ outcome: Outcome) -> Whole? {
        wholes.first { !$0.outcomes.isEmpty && $0.outcomes.allSatisfy { $0 == outcome } }
    }

    // MARK: Answers

    /// Returns true if there is an answer with a status and a scenario's word; the usual word of the status
    /// is none of the scenario's.
    func has(_ status: Int, _ word: String) -> Bool {
        word.isEmpty || word == ErrorCodes.usualReason(status: UInt64(status), of: nil)
            || example(status: status, word: word) != nil
    }

    private func example(status: Int, word: String) -> Whole? {
        guard !word.isEmpty else { return nil }
        return (wholes + splitting).first { whole in
            Int(whole.status) == status
                && String(decoding: whole.body, as: UTF8.self).parts(at: word) != nil
        }
    }

    /// The answer of the examples with a status, if there is one with a word in it, then that.
    func answer(status: Int, word: String) -> Whole {
        example(status: status, word: word) ?? wholes.first { Int($0.status) == status }
            ?? splitting.first { Int($0.status) == status }
            ?? Whole(
                status: UInt16(status), body: [], json: nil, outcomes: [], isRenewal: false)
    }

    /// The answer to a token that is no longer good.
    var renewal: Whole { wholes.first(where: \.isRenewal) ?? answer(status: 401, word: "") }

    /// The answer that accepts all rows.
    /// - Parameters:
    ///   - tokens: The tokens of the rows.
    ///   - id: Tells the message from others.
    /// - Returns: The answer.
    func answer(accepting tokens: [String], id: String) -> Whole {
        guard let acceptance else {
            return answer(to: tokens.map { ($0, .accepted) }, id: id)
        }
        return named(acceptance, id)
    }

    /// The answer that gives rows their outcomes.
    /// - Parameters:
    ///   - rows: Token and outcome of each row.
    ///   - id: Tells the message from others.
    /// - Returns: The answer; where rows cannot be told apart, that of the first row for all.
    func answer(to rows: [(token: String, outcome: Outcome)], id: String) -> Whole {
        let first = rows.first?.outcome ?? .accepted
        guard rows.allSatisfy({ tells($0.outcome) || $0.outcome == .accepted }) else {
            return named(whole(first) ?? whole(.accepted), id)
        }
        var whole = telling(rows, id)
        whole.outcomes = rows.map(\.outcome)
        return whole
    }

    /// The answer in which each row has its outcome.
    private func telling(_ rows: [(token: String, outcome: Outcome)], _ id: String) -> Whole {
        switch answer.rows {
        case .batch: return named(whole(.accepted), id)
        case .index(let list, let judged):
            let parts = rows.enumerated().compactMap { number, row in
                element(row.outcome, judged, "\(id)-\(number + 1)")
            }
            return named(bases[0], id) { json in
                json.replace(at: list) { _ in PlacedJSON(.array(parts)) }
            }
        case .tokens(let lists, _): return answer(to: rows, lists, id)
        case .tokenKey(let list, let key, let judged, let rest):
            let parts = rows.enumerated().compactMap { number, row -> PlacedJSON? in
                guard row.outcome != rest.class.outcome else { return nil }
                var part = element(row.outcome, judged, "\(id)-\(number + 1)")
                part?.replace(at: key) { _ in PlacedJSON(.text(row.token)) }
                return part
            }
            if parts.isEmpty, let all = whole(.accepted) { return named(all, id) }
            return named(bases[0], id) { json in
                json.replace(at: list) { _ in PlacedJSON(.array(parts)) }
            }
        case .object(let at, let judged, let rest):
            let members = rows.enumerated().compactMap { number, row -> PlacedJSON.Member? in
                guard row.outcome != rest.class.outcome,
                    let part = element(row.outcome, judged, "\(id)-\(number + 1)")
                else { return nil }
                return PlacedJSON.Member(key: row.token, keyOffset: 0, value: part)
            }
            if members.isEmpty, let all = whole(.accepted) { return named(all, id) }
            return named(bases[0], id) { json in
                json.replace(at: at) { _ in PlacedJSON(.object(members)) }
            }
        }
    }

    private func answer(
        to rows: [(token: String, outcome: Outcome)], _ lists: [DeclaredTokenList], _ id: String
    ) -> Whole {
        var listed: [Int: [String]] = [:]
        for row in rows where row.outcome != .accepted {
            guard let number = number(of: row.outcome, in: lists) else { continue }
            listed[number, default: []].append(row.token)
        }
        if listed.isEmpty, let all = whole(.accepted) { return named(all, id) }
        // A body has the lists of its example, and no others.
        guard let number = listed.keys.min() ?? bases.keys.min() else { return named(nil, id) }
        return named(bases[number], id) { json in
            for index in lists.indices {
                let tokens = listed[index] ?? []
                json.replace(at: lists[index].at) { _ in
                    guard let separator = lists[index].separator else {
                        return PlacedJSON(.array(tokens.map { PlacedJSON(.text($0)) }))
                    }
                    return PlacedJSON(.text(tokens.joined(separator: separator)))
                }
            }
        }
    }

    private func element(
        _ outcome: Outcome, _ judged: DeclaredElement, _ id: String
    ) -> PlacedJSON? {
        var element = elements[outcome]
        if let place = judged.id { element?.replace(at: place) { Self.renamed($0, id) } }
        return element
    }

    /// An answer with an id of its own, and other changes.
    private func named(
        _ whole: Whole?, _ id: String, _ change: (inout PlacedJSON) -> Void = { _ in }
    ) -> Whole {
        var whole =
            whole ?? Whole(status: 200, body: [], json: nil, outcomes: [], isRenewal: false)
        guard var json = whole.json else { return whole }
        change(&json)
        if let place = answer.id { json.replace(at: place) { Self.renamed($0, id) } }
        // The parts that were decoded become texts again.
        for place in answer.decoded.reversed() {
            json.replace(at: place) { inner in
                inner.text == nil
                    ? PlacedJSON(.text(String(decoding: inner.json, as: UTF8.self))) : nil
            }
        }
        whole.body = json.json
        return whole
    }

    /// Only texts: a number may be of any size.
    private static func renamed(_ old: PlacedJSON, _ id: String) -> PlacedJSON? {
        old.text?.isEmpty == false ? PlacedJSON(.text(id)) : nil
    }
}
