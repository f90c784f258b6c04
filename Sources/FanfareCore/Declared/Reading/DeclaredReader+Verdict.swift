import FanfareBase

extension DeclaredReader {
    /// The keys of a verdict, which may stand among others.
    static let verdictKeys = [
        "outcome", "retry", "wait", "credential", "job", "blames", "reason", "split",
    ]
    private static let verdictExample = #"{"outcome": "rejected", "reason": "/error"}"#

    /// Reads a verdict without conditions, or the word of its outcome.
    mutating func plainVerdict(
        _ value: Value?, _ provider: DeclaredProvider
    ) -> DeclaredVerdict? {
        guard let value else { return nil }
        if value.json.text != nil {
            return outcome(value).map { DeclaredVerdict(Self.usual($0)) }
        }
        let members = self.members(value, Self.verdictKeys, like: Self.verdictExample)
        return members.flatMap { verdict($0, provider) }
    }

    mutating func outcome(_ value: Value?) -> Outcome? {
        let answered: [Outcome] = Outcome.allCases.filter { $0 != .invalid && $0 != .skipped }
        return word(value, among: answered.map { ($0.name.description, $0) })
    }

    /// Returns the class of an outcome where the description says no more: a row that may have been
    /// sent is in doubt.
    private static func usual(_ outcome: Outcome) -> ResponseClass {
        ResponseClass(outcome, retry: outcome == .unknown ? .inDoubt : .never)
    }

    mutating func verdict(
        _ members: Members, _ provider: DeclaredProvider
    ) -> DeclaredVerdict? {
        let outcome = self.outcome(
            required(members, "outcome", #"write what becomes of the row: "rejected""#))
        var found = Self.usual(outcome ?? .rejected)
        if let value = members["retry"], let retry = word(value, among: DeclaredWords.retry) {
            found.retry = retry
            if retry == .elsewhereAtOnce { found.connection = .retire }
            if retry == .withNewCredential {
                found.connection = .retire
                found.credential = .renew
            }
            if let outcome { check(retry, outcome, value, provider) }
        }
        var place: DeclaredWait?
        if let value = members["wait"] {
            if value.json.members != nil {
                place = waitPlace(value)
            } else {
                let wait = duration(value, .seconds(1) ... .seconds(255), "1s to 255s")
                found = Self.waiting(wait, found)
            }
            if found.retry == .never {
                fault(value, #"has no effect, since the row is not sent again; add "retry""#)
            }
        }
        if let value = members["credential"],
            let credential = word(value, among: DeclaredWords.credential)
        {
            found.credential = credential
            if credential == .renew, !provider.authorization.isRenewable {
                fault(value, Self.nothingToRenew(provider))
            }
        }
        if let job = word(members["job"], among: DeclaredWords.job) { found.job = job }
        if word(members["blames"], DeclaredWords.Column.self) != nil {
            found.blamedColumn = .payload
        }
        var verdict = DeclaredVerdict(found)
        verdict.reason = reason(members["reason"])
        verdict.wait = place
        verdict.splits = splits(members["split"], outcome, provider)
        return outcome == nil ? nil : verdict
    }

    /// Reads the place of a wait in the answer.
    private mutating func waitPlace(_ value: Value) -> DeclaredWait? {
        let members = self.members(
            value, ["at", "unit"], like: #"{"at": "/retry_after", "unit": "seconds"}"#)
        let at = pointer(
            required(members, "at", #"write where the answer has its number: "/retry_after""#))
        let unit = word(
            required(members, "unit", #"write "seconds" or "milliseconds""#), DeclaredWait.Unit.self
        )
        guard let at, let unit else { return nil }
        return DeclaredWait(at: at, unit: unit)
    }

    private static func nothingToRenew(_ provider: DeclaredProvider) -> String {
        "asks for a new credential, and /auth is of the kind "
            + "\(provider.authorization.kind.rawValue), which has none; leave it out"
    }

    /// Returns the class with another first wait.
    private static func waiting(_ wait: Duration?, _ found: ResponseClass) -> ResponseClass {
        ResponseClass(
            found.outcome, retry: found.retry, connection: found.connection,
            credential: found.credential, job: found.job, blames: found.blamedColumn,
            firstDelay: wait)
    }

    private mutating func check(
        _ retry: ResponseClass.Retry, _ outcome: Outcome, _ value: Value,
        _ provider: DeclaredProvider
    ) {
        switch (retry, outcome) {
        case (.never, _): break
        case (_, .accepted):
            fault(value, "would send an accepted row again; leave it out")
        case (.inDoubt, .unknown): break
        case (.inDoubt, _):
            fault(value, #"is for rows that may have been sent; write "outcome": "unknown""#)
        case (_, .unknown):
            fault(
                value,
                #"would send a row twice that may have been sent; write "in-doubt", or leave it out"#
            )
        case (.withNewCredential, _) where !provider.authorization.isRenewable:
            fault(value, Self.nothingToRenew(provider))
        default: break
        }
    }

    private mutating func reason(_ value: Value?) -> DeclaredVerdict.Reason? {
        guard let value, let text = self.text(value) else { return nil }
        return text.hasPrefix("/") ? pointer(value).map { .pointer($0) } : .text(text)
    }

    private mutating func splits(
        _ value: Value?, _ outcome: Outcome?, _ provider: DeclaredProvider
    ) -> Bool? {
        guard let value, let splits = flag(value) else { return nil }
        guard provider.batch != nil else {
            fault(value, "has no effect, since a request has one row; leave it out")
            return nil
        }
        guard !splits || outcome != .accepted && outcome != .unknown else {
            fault(
                value, "would send rows twice; it is for refusals that prove that nothing was sent")
            return nil
        }
        return splits
    }
}

/// The words of verdicts in files.
enum DeclaredWords {
    static let retry: [(text: String, meaning: ResponseClass.Retry)] = [
        ("never", .never), ("later", .afterDelay), ("later-own", .afterOwnDelay),
        ("elsewhere", .elsewhereAtOnce), ("with-new-credential", .withNewCredential),
        ("in-doubt", .inDoubt),
    ]
    static let credential: [(text: String, meaning: ResponseClass.Credential)] = [
        ("keep", .keep), ("renew", .renew), ("refused", .refused),
    ]
    static let job: [(text: String, meaning: ResponseClass.Job)] = [
        ("stop", .stop), ("stop-at-start", .stopAtStart),
    ]

    enum Column: String, CaseIterable {
        case payload
    }
}
