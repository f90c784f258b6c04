/// A load test and its results, which `--summary` writes and the table shows.
package struct LoadResult: Sendable {
    /// The version of `json()`.
    ///
    /// Members may be added under the same version.
    package static let schema = "fanfare-bench/1"

    /// The place and the time of a test, for a reader who compares results.
    package struct Stamp: Equatable, Sendable {
        package var version: String
        package var cores: Int
        package var kernel: String
        /// The TLS library, or `nil` for a test in the clear.
        package var tls: String?
        /// Unix time.
        package var startMilliseconds: Int64
        /// The command, without anything secret.
        package var command: String

        /// Collects the facts.
        package init(
            version: String, cores: Int, kernel: String, tls: String?, startMilliseconds: Int64,
            command: String
        ) {
            self.version = version
            self.cores = cores
            self.kernel = kernel
            self.tls = tls
            self.startMilliseconds = startMilliseconds
            self.command = command
        }
    }

    /// A setting that two results must share to be comparable.
    package enum Setting: Equatable, Sendable {
        case text(String?)
        case whole(Int64?)
        case real(Double)
    }

    package var stamp: Stamp
    /// The name of the test for people; `nil` if it has none.
    package var name: String?
    /// The remark about the test; `nil` if there is none.
    package var note: String?
    /// The settings in the order in which they are written.
    package var settings: [(name: String, value: Setting)]
    package var steps: [LoadStep]
    /// The result of a search for the knee; `nil` for a test that was no search.
    package var knee: Knee?
    /// The reason why the test ended before its time, if it did.
    package var stop: JobStop?
    /// The conditions on the result that hold; empty until it was judged.
    package internal(set) var crossings: [LoadCrossing] = []

    /// Collects the facts.
    package init(
        stamp: Stamp, settings: [(name: String, value: Setting)], steps: [LoadStep],
        knee: Knee? = nil, stop: JobStop? = nil
    ) {
        self.stamp = stamp
        self.settings = settings
        self.steps = steps
        self.knee = knee
        self.stop = stop
    }

    /// The fault in our own counting, if there is one.
    package var violation: String? {
        steps.lazy.compactMap { $0.figures.identityViolation() }.first
    }

    /// The connections that each step keeps; 0 if the settings do not say it.
    package var connections: Int {
        for case ("connections", .whole(let count?)) in settings { return Int(count) }
        return 0
    }

    /// The exit status of the process, as far as this result alone decides.
    package var exitStatus: ExitStatus {
        if violation != nil { return .bug }
        if let stop { return stop.kind.exitStatus }
        if !crossings.isEmpty { return .thresholdCrossed }
        if let knee, knee.rate == nil { return .incomplete }
        return steps.contains { $0.figures.answered > 0 } ? .success : .incomplete
    }
}
