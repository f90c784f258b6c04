import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareJSON

/// The facts about a job that outlive its process: the way to ask it, and to carry it on.
///
/// It has no secrets: names, paths and the command that summaries show, too.
package struct JobRecord: Equatable, Sendable {
    /// The version of its text.
    package static let schema = "fanfare.job/1"

    /// The job's id, which its file is called by; that of a worker of several has more behind it.
    package var id: String
    /// The user's name for it.
    package var name: String?
    /// The job that it shares with other workers, and its own name among them; `nil` for one of its own.
    package var shared: SharedName?
    package var processID: Int32
    /// In milliseconds of UNIX time.
    package var started: Int64
    /// The folder that the command ran in.
    package var folder: String
    /// The report's path from the root; `nil` if it is no file that can be read again.
    package var report: String?
    /// The path of the socket at which the job listens; `nil` for none.
    package var socket: String?
    /// The command that carries the job on; `nil` if that cannot be, or if it is not known how.
    package var resumeCommand: String?
    /// The finished share of the inputs when it was last written; `nil` if it is not known.
    package var share: Double?
    /// Rows with an outcome at that moment; `nil` before the first one.
    package var rows: UInt64?

    /// A worker of a job of several.
    package struct SharedName: Equatable, Sendable {
        package var job: String
        package var worker: String

        var title: String { "\(job)@\(worker)" }

        package init(job: String, worker: String) { (self.job, self.worker) = (job, worker) }
    }

    /// The name by which lists show it: the user's, and for a worker without one that of its job with its own, as in
    /// `july@web1`.
    package var title: String? { name ?? shared?.title }

    /// True if a word is a name of it; several workers of one job share that of the job.
    package func isNamed(_ word: String) -> Bool {
        name == word || shared?.title == word || shared?.job == word
    }

    package init(
        id: String, name: String? = nil, processID: Int32, started: Int64, folder: String
    ) {
        self.id = id
        self.name = name
        self.processID = processID
        self.started = started
        self.folder = folder
    }

    /// Returns the id of one of several workers, of which some may be on one machine: each has a report of its own.
    /// - Parameters:
    ///   - job: The id of the job that they share.
    ///   - report: The report's path from the root.
    /// - Returns: The job's id, and eight digits for the report.
    package static func id(ofWorkerOn job: String, report: String) -> String {
        let digits = String(Checksum.of(Array(report.utf8)) >> 32, radix: 16)
        return job + "-" + String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The text of its file.
    package var json: String {
        JSONWriter.document(isOneLine: true) { writer in
            writer.member("schema", Self.schema)
            writer.member("id", id)
            writer.member("name", name)
            writer.member("shared_job", shared?.job)
            writer.member("worker", shared?.worker)
            writer.member("process_id", Int64(processID))
            writer.member("started", started)
            writer.member("folder", folder)
            writer.member("report", report)
            writer.member("socket", socket)
            writer.member("resume_command", resumeCommand)
            writer.member("input_share", share)
            writer.member("rows", rows)
        }
    }

    /// Reads the text of a file; the result is `nil` if it is no record of this version.
    package init?(json: [UInt8]) {
        let value = try? JSONValue.parse(json)
        guard let value, value.string("schema") == Self.schema,
            let id = value.string("id"), let folder = value.string("folder"),
            let process = value.whole("process_id"), let started = value.whole("started")
        else { return nil }
        self.init(
            id: id, name: value.string("name"), processID: Int32(clamping: process),
            started: started, folder: folder)
        if let job = value.string("shared_job"), let worker = value.string("worker") {
            shared = SharedName(job: job, worker: worker)
        }
        report = value.string("report")
        socket = value.string("socket")
        resumeCommand = value.string("resume_command")
        share = value["input_share"]?.real
        rows = value.whole("rows").map { UInt64(clamping: $0) }
    }
}
