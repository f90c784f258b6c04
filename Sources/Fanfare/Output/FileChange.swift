import FanfareBase

/// A change that others have made to a job's file.
struct FileChange: Equatable, Sendable {
    /// The state of the file's bytes after the change.
    enum Remains: Equatable, Sendable {
        /// Under another name, all of them.
        case moved
        /// Some may be where they were.
        case cut
        /// Nowhere.
        case removed
    }

    /// The change, in words.
    let text: String
    let remains: Remains

    /// Returns the change of a file that has no name any more.
    /// - Parameters:
    ///   - name: The name that it had.
    ///   - meaning: The consequence.
    /// - Returns: The change.
    static func removed(_ name: String, _ meaning: String) -> FileChange {
        FileChange(text: "\(name) was removed while the job ran: \(meaning)", remains: .removed)
    }

    /// Returns the change of a file that has another name, or whose name another file has.
    /// - Parameters:
    ///   - name: The name that it had.
    ///   - meaning: The consequence.
    /// - Returns: The change.
    static func moved(_ name: String, _ meaning: String) -> FileChange {
        FileChange(text: "\(name) was moved away while the job ran: \(meaning)", remains: .moved)
    }

    /// Returns advice about the change.
    /// - Parameters:
    ///   - report: The report's path.
    ///   - isReport: True if the file is the report itself.
    /// - Returns: The end of a sentence, or one more.
    func advice(report: String, isReport: Bool) -> Statement {
        switch remains {
        case .moved: "move it back, and \(.resumes) carries the job on"
        case .removed where isReport:
            "the job cannot be carried on, and a new one would send to everybody again"
        case .cut, .removed: "the job cannot be carried on. " + Self.newJob(report: report)
        }
    }

    /// Returns advice on how to send the rest of a job that cannot be carried on.
    static func newJob(report: String) -> Statement {
        "Begin a new one with another \(.reportPath), \(reached(report: report))"
    }

    /// Returns the words that leave out the rows that a job has sent, and not those that failed.
    static func reached(report: String) -> Statement {
        "without the rows that are accepted, unregistered or unknown in \(report) "
            + "(\(.suppressions) leaves out all rows for their tokens)"
    }
}
