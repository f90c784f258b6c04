import FanfareBase
import FanfareCore
package import FanfareFigures

/// The page about a job.
extension Job {
    /// Collects the figures for the page, if there is one.
    func page(_ summary: Summary, _ latency: LatencyHistogram) -> JobPage? {
        guard plan.configuration.report.keepsSeries else { return nil }
        let started = TimestampWriter.shown(milliseconds: summary.startMilliseconds)
        let duration = NumberText.duration(milliseconds: summary.durationMilliseconds)
        var page = JobPage(
            title: title, lead: lead("Began \(started), took \(duration)."),
            footer: "Made by fanfare.", tally: summary.tally, latency: latency,
            rowCount: summary.tally.rowsRead)
        let end = max(summary.endMilliseconds, summary.startMilliseconds)
        page.remark = summary.note
        page.span = summary.startMilliseconds...end
        page.series = series
        page.stopMessage = summary.stop?.statement.text(plan.configuration.naming)
        page.connectionsOpened = summary.tally.connectionsOpened
        page.bytesSent = summary.tally.bytesSent
        page.lateStarts = summary.lateStarts
        page.limits = summary.limits.ranked.map {
            ($0.limitation.text, Double($0.nanoseconds) / 1e9)
        }
        page.routes = summary.routes
        page.ofNoRoute = summary.ofNoRoute
        page.groups = summary.variants
        page.settings = plan.configuration.shownSettings
        page.settings.append(("lanes", "\(plan.lanes)"))
        page.advice = Self.advice(summary)
        page.notes = Self.notes(summary)
        return page
    }

    /// The name that tells the job from others.
    package var name: String { plan.identity.text }

    /// The name of the job that several workers share, and that of this one among them; `nil` for a job of its own.
    package var shared: (job: String, worker: String)? {
        plan.configuration.cluster.map { ($0.job, $0.worker) }
    }

    /// The name that the user has given the job; `nil` if there is none.
    package var givenName: String? { plan.configuration.name }

    /// The heading of its pages.
    private var title: String { givenName ?? "Job \(name)" }

    /// The line below the heading, which has the job's id if the heading has not.
    private func lead(_ text: String) -> String {
        givenName == nil ? text : "Job \(name). \(text)"
    }

    /// Returns the page that shows the job while it runs.
    /// - Parameters:
    ///   - start: The start of the job, in milliseconds of UNIX time.
    ///   - canSteer: True if the page has buttons.
    /// - Returns: The page; it has to be rendered.
    package func livePage(startMilliseconds start: Int64, canSteer: Bool) -> LivePage {
        var page = LivePage(
            title: title,
            lead: lead("Began \(TimestampWriter.shown(milliseconds: start))."))
        page.remark = plan.configuration.note
        if plan.routes.count > 1 {
            page.routes = plan.routes.map(\.options.provider.rawValue)
        }
        let variants = plan.configuration.variantNames
        if !variants.isEmpty { page.variants = (PayloadChoice.reportColumn, variants) }
        page.settings = plan.configuration.shownSettings
        page.settings.append(("lanes", "\(plan.lanes)"))
        page.canSteer = canSteer
        return page
    }

    private static func advice(_ summary: Summary) -> [JobPage.Advice] {
        var advice: [JobPage.Advice] = []
        if let command = summary.resumeCommand {
            advice.append(.init(summary.resumeSentence, command: command))
        }
        if let sentence = summary.tally.writtenOffAdvice { advice.append(.init(sentence)) }
        if summary.tally.toSendAgain > 0, let path = summary.retryRowsPath {
            let sentences = [
                "The rows that ended throttled, failed or unknown are in \(path).",
                summary.tally.ownUnknownAdvice,
                summary.retryCommand == nil ? nil : "To send them again:",
            ]
            advice.append(
                .init(
                    sentences.compactMap { $0 }.joined(separator: " "),
                    command: summary.retryCommand))
        }
        if summary.doubtsDeadTokens {
            advice.append(.init(Summary.deadTokensDoubt))
        } else if summary.tally.count(.unregistered) > 0, let path = summary.unregisteredPath {
            advice.append(.init("The tokens to delete are in \(path)."))
        } else if summary.tally.count(.unregistered) > 0, let command = summary.deadTokensCommand {
            advice.append(.init("Dead tokens are to be deleted. As a list:", command: command))
        }
        if summary.tally.count(.suspect) > 0 {
            advice.append(.init(Outcome.suspectAdvice))
        }
        return advice
    }

