import Fanfare
import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem

/// A running job's entry in the folder of jobs: its record, and its socket beside it.
///
/// If the folder cannot be used, the job runs without an entry: its user has not asked for one.
final class JobRegistration {
    /// The time between two versions of the record.
    ///
    /// It is how old the share of a killed job may be.
    private static let interval = Duration.seconds(5)

    /// The socket at which the job listens.
    let socket: ControlSocket?
    private var record: JobRecord
    private var file: RecordFile?
    /// Returns how far the job is.
    private let reach: () -> (rows: UInt64, share: Double?)

    /// Enters a job.
    /// - Parameters:
    ///   - record: The facts about it, without a socket.
    ///   - socket: The socket that the user has asked for, with its path; `nil` for one in the
    ///     folder.
    ///   - folder: The folder, which is made; `nil` for a job without an entry.
    ///   - reach: Returns how far the job is.
    init(
        _ record: JobRecord, socket: (made: ControlSocket, path: String)?, in folder: JobFolder?,
        reach: @escaping () -> (rows: UInt64, share: Double?)
    ) {
        self.reach = reach
        var record = record
        var own = socket?.made
        record.socket = socket.map { FileDescriptor.spelledOut($0.path) }
        var file: RecordFile?
        if let folder {
            file = try? RecordFile.make(folder.record(of: record.id))
            if file != nil, own == nil {
                let path = folder.socket(of: record.id)
                own = try? ControlSocket(path)
                record.socket = own == nil ? nil : path
            }
        }
        self.socket = own
        self.record = record
        self.file = file
        write()
    }

    /// Notes the progress from time to time.
    /// - Returns: The work that does so, until it is canceled.
    func noted(on loop: EventLoop) -> Recurrence {
        Recurrence(every: Self.interval, on: loop) { [unowned self] in note() }
    }

    /// Notes the progress.
    private func note() {
        (record.rows, record.share) = reach()
        write()
    }

    private func write() {
        // One that cannot be written is as good as none.
        try? file?.write(record)
    }

    /// Ends the entry; that of a job that can be carried on stays, without its socket.
    /// - Parameter result: The result; `nil` if there is none. A run to some of the rows is followed by one to the others, of
    ///   which nothing is done, and which another command sends to.
    func end(_ result: JobResult? = nil) {
        (record.rows, record.share) = reach()
        // Its path is free for anyone from here on.
        record.socket = nil
        if let summary = result?.summary {
            record.resumeCommand = summary.resumeCommand
            if summary.stop == nil { record.share = nil }
        }
        write()
        guard let file = file.take() else { return }
        if record.isResumable { file.leave() } else { file.remove() }
    }

    deinit { end() }
}

extension JobRecord {
    /// True if the job has left a checkpoint to carry on from.
    var isResumable: Bool {
        guard let report else { return false }
        return Job.isUnfinished(report: report)
    }
}
