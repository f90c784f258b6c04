import FanfareBase
import FanfareCore
import FanfareSystem

extension JobList {
    /// Finds the jobs in some folders, and removes what jobs that are over have left there.
    package static func find(in folders: [JobFolder] = JobFolder.all) -> JobList {
        var found: [(entry: JobEntry, path: String)] = []
        for folder in folders {
            for id in folder.ids() {
                let path = folder.record(of: id)
                guard let entry = entry(id, in: folder) else { continue }
                found.append((entry, path))
            }
        }
        // A later job may have begun the same report anew.
        let kept = found.filter { one in
            guard !one.entry.isRunning else { return true }
            let isReplaced = found.contains {
                $0.entry.record.report == one.entry.record.report
                    && $0.entry.record.started > one.entry.record.started
            }
            if isReplaced { RecordFile.ofDead(one.path)?.remove() }
            return !isReplaced
        }
        return JobList(kept.map(\.entry))
    }

    private static func entry(_ id: String, in folder: JobFolder) -> JobEntry? {
        let path = folder.record(of: id)
        guard let bytes = try? SmallFile.read(path, bytesMax: Limits.jobRecordBytesMax) else {
            return nil
        }
        let record = JobRecord(json: bytes)
        // A job that answers runs: that is the usual case, and needs no lock.
        if let record, let status = status(of: record) {
            return JobEntry(record: record, isRunning: true, status: status)
        }
        guard let file = RecordFile.ofDead(path) else {
            // Just removed, or held by a process that does not answer.
            guard let record, FileDescriptor.exists(path) else { return nil }
            return JobEntry(record: record, isRunning: true)
        }
        guard let record else {
            // A later version may have written it; an empty one says nothing to any.
            if bytes.isEmpty { file.remove() } else { file.leave() }
            return nil
        }
        try? FileDescriptor.removeIfThere(folder.socket(of: id))
        guard record.isResumable else {
            file.remove()
            return nil
        }
        file.leave()
        return JobEntry(record: record, isRunning: false)
    }

    private static func status(of record: JobRecord) -> JobEntry.Status? {
        guard let socket = record.socket,
            let line = try? ControlLine.exchange(
                .status(asJSON: true), at: socket, patience: Limits.jobPatience),
            let answer = ControlAnswer(line: line), !answer.isError
        else { return nil }
        return JobEntry.Status(json: answer.text)
    }
}

extension Limits {
    /// The longest time that a list waits for a job, which may be stopped by Ctrl-Z.
    static let jobPatience = Duration.seconds(2)
}
