import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareJSON

/// A job as lists show it: one that runs, or one that can be carried on.
package struct JobEntry: Equatable, Sendable {
    /// The facts that a running job has told.
    package struct Status: Equatable, Sendable {
        /// `running`, `paused`, `stopping` or `ordering`.
        package var state: String
        package var rows: UInt64
        package var share: Double?
        package var rowsPerSecond: Double?
        package var secondsLeft: Double?

        package init(
            state: String, rows: UInt64, share: Double?, rowsPerSecond: Double?,
            secondsLeft: Double?
        ) {
            self.state = state
            self.rows = rows
            self.share = share
            self.rowsPerSecond = rowsPerSecond
            self.secondsLeft = secondsLeft
        }

        /// The words for the states of a running job.
        private static let states = ["running", "paused", "stopping", "ordering"]

        /// The figures that a job can have: 30,000 years of seconds.
        private static let figures = 0.0...1e12

        /// Reads the answer to `status json`; the result is `nil` if it is another text, or has a state or figures that
        /// no job has.
        package init?(json text: String) {
            let value = try? JSONValue.parse(Array(text.utf8))
            guard let value, let state = value.string("state"), Self.states.contains(state),
                let rows = value.whole("rows"), rows >= 0
            else { return nil }
            let figures = ["input_share", "rows_per_second", "seconds_left"].map {
                value[$0]?.real
            }
            guard figures.allSatisfy({ $0.map(Self.figures.contains) ?? true }) else { return nil }
            self.init(
                state: state, rows: UInt64(clamping: rows), share: figures[0],
                rowsPerSecond: figures[1], secondsLeft: figures[2])
        }
    }

    package var record: JobRecord
    /// True if the job's process lives.
    package var isRunning: Bool
    /// The figures of a running job; `nil` if it does not answer.
    package var status: Status?

    package init(record: JobRecord, isRunning: Bool, status: Status? = nil) {
        self.record = record
        self.isRunning = isRunning
        self.status = status
    }

    /// The state in a word: that of a running job, `silent` if it does not answer, or `resumable`.
    package var state: String {
        isRunning ? status?.state ?? "silent" : "resumable"
    }

    /// The finished share, from 0 to 1.
    package var share: Double? { status == nil ? record.share : status?.share }
    /// Rows with an outcome; `nil` if that is not known.
    package var rows: UInt64? { status?.rows ?? record.rows }

    /// The command that carries the job on, in any folder; `nil` for one that runs.
    package var resumption: String? {
        guard !isRunning, let command = record.resumeCommand else { return nil }
        return "cd \(record.folder.quotedForShell) && \(command)"
    }

    /// True if a word that a person types means this job: its id or the beginning of it, or a
    /// name of it.
    package func isCalled(_ word: String) -> Bool {
        guard !word.isEmpty else { return false }
        return record.isNamed(word) || record.id.hasPrefix(word)
    }
}
