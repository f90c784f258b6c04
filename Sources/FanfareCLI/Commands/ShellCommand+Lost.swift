import FanfareSystem

/// The command that writes lines for the rows of a worker whose report is lost.
extension ShellCommand {
    /// The place of the job's rows in that command, which only the user knows.
    static let rowsPlace = "ROWS"

    /// Returns the command.
    /// - Parameters:
    ///   - program: The name that the program was called by.
    ///   - reports: The paths of the reports that there are.
    ///   - job: The job and its server, as the user has named them.
    ///   - worker: The word by which commands name the worker.
    /// - Returns: The command, with `rowsPlace` for the files of the job's rows.
    static func writingLost(
        _ program: String, of reports: [String], job: String, worker: String
    ) -> String {
        var words = [program, "report"] + reports.map(withoutDash)
        append(Options.Report.of.name, job, to: &words)
        append(Options.Report.lost.name, worker, to: &words)
        append(Options.Report.rows.name, rowsPlace, to: &words)
        var path = "lost.csv"
        while FileDescriptor.exists(path), again(path) != path { path = again(path) }
        append(Options.Report.output.name, path, to: &words)
        return words.map(\.quotedForShell).joined(separator: " ")
    }
}
