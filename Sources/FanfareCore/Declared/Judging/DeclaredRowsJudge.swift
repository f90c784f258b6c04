/// The judge that tells the rows of an accepted request apart by the answer's words on each one.
struct DeclaredRowsJudge {
    let body: PlacedJSON?
    /// The number of rows of the request.
    let count: Int
    /// Returns their tokens.
    let tokens: () -> [[UInt8]]
    /// The verdict on the answer as a whole, which accepts it.
    let whole: DeclaredJudgement.Row

    func judge(_ rows: DeclaredRows) -> DeclaredJudgement {
        if case .batch = rows { return .shared(whole, count: count) }
        guard let body else { return inDoubt(DeclaredJudge.notJSON) }
        return switch rows {
        case .batch: .shared(whole, count: count)
        case .index(let list, let judged): byIndex(list.find(in: body), list, judged)
        case .tokens(let lists, let rest): byTokens(lists, rest, body)
        case .tokenKey(let list, let key, let judged, let rest):
            byTokenKey(list.find(in: body), list, key, judged, rest)
        case .object(let at, let judged, let rest):
            byObject(at.find(in: body), at, judged, rest)
        }
    }

    /// Returns the judgment on an answer that accepts the request and lacks words on its rows.
    private func inDoubt(_ flaw: String) -> DeclaredJudgement {
        var row = DeclaredJudgement.Row(ResponseClass(.unknown, retry: .inDoubt))
        row.reason = flaw
        row.id = whole.id
        var judgement = DeclaredJudgement(rows: Array(repeating: row, count: count))
        judgement.flaw = flaw
        return judgement
    }

    private func row(_ part: PlacedJSON, _ judged: DeclaredElement) -> DeclaredJudgement.Row {
        let rule = judged.rules.first { $0.fits(0, part) }
        var row = (rule?.verdict ?? judged.otherwise).row(part)
        row.id = judged.id.map { DeclaredJudge.words($0, part) } ?? whole.id
        return row
    }

    // MARK: Kinds

    // A list or an object of some rows names none where it is absent: many services leave it out then. A
    // list of all rows has to be there.

    private func byIndex(
        _ value: PlacedJSON?, _ list: JSONPointer, _ judged: DeclaredElement
    ) -> DeclaredJudgement {
        guard let elements = value?.elements else {
            return inDoubt("the answer has no list \(list.text)")
        }
        // One too many or too few, and nothing says which.
        guard elements.count == count else {
            return inDoubt("the answer has \(elements.count) results for \(count) rows")
        }
        return DeclaredJudgement(rows: elements.map { row($0, judged) })
    }

    private func byTokens(
        _ lists: [DeclaredTokenList], _ rest: DeclaredVerdict, _ body: PlacedJSON
    ) -> DeclaredJudgement {
        var verdicts: [(token: String, row: DeclaredJudgement.Row)] = []
        var flaw: String?
        for list in lists {
            guard let value = list.at.find(in: body), !value.isNull else {
                // A service that lists rows answers with an object, where a list may be absent.
                if body.members == nil { flaw = "the answer has no list \(list.at.text)" }
                continue
            }
            guard let names = Self.names(value, list.separator) else {
                flaw = "\(list.at.text) of the answer is \(value.kind)"
                continue
            }
            verdicts += names.map { ($0, list.verdict.row(body)) }
        }
        // A list that cannot be read may have named any of the rows.
        if let flaw { return inDoubt(flaw) }
        return named(verdicts, rest: rest)
    }

    /// Returns the tokens of a list; nil if it is of another kind.
    private static func names(_ value: PlacedJSON, _ separator: String?) -> [String]? {
        if let separator {
            return value.text.map { text in
                text.utf8.split(separator: separator.utf8).map { String(Substring($0)) }
            }
        }
        guard let elements = value.elements else { return nil }
        let names = elements.compactMap(\.word)
        return names.count == elements.count ? names : nil
    }

    private func byTokenKey(
        _ value: PlacedJSON?, _ list: JSONPointer, _ key: JSONPointer,
        _ judged: DeclaredElement, _ rest: DeclaredVerdict
    ) -> DeclaredJudgement {
        guard let value, !value.isNull else { return noneNamed(rest, "list \(list.text)") }
        guard let elements = value.elements else {
            return inDoubt("\(list.text) of the answer is \(value.kind)")
        }
        // An element without a token is of no row that is known.
        let verdicts = elements.map { (key.find(in: $0)?.word ?? "", row($0, judged)) }
        return named(verdicts, rest: rest)
    }

    private func byObject(
        _ value: PlacedJSON?, _ at: JSONPointer, _ judged: DeclaredElement,
        _ rest: DeclaredVerdict
    ) -> DeclaredJudgement {
        guard let value, !value.isNull else { return noneNamed(rest, "object \(at.text)") }
        guard let members = value.members else {
            return inDoubt("\(at.text) of the answer is \(value.kind)")
        }
        return named(members.map { ($0.key, row($0.value, judged)) }, rest: rest)
    }

    private func noneNamed(_ rest: DeclaredVerdict, _ place: String) -> DeclaredJudgement {
        // A service that lists rows answers with an object.
        rest.class.outcome == .unknown || body?.members == nil
            ? inDoubt("the answer has no \(place)") : named([], rest: rest)
    }

    // MARK: Tokens

    /// A token, of which the hash takes all bytes at once: that of an array takes one after the other, which costs
    /// more than the rest of a row.
    private struct Name: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) {
            unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
    }

    /// Gives each row the verdict on its token, the worse of two, and the others the rest.
    private func named(
        _ verdicts: [(token: String, row: DeclaredJudgement.Row)], rest: DeclaredVerdict
    ) -> DeclaredJudgement {
        var others = rest.row(body)
        others.id = whole.id
        var judgement = DeclaredJudgement(rows: Array(repeating: others, count: count))
        guard !verdicts.isEmpty else { return judgement }
        var named: [Name: (row: DeclaredJudgement.Row, times: Int, isSent: Bool)] = [:]
        for (token, row) in verdicts {
            let token = Name(bytes: Array(token.utf8))
            let (other, times, _) = named[token] ?? (row, 0, false)
            named[token] = (other.worse(row), times + 1, false)
        }
        for (index, token) in tokens().lazy.map(Name.init).enumerated() {
            guard var row = named[token]?.row else { continue }
            named[token]?.isSent = true
            if row.id.isEmpty { row.id = whole.id }
            judgement.rows[index] = row
        }
        for name in named.values where !name.isSent { judgement.strays += name.times }
        return judgement
    }
}

extension DeclaredJudgement.Row {
    /// Returns the worse of two verdicts on one row.
    ///
    /// If one of them accepts it, the row is not sent again: it could arrive twice.
    func worse(_ other: DeclaredJudgement.Row) -> DeclaredJudgement.Row {
        let isFirst = self.class.outcome.badness >= other.class.outcome.badness
        var worse = isFirst ? self : other
        let better = isFirst ? other : self
        if better.class.outcome == .accepted, worse.class.outcome != .accepted {
            worse.class.retry = worse.class.outcome == .unknown ? .inDoubt : .never
        }
        return worse
    }
}

extension Outcome {
    /// The badness of an outcome for those who wanted the row sent.
    fileprivate var badness: Int {
        switch self {
        case .accepted: 0
        case .skipped: 1
        case .throttled: 2
        case .failed: 3
        case .unknown: 4
        case .invalid: 5
        case .rejected: 6
        case .suspect: 7
        case .unregistered: 8
        }
    }
}
