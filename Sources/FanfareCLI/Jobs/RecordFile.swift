import FanfareBase
import FanfareCore
import FanfareSystem

/// The file of a job's record, which is locked as long as the job's process lives.
///
/// The lock tells a running job from one that was killed: the system ends it with the process, and
/// no later process can have it by chance, as it may have a number.
struct RecordFile: ~Copyable {
    private let file: FileDescriptor
    private var length = 0

    private init(_ file: consuming FileDescriptor) {
        self.file = file
    }

    /// The path.
    var path: String { file.path }

    /// Makes the file and locks it, or takes over that of an earlier run of the job.
    /// - Throws: `FileError`, also if another process keeps it locked.
    static func make(_ path: String) throws(FileError) -> RecordFile {
        let end = MachineClock.now.advanced(by: Limits.controlLockPatience)
        while MachineClock.now < end {
            let file = try FileDescriptor.own(path)
            guard try file.lock(within: Limits.controlLockPatience) else { break }
            // A command that lists jobs may have removed it, since it was empty.
            guard try file.hasName else { continue }
            try file.truncate(toBytes: 0)
            return RecordFile(file)
        }
        throw FileError(.other, "lock", path, "another process keeps it locked")
    }

    /// Takes over the file of a job that does not run.
    /// - Returns: The file; `nil` if its job runs, or it is not there.
    static func ofDead(_ path: String) -> RecordFile? {
        guard let file = try? FileDescriptor.reading(path), (try? file.tryLock()) == true,
            (try? file.hasName) == true
        else { return nil }
        return RecordFile(file)
    }

    /// Writes the record in place of the last one.
    ///
    /// It is one call, so that no kill cuts it; spaces cover what a longer one has left.
    mutating func write(_ record: JobRecord) throws(FileError) {
        var text = record.json
        length = max(length, text.utf8.count)
        text += String(repeating: " ", count: length - text.utf8.count)
        let bytes = Array(text.utf8)
        var failure: FileError?
        unsafe bytes.withUnsafeBytes { bytes in
            do throws(FileError) {
                unsafe try file.write(bytes, at: 0)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Removes the file, while it is still locked.
    consuming func remove() {
        try? FileDescriptor.remove(file.path)
        file.unlock()
    }

    /// Leaves the file to commands that list jobs.
    consuming func leave() {
        file.unlock()
    }
}

extension Limits {
    /// The longest record: a command line of a thousand files has less.
    static let jobRecordBytesMax = 1024 * 1024
}
