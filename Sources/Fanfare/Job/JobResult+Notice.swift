import FanfareCore
import FanfareFigures

/// The facts that a message about a job has.
extension JobResult {
    /// The outcome of the job, in sentences on one line.
    package var verdict: String { SummaryTable(summary, naming: naming).verdict }

    /// The id of the job.
    package var jobID: String { summary.jobID }

    /// The name that the user has given it.
    package var name: String? { summary.name }

    /// The user's remark about it.
    package var note: String? { summary.note }

    /// The command that carries the job on, or sends the rows that were left out; `nil` if there is none.
    package var resumeCommand: String? { summary.resumeCommand }

    /// The path of the report; `nil` if there is none.
    package var reportPath: String? { summary.reportPath }

    /// True if the run went on with one that had ended without a word.
    package var isRecovery: Bool { summary.isRecovery }
}
