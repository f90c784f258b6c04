import FanfareBase
package import FanfareCore

/// The outcomes that stop or fail a job.
public struct GuardOptions: Sendable, Equatable {
    /// The thresholds that stop the job; its remaining rows can be sent later.
    ///
    /// A share is watched over the first 1,000 outcomes, a number of rows all the time. Where rows name the hosts
    /// that they go to, thresholds that you set hold for all hosts together; the usual ones hold for each host by
    /// itself, and give up that host. Of a provider that a file describes the usual ones also stop a job in which half of
    /// the rows are unregistered. Before it sends anything, a job looks at the first rows of its files: if more of them
    /// are `invalid` than a threshold allows, it does not begin. The usual threshold for them is for those first rows
    /// alone, and does not hold for rows that a program makes.
    public var stopIf: [OutcomeThreshold] {
        get { chosenStopIf ?? [.wrongEnvironment, .inDoubt, .wrongRows] }
        set { chosenStopIf = newValue }
    }
    /// The thresholds that were set, even if they are the usual ones.
    private(set) var chosenStopIf: [OutcomeThreshold]?
    /// The exit code is 5 when one of these is crossed at the end.
    package var failIf: [OutcomeThreshold] = []

    /// The defaults of the specification.
    public init() {}

    /// Returns the bounds on the outcomes of a provider's rows, while they are sent.
    ///
    /// Many services call all tokens dead if the app is the wrong one. So by default half of the rows of a provider
    /// that a file describes may be unregistered, and no more. The default bound on invalid rows is none of these:
    /// they have their outcomes long before those that are sent, or wait for their hours.
    /// - Parameters:
    ///   - kind: The provider.
    ///   - toleratesInvalid: True if rows may be invalid, as many as there are.
    /// - Returns: The bounds.
    func bounds(of kind: ProviderKind, toleratesInvalid: Bool = false) -> [OutcomeThreshold] {
        var bounds = stopIf
        if case .declared = kind, chosenStopIf == nil {
            bounds.append(OutcomeThreshold(Threshold(.unregistered, .share(500_000))))
        }
        let isWatched = chosenStopIf != nil && !toleratesInvalid
        return bounds.filter { isWatched || $0.threshold.outcome != .invalid }
    }

    /// Returns the setting with some bounds, as people type it.
    static func setting(_ bounds: [OutcomeThreshold]) -> Statement {
        let texts = bounds.map(\.description)
        let members = texts.map { "\"\($0)\"" }.joined(separator: ", ")
        // A shell takes > for itself.
        let option = texts.isEmpty ? "none" : texts.joined(separator: ",").singleQuoted
        return "\(.stopIf, option: option, member: "[\(members)]")"
    }

    /// The bounds on the first rows, before any is sent.
    var ofFirstRows: [Threshold] { stopIf.map(\.threshold).filter { $0.outcome == .invalid } }
}

/// A bound on the rows with one outcome: `suspect>50%`, `failed>100`.
public struct OutcomeThreshold: Sendable, Equatable, CustomStringConvertible {
    let threshold: Threshold

    package init(_ threshold: Threshold) {
        self.threshold = threshold
    }

    /// Reads a bound: an outcome's name, `>`, and a share or a number of rows.
    /// - Throws: `FanfareError.Code.configuration` when the text is none.
    public init(_ text: String) throws(FanfareError) {
        do throws(Threshold.Fault) {
            threshold = try Threshold(text)
        } catch {
            throw FanfareError(.configuration, "'\(text)' \(error.problem)")
        }
        guard !threshold.isLeast else {
            throw FanfareError(
                .configuration,
                "'\(text)' is a bound for the end of a job; at its beginning there are too few of all"
            )
        }
    }

    /// More than half of the tokens look wrong: `suspect>50%`.
    public static let wrongEnvironment = OutcomeThreshold(Threshold(.suspect, .share(500_000)))

    /// More than half of the rows are in doubt: `unknown>50%`.
    public static let inDoubt = OutcomeThreshold(Threshold(.unknown, .share(500_000)))

    /// More than a tenth of the rows cannot be sent: `invalid>10%`.
    public static let wrongRows = OutcomeThreshold(Threshold(.invalid, .share(100_000)))

    /// The bound as one would write it.
    public var description: String { threshold.description }
}
