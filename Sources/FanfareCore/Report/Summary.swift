import FanfareBase

/// The results of a job, which `--summary` writes and the table at the end shows.
package struct Summary: Sendable {
    /// Latencies of attempts, in nanoseconds.
    package struct Latency: Equatable, Sendable {
        package var count: UInt64 = 0
        package var mean: Double = 0
        package var min: Int64 = 0
        package var p50: Int64 = 0
        package var p90: Int64 = 0
        package var p99: Int64 = 0
        package var p999: Int64 = 0
        package var max: Int64 = 0

        /// Takes the figures out of a histogram.
        package init(_ histogram: LatencyHistogram) {
            count = histogram.count
            mean = histogram.mean
            min = histogram.min
            p50 = histogram.percentile(50)
            p90 = histogram.percentile(90)
            p99 = histogram.percentile(99)
            p999 = histogram.percentile(99.9)
            max = histogram.max
        }
    }

    /// The version of `json()`.
    ///
    /// Members may be added under the same version.
    package static let schema = "fanfare.summary/1"

    package var jobID: String
    /// The name of the job for people; `nil` if it has none.
    package var name: String?
    /// The remark about the job; `nil` if there is none.
    package var note: String?
    /// True if the run carried on with one that ended without a word: by a kill, a crash, or the
    /// loss of power.
    package var isRecovery = false
    /// Unix time.
    package var startMilliseconds: Int64
    /// Unix time.
    package var endMilliseconds: Int64
    package var tally: Tally
    package var latency: Latency
    package var exitStatus: ExitStatus
    /// The stop that ended the job before its input did, if there is one.
    package var stop: JobStop?
    /// The thresholds that `--fail-if` named and that were crossed.
    package var thresholdsCrossed: [Threshold]
    /// The path of the report; `nil` if there is none.
    package var reportPath: String?
    /// The files that the report is in, where it is split by its size.
    package var reportParts: Int?
    /// The path of `--unregistered`; `nil` if not asked for.
    package var unregisteredPath: String?
    /// The path of `--retry-rows`; `nil` if not asked for.
    package var retryRowsPath: String?
    /// The command that carries on; `nil` if there is nothing to carry on with.
    package var resumeCommand: String?
    /// True if that command reads rows from its standard input.
    package var readsStandardInput = false
    /// True if the job was stopped before anything was sent, and has left no file behind.
    package var leavesNothing = false
    /// The command that sends the rows in `--retry-rows` again; `nil` if the caller has named none.
    package var retryCommand: String?

    /// True if a provider that a file describes calls more tokens dead than it accepts, as many do when asked for
    /// another application's.
    package var doubtsDeadTokens = false

    /// The advice on tokens that may not be dead at all.
    package static let deadTokensDoubt =
        "More tokens are unregistered than accepted: before you delete any, see whether they are this application's."

    /// The command that lists the dead tokens in the report; `nil` if there is none, or they are in a file of
    /// their own.
    package var deadTokensCommand: String?

    /// The work of earlier runs of a resumed job; their rows are in `tally` too.
    package var earlier = Earlier()

    /// The rows that the run was told not to take; `nil` if it was to send to all.
    package var leftOut: LeftOut?

    /// The tokens of rows read in this run that were taken out of blanks and brackets.
    package var tokensCleaned: UInt64 = 0

    /// The words of rows read in this run that name no provider.
    package var routeWords = RouteWords()

    /// The rows that waited for their hours when the job was stopped; `nil` if none did.
    package var waiting: Waiting?

    /// The hours in which rows may be sent; `nil` for all.
    package var hours: Hours?

    /// Starts that the pace allowed and that were not made in time; `nil` without a pace.
    package var lateStarts: UInt64?

    /// The uses of the lanes' time, as the mean over them.
    package var limits = LimitTimes()

    /// The number of connections that the job came to want by itself; `nil` when it was told.
    package var chosen: ChosenConnections?

    /// The proxy's host and port; `nil` without one.
    package var proxy: String?

    /// The outcomes of the rows of each provider in this run, if the job has several.
    package var routes: [Route] = []

    /// The rows of this run that are for none of several providers; `nil` if there are none.
    package var ofNoRoute: Tally?

    /// The outcomes of the rows by their payload, if rows choose one of several.
    package var variants: OutcomeGroups?

    /// True if rows were only looked at, and nothing was delivered.
    package var onlyChecks = false

    /// The providers that were not asked about their rows, because they answer no such question.
    package var unasked: [ProviderKind] = []

    /// The findings of a rehearsal; `nil` for a job that sends.
    package var rehearsal: RehearsalResult?

    /// One provider of several.
    package struct Route: Sendable {
        /// The provider's name.
        package var name: String
        package var tally: Tally
        package var latency: Latency
        /// The uses of its lanes' time, as the mean over them.
        package var limits: LimitTimes
        /// The number of connections that it came to want; `nil` when it was told.
        package var connectionsChosen: Int?

        package init(
            name: String, tally: Tally, latency: LatencyHistogram, limits: LimitTimes,
            connectionsChosen: Int?
        ) {
            self.name = name
            self.tally = tally
            self.latency = Latency(latency)
            self.limits = limits
            self.connectionsChosen = connectionsChosen
        }
    }

    package struct ChosenConnections: Equatable, Sendable {
        package var count: Int
        /// The limit that held the first ones; `nil` when they were enough.
        package var cause: Limitation?

        package init(count: Int, cause: Limitation?) {
            self.count = count
            self.cause = cause
        }
    }

    /// The rows that a run was told not to take, and how it was told.
    package struct LeftOut: Equatable, Sendable {
        /// Rows of the job that were read, and are left to a later run.
        package var rows: UInt64
        /// Rows that were read and fit not all conditions: the job is not for them.
        package var excluded: UInt64
        /// True if reading has stopped at a place behind which there may be more rows.
        package var endsEarly: Bool
        /// The conditions that rows had to fit.
        package var conditions: [String]
        /// The share of them that was taken: `1%`.
        package var sample: String?
        /// The most rows that were taken of those.
        package var limit: UInt64?

        package init(
            rows: UInt64, excluded: UInt64 = 0, endsEarly: Bool, conditions: [String] = [],
            sample: String? = nil, limit: UInt64? = nil
        ) {
            self.rows = rows
            self.excluded = excluded
            self.endsEarly = endsEarly
            self.conditions = conditions
            self.sample = sample
            self.limit = limit
        }

        /// True if a row was left to a later run, or may have been.
        package var isAny: Bool { rows > 0 || endsEarly }

        /// The number of rows that were left to a later run, in words.
        package var text: String {
            let count = NumberText.grouped(rows)
            guard endsEarly else { return rows == 1 ? "1 row" : "\(count) rows" }
            return rows == 0 ? "all rows behind those" : "\(count) rows, and all behind those read"
        }

        /// The rows that were not taken, in a few words each.
        package var shortParts: [String] {
            let excludedPart = excluded > 0 ? ["\(NumberText.grouped(excluded)) excluded"] : []
            return excludedPart + (isAny ? [short] : [])
        }

        private var short: String {
            guard endsEarly else { return "\(NumberText.grouped(rows)) left out" }
            return rows == 0
                ? "the rest left out" : "\(NumberText.grouped(rows)) and the rest left out"
        }

        /// The choice, in words.
        package var choice: String {
            var parts = conditions
            if let sample { parts.append("a sample of \(sample)") }
            if let limit { parts.append("the first \(NumberText.grouped(limit))") }
            return parts.joined(separator: ", ")
        }
    }

    /// Rows that were read, and have to wait for their hours.
    package struct Waiting: Equatable, Sendable {
        package var rows: UInt64
        /// The moment at which the first of them may be sent, in UNIX time; `nil` if that has come.
        package var opensMilliseconds: Int64?

        package init(rows: UInt64, opensMilliseconds: Int64?) {
            self.rows = rows
            self.opensMilliseconds = opensMilliseconds
        }
    }

    /// The hours of a job, in words.
    package struct Hours: Equatable, Sendable {
        /// `09:00-20:00 in Europe/Berlin`.
        package var text: String
        /// The next opening, as a clock there shows it: `2026-11-26 09:00`; `nil` if rows have zones of their
        /// own.
        package var opens: String?

        package init(text: String, opens: String?) {
            self.text = text
            self.opens = opens
        }
    }

    /// The work that was done before this run.
    package struct Earlier: Equatable, Sendable {
        /// Rows that had an outcome.
        package var rows: UInt64 = 0
        package var attempts: UInt64 = 0

        /// Collects the work done; nothing by default.
        package init(rows: UInt64 = 0, attempts: UInt64 = 0) {
            self.rows = rows
            self.attempts = attempts
        }
    }

    /// Collects the facts.
    package init(
        jobID: String,
        startMilliseconds: Int64,
        endMilliseconds: Int64,
        tally: Tally,
        latency: LatencyHistogram,
        exitStatus: ExitStatus,
        stop: JobStop? = nil,
        thresholdsCrossed: [Threshold] = [],
        reportPath: String? = nil,
        unregisteredPath: String? = nil,
        retryRowsPath: String? = nil,
        resumeCommand: String? = nil
    ) {
        self.jobID = jobID
        self.startMilliseconds = startMilliseconds
        self.endMilliseconds = endMilliseconds
        self.tally = tally
        self.latency = Latency(latency)
        self.exitStatus = exitStatus
        self.stop = stop
        self.thresholdsCrossed = thresholdsCrossed
        self.reportPath = reportPath
        self.unregisteredPath = unregisteredPath
        self.retryRowsPath = retryRowsPath
        self.resumeCommand = resumeCommand
    }

    /// True if there were rows, and the choice of rows took none of them.
    package var choseNone: Bool { tally.rowsRead == 0 && leftOut?.shortParts.isEmpty == false }

    /// The duration of the job; a clock set back meanwhile makes it 0.
    package var durationMilliseconds: Int64 { max(endMilliseconds - startMilliseconds, 0) }

    /// Attempts of this run per second of its duration; 0 for a job of no duration.
    package var requestsPerSecond: Double {
        durationMilliseconds == 0
            ? 0
            : Double(tally.attempts - min(earlier.attempts, tally.attempts)) * 1000
                / Double(durationMilliseconds)
    }
}

extension Summary.Latency {
    /// The figures that are shown everywhere, rising.
    package var figures: [(name: String, nanoseconds: Int64)] {
        [("p50", p50), ("p90", p90), ("p99", p99), ("p99.9", p999), ("max", max)]
    }
}
