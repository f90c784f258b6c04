import FanfareBase

/// What has become of a job's file behind the job's back.
struct FileChange: Equatable, Sendable {
    /// Where its bytes are now.
    enum Remains: Equatable, Sendable {
        /// Under another name, all of them.
        case moved
        /// Some may be where they were.
        case cut
        /// Nowhere.
        case removed
    }

    /// What has happened, in words.
    let text: String
    let remains: Remains

    /// A file has no name any more.
    /// - Parameters:
    ///   - name: The one that it had.
    ///   - meaning: What that means.
    /// - Returns: The change.
    static func removed(_ name: String, _ meaning: String) -> FileChange {
        FileChange(text: "\(name) was removed while the job ran: \(meaning)", remains: .removed)
    }

    /// A file has another name, or another file has its name.
    /// - Parameters:
    ///   - name: The one that it had.
    ///   - meaning: What that means.
    /// - Returns: The change.
    static func moved(_ name: String, _ meaning: String) -> FileChange {
        FileChange(text: "\(name) was moved away while the job ran: \(meaning)", remains: .moved)
    }

    /// What to do about it.
    /// - Parameters:
    ///   - report: The report's path.
    ///   - isReport: Whether the file is the report itself.
    /// - Returns: The end of a sentence, or one more.
    func advice(report: String, isReport: Bool) -> Statement {
        switch remains {
        case .moved: "move it back, and \(.resumes) carries the job on"
        case .removed where isReport:
            "the job cannot be carried on, and a new one would send to everybody again"
        case .cut, .removed: "the job cannot be carried on. " + Self.newJob(report: report)
        }
    }

    /// How the rest of a job is sent that cannot be carried on.
    static func newJob(report: String) -> Statement {
        "Begin a new one with another \(.reportPath), and leave out with \(.suppressions) who has "
            + "a line in "
            + Statement(report)
    }
}
