import FanfareBase

extension DeclaredReader {
    private static let rowsExample = #"{"by": "index", "list": "/data", "rules": […]}"#

    /// Returns the keys of a way to tell rows apart.
    private static func keys(_ kind: DeclaredRows.Kind) -> [String] {
        switch kind {
        case .batch: []
        case .index: ["list", "id", "rules", "otherwise"]
        case .tokens: ["lists", "rest"]
        case .tokenKey: ["list", "key", "id", "rules", "otherwise", "rest"]
        case .object: ["at", "id", "rules", "otherwise", "rest"]
        }
    }

    /// Reads the way to tell rows apart; nil for a missing value, and after a fault.
    mutating func rows(_ value: Value?, _ provider: DeclaredProvider) -> DeclaredRows? {
        guard let value else { return nil }
        guard let json = value.json["by"] else {
            if value.json.members == nil {
                wrongKind(value, "an object: \(Self.rowsExample)")
            } else {
                let words = DeclaredRows.Kind.allCases.map(\.rawValue)
                fault(
                    Value(value.json, value.pointer.appending("by")),
                    "is missing; write one of \(words.joined(separator: ", "))")
            }
            return nil
        }
        let word = self.word(Value(json, value.pointer.appending("by")), DeclaredRows.Kind.self)
        guard let kind = word,
            let members = self.members(value, ["by"] + Self.keys(kind), like: Self.rowsExample)
        else { return nil }
        switch kind {
        case .batch: return .batch
        case .index:
            let list = pointer(
                required(members, "list", #"write where the results are: "/data""#))
            let judged = element(members, provider)
            guard let list, let judged else { return nil }
            return .index(list: list, judged: judged)
        case .tokens:
            let lists = tokenLists(members, provider)
            return rest(members, provider).map { .tokens(lists, rest: $0) }
        case .tokenKey:
            let list = pointer(
                required(members, "list", #"write where the results are: "/data""#))
            let key = pointer(
                required(members, "key", #"write where a result has its token: "/token""#))
            let judged = element(members, provider)
            guard let list, let key, let judged, let rest = self.rest(members, provider) else {
                return nil
            }
            return .tokenKey(list: list, key: key, judged: judged, rest: rest)
        case .object:
            let at = pointer(
                required(members, "at", #"write where the object is: "/data", or "" for all"#))
            let judged = element(members, provider)
            guard let at, let judged, let rest = self.rest(members, provider) else { return nil }
            return .object(at: at, judged: judged, rest: rest)
        }
    }

    private mutating func rest(
        _ members: Members, _ provider: DeclaredProvider
    ) -> DeclaredVerdict? {
        plainVerdict(
            required(members, "rest", #"write what holds for rows that are not named: "accepted""#),
            provider)
    }

    private mutating func element(
        _ members: Members, _ provider: DeclaredProvider
    ) -> DeclaredElement? {
        let id = pointer(members["id"])
        let rules = self.rules(
            required(
                members, "rules", #"write [{"at": "/status", "is": ["ok"], "outcome": "accepted"}]"#
            ),
            ofRows: true, provider)
        let otherwise = plainVerdict(
            required(
                members, "otherwise",
                #"write what holds if no rule fits: {"outcome": "rejected", "reason": "/message"}"#),
            provider)
        return otherwise.map { DeclaredElement(id: id, rules: rules, otherwise: $0) }
    }

    private mutating func tokenLists(
        _ members: Members, _ provider: DeclaredProvider
    ) -> [DeclaredTokenList] {
        let example = #"[{"at": "/invalid_tokens", "outcome": "unregistered"}]"#
        var lists: [DeclaredTokenList] = []
        for value in elements(
            required(members, "lists", "write the lists of tokens in the answer: \(example)"),
            like: example)
        {
            let members = self.members(
                value, ["at", "separator"] + Self.verdictKeys,
                like: #"{"at": "/invalid_tokens", "outcome": "unregistered"}"#)
            guard let members else { continue }
            let at = pointer(required(members, "at", "write where the list is"))
            let separator = text(members["separator"])
            let verdict = self.verdict(members, provider)
            guard let at, let verdict else { continue }
            lists.append(DeclaredTokenList(at: at, separator: separator, verdict: verdict))
        }
        return lists
    }
}
