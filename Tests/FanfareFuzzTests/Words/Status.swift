import FanfareBase

@testable import FanfareCLI

extension FuzzTarget {
    /// The state of a job, as the process at its socket tells it.
    static let jobStatus = FuzzTarget("job-status", bytesMax: 4096) { bytes throws(Violation) in
        let line = String(decoding: bytes, as: UTF8.self)
        guard let answer = ControlAnswer(line: line), !answer.isError,
            let status = JobEntry.Status(json: answer.text)
        else { return }
        let record = JobRecord(id: "a1", processID: 1, started: 0, folder: "/")
        let list = JobList([JobEntry(record: record, isRunning: true, status: status)])
        let lines = list.text.split(separator: "\n", omittingEmptySubsequences: false)
        // The heading, the job, and nothing behind the last line end.
        try Violation.check(lines.count == 3, "\(lines.count) lines on one job")
        try isSafe(lines.joined())
        try Violation.check(list.text.utf8.count < 400, "a line on a job is long")
        _ = list.json
    }
}