    private static func notes(_ summary: Summary) -> [String] {
        var notes: [String] = []
        if summary.earlier.rows > 0 {
            notes.append(
                "\(NumberText.grouped(summary.earlier.rows)) rows were finished in earlier runs "
                    + "of this job. They are in the totals and in the latency distribution, but "
                    + "what is drawn over time is this run alone.")
        }
        if summary.isRecovery {
            notes.append(
                "The run before this one ended without a word: it was killed, it crashed, or the "
                    + "machine went down.")
        }
        if let waiting = summary.waiting {
            notes.append(
                "\(NumberText.grouped(waiting.rows)) rows waited for their hours when the job was "
                    + "stopped. They are not in these numbers.")
        }
        if let left = summary.leftOut, left.isAny {
            notes.append(
                "This run was to send to a choice of the rows: \(left.choice). Left out: "
                    + "\(left.text). They are not in these numbers.")
        }
        if let left = summary.leftOut, left.excluded > 0 {
            notes.append(
                "The job is for the rows that fit \(left.conditions.joined(separator: ", ")). "
                    + "Excluded: \(NumberText.grouped(left.excluded)) rows, which are not in these "
                    + "numbers either.")
        }
        notes.append(
            "What is drawn over time was looked at ten times a second: what happened between two "
                + "looks stands in one step.")
        return notes
    }
}

extension Configuration {
    /// The settings as a page shows them: without secrets, and without values of single rows.
    var shownSettings: [(name: String, value: String)] {
        let names = inputs.map(\.name)
        let more = names.count > 10 ? ", and \(names.count - 10) more" : ""
        let isOne = routes.count == 1
        var settings: [(name: String, value: String?)] = [
            ("rows", names.prefix(10).joined(separator: ", ") + more),
            ("where", rows.choice.conditions.map(\.description).joined(separator: "; ")),
            ("sample", rows.choice.sample?.description),
            ("limit", rows.choice.limit.map { NumberText.grouped(UInt64(max($0, 0))) }),
            ("encoding", rows.encoding?.rawValue),
            ("map", Self.pairs(rows.mapping)),
            ("route", Self.pairs(rows.providerWords.mapValues(\.rawValue))),
            ("deduplicate", rows.deduplication?.rawValue),
            ("suppress", rows.suppressions.map(\.name).joined(separator: ", ")),
            ("window", window?.shownTimes), ("timezone", window?.timezone),
            ("timezone-column", window?.timezoneColumn),
            ("payload", byRoute { payload(of: $0).name }),
            (
                "provider",
                isOne && provider.provider == .apns
                    ? nil : routes.map(\.provider.rawValue).joined(separator: ", ")
            ),
            ("endpoint", byRoute(\.shownEndpoint)), ("proxy", byRoute(\.proxy?.name)),
            ("credentials", byRoute(\.credentials.shownName)), ("project", byRoute(\.project)),
            ("topic", byRoute(\.topic)), ("push-type", byRoute(\.pushType)),
            ("priority", byRoute(\.priority)), ("expiration", byRoute(\.expiration)),
            ("collapse-id", byRoute { $0.collapseID ?? $0.collapseTemplate }),
        ]
        settings += engineSettings
        settings += [
            ("stop-if", Self.text(guards.stopIf)), ("fail-if", Self.text(guards.failIf)),
            ("report", report.path),
            ("report-split", report.splitBytes.map { NumberText.grouped(UInt64($0)) + " bytes" }),
            ("report-token", report.token.rawValue), ("ordered", report.isOrdered ? "yes" : nil),
            ("carry", report.carriedColumns.joined(separator: ", ")),
            ("unregistered", report.unregisteredPath), ("retry-rows", report.retryRowsPath),
            ("durability", report.durability.rawValue),
        ]
        return settings.compactMap { name, value in
            guard let value, !value.isEmpty else { return nil }
            return (name, value)
        }
    }

    private var engineSettings: [(name: String, value: String?)] {
        let rates =
            [engine.rate?.shownName].compactMap(\.self)
            + [byRoute { $0.rate?.shownName }].compactMap(\.self)
        func duration(_ duration: Duration) -> String {
            NumberText.duration(milliseconds: duration.wholeNanoseconds / 1_000_000)
        }
        return [
            ("rate", rates.joined(separator: ", ")), ("burst", engine.burst.map { "\($0)" }),
            ("ramp", engine.ramp == .zero ? nil : duration(engine.ramp)),
            ("connections", engine.connections.map(String.init) ?? "as many as are of use"),
            ("streams", engine.streams.map { "\($0)" } ?? "as many as the provider allows"),
            ("max-attempts", "\(engine.attemptsMax)"), ("timeout", duration(engine.timeout)),
            ("connect-timeout", duration(engine.connectTimeout)),
            ("give-up-after", duration(engine.giveUpAfter)),
            ("delivery", engine.delivery.rawValue),
            (
                "until",
                engine.untilMilliseconds.map { TimestampWriter.string(milliseconds: $0) }
            ),
        ]
    }

    private static func pairs(_ values: [String: String]) -> String {
        values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    }

    private static func text(_ thresholds: [OutcomeThreshold]) -> String {
        thresholds.isEmpty
            ? "none" : thresholds.map { $0.threshold.description }.joined(separator: ", ")
    }
}

extension SendingRate {
    fileprivate var shownName: String {
        // As on the command line, and as the live page has it, with separators.
        let period = description.drop { $0 != "/" }
        return NumberText.grouped(UInt64(count)) + period
    }
}

extension Credentials {
    fileprivate var shownName: String {
        switch self {
        case .none: "none"
        case .token: "signing key"
        case .certificate: "client certificate"
        case .serviceAccount: "service account"
        case .accessToken: "access token"
        case .metadataServer: "metadata server"
        }
    }
}
