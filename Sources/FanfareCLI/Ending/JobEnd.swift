package import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareSystem

/// The end of a job, as it is told to others.
package struct JobEnd: Sendable {
    package enum Event: String, Sendable {
        /// It has come to its end, with any outcomes.
        case ended
        /// It was stopped before its end, by a signal, a rule or the provider.
        case stopped
        /// It could not begin, or has no result.
        case failed
    }

    package var event: Event
    package var exitCode: Int32
    /// The name that the user has given it.
    package var name: String?
    /// The id of a job that sends.
    package var id: String?
    package var report: String?
    /// The summary, or the failure, as JSON.
    package var json: String
    /// The course of it in sentences for people, each on a line of its own.
    package var lines: [String]
    /// A table for people, which keeps its columns; empty for none.
    package var table = ""

    package init(
        _ event: Event, exitCode: Int32, name: String? = nil, id: String? = nil,
        report: String? = nil, json: String, lines: [String], table: String = ""
    ) {
        self.event = event
        self.exitCode = exitCode
        self.name = name
        self.id = id
        self.report = report
        self.json = json
        self.lines = lines
        self.table = table
    }

    /// The names of the variables that only tell commands of an end.
    package static let variableNames = [
        "FANFARE_EXIT_CODE", "FANFARE_JOB_EVENT", "FANFARE_JOB_NAME", "FANFARE_JOB_ID",
        "FANFARE_JOB_REPORT",
    ]

    /// The variables that a command gets in its environment; `nil` for those that it must not have
    /// from ours.
    package var variables: [String: String?] {
        var variables: [String: String?] = [
            "FANFARE_EXIT_CODE": "\(exitCode)", "FANFARE_JOB_EVENT": event.rawValue,
        ]
        variables.updateValue(name, forKey: "FANFARE_JOB_NAME")
        variables.updateValue(id, forKey: "FANFARE_JOB_ID")
        variables.updateValue(report, forKey: "FANFARE_JOB_REPORT")
        // A command that sends something itself would run itself again.
        variables.updateValue(nil, forKey: "FANFARE_ON_END")
        return variables
    }

    /// The heading of a message about it.
    private var heading: String {
        let subject = name ?? id.map { "Job \($0)" } ?? "fanfare"
        let verb =
            switch event {
            case .ended: "has ended"
            case .stopped: "was stopped"
            case .failed: "has failed"
            }
        return "\(subject) \(verb), exit code \(exitCode)"
    }

    /// Returns the body of a notice.
    package func body(_ format: NoticeFormat) -> [UInt8] {
        guard format == .slack else { return Array(json.utf8) }
        var text = "*\(Self.escaped(heading))*"
        for line in lines { text += "\n" + Self.escaped(line) }
        if !table.isEmpty {
            let shown = table.prefix(Limits.noticeTableMax)
            text += "\n```\n\(Self.escaped(String(shown)))```"
        }
        let document = JSONWriter.document(isOneLine: true) { writer in
            writer.member("text", text)
        }
        return Array(document.utf8)
    }

    /// Slack's three characters with a meaning.
    ///
    /// https://api.slack.com/reference/surfaces/formatting#escaping
    private static func escaped(_ text: String) -> String {
        text.escaping(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }
}

extension JobEnd {
    /// The end of a job that has a result.
    /// - Parameters:
    ///   - result: The result.
    ///   - exitCode: The process's exit code.
    ///   - problem: The reason why the result could not be written where it was wanted, if so.
    package init(_ result: JobResult, exitCode: Int32, problem: String? = nil) {
        let summary = result.summary
        var lines = [result.verdict]
        if summary.isRecovery { lines.append("It went on where a run had ended without a word.") }
        if let problem { lines.append(problem) }
        if let path = summary.reportPath { lines.append("Report: \(path)") }
        if let note = summary.note { lines.append(note) }
        self.init(
            summary.stop == nil ? .ended : .stopped, exitCode: exitCode, name: summary.name,
            id: summary.jobID, report: summary.reportPath, json: result.summaryJSON, lines: lines)
    }

    /// The end of a load test.
    package init(_ test: LoadTestResult, exitCode: Int32) {
        self.init(
            test.result.stop == nil ? .ended : .stopped, exitCode: exitCode,
            name: test.result.name, json: test.json,
            lines: [test.result.note].compactMap(\.self), table: test.table(usesColor: false))
    }

    /// The end of a job without a result.
    /// - Parameters:
    ///   - error: The reason.
    ///   - command: The command, such as `send`.
    ///   - words: The name and the remark that the user has given.
    package init(
        _ error: FanfareError, of command: String, words: (name: String?, note: String?)
    ) {
        let text = error.statement.text(.commandLine)
        let code = ExitStatus(error.code).rawValue
        var failure = JobFailure(
            command: command, milliseconds: WallClock.milliseconds, exitCode: code, error: text)
        failure.name = words.name
        failure.note = words.note
        self.init(
            code == 0 ? .ended : .failed, exitCode: code, name: words.name, json: failure.json,
            lines: [text] + [words.note].compactMap(\.self))
    }
}

extension Limits {
    /// The most characters of a table in a message: Slack cuts a message at 40,000, people much
    /// earlier.
    static let noticeTableMax = 3000
}
