/// How a job went: what `--summary` writes and the table at the end shows.
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
    /// Unix time.
    package var startMilliseconds: Int64
    /// Unix time.
    package var endMilliseconds: Int64
    package var tally: Tally
    package var latency: Latency
    package var exitStatus: ExitStatus
    /// What ended the job before its input did, if anything.
    package var stop: JobStop?
    /// What `--fail-if` named and has happened.
    package var thresholdsCrossed: [Threshold]
    /// Where the report went; `nil` if there is none.
    package var reportPath: String?
    /// The files that the report is in, where it is split by its size.
    package var reportParts: Int?
    /// Where `--unregistered` went; `nil` if not asked for.
    package var unregisteredPath: String?
    /// Where `--retry-rows` went; `nil` if not asked for.
    package var retryRowsPath: String?
    /// The command that carries on; `nil` if there is nothing to carry on with.
    package var resumeCommand: String?
    /// Whether the job was stopped before anything was sent, and has left no file behind.
    package var leavesNothing = false
    /// The command that sends again what `--retry-rows` has; `nil` if the caller has named none.
    package var retryCommand: String?

    /// What earlier runs of a resumed job had done; their rows are in `tally` too.
    package var earlier = Earlier()

    /// Starts that the pace allowed and that were not made in time; `nil` without a pace.
    package var lateStarts: UInt64?

    /// What the lanes' time went into, as the mean over them.
    package var limits = LimitTimes()

    /// How many connections the job came to want by itself; `nil` when it was told.
    package var chosen: ChosenConnections?

    /// The proxy's host and port; `nil` without one.
    package var proxy: String?

    /// What became of the rows of each provider in this run, if the job has several.
    package var routes: [Route] = []

    /// Whether rows were only looked at, and nothing was delivered.
    package var onlyChecks = false

    /// The providers that were not asked about their rows, because they answer no such question.
    package var unasked: [ProviderKind] = []

    /// What a rehearsal has found out; `nil` for a job that sends.
    package var rehearsal: RehearsalResult?

    /// One provider of several.
    package struct Route: Sendable {
        /// The provider's name.
        package var name: String
        package var tally: Tally
        package var latency: Latency
        /// What its lanes' time went into, as the mean over them.
        package var limits: LimitTimes
        /// How many connections it came to want; `nil` when it was told.
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
        /// What held the first ones; `nil` when they were enough.
        package var cause: Limitation?

        package init(count: Int, cause: Limitation?) {
            self.count = count
            self.cause = cause
        }
    }

    /// What had been done before this run.
    package struct Earlier: Equatable, Sendable {
        /// Rows that had an outcome.
        package var rows: UInt64 = 0
        package var attempts: UInt64 = 0

        /// Collects what was done; nothing by default.
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

    /// How long the job took; a clock set back meanwhile makes it 0.
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
