import FanfareCore
import FanfareSystem

/// The files of the machine.
struct FileSystem: JobDisk {
    typealias Marks = MappedFile

    func open(_ path: String, mayExist: Bool) throws(FileError) -> SystemFile {
        try SystemFile(path, mayExist: mayExist)
    }

    func remove(_ path: String) throws(FileError) { try FileDescriptor.remove(path) }

    func synchronize(_ path: String) throws(FileError) {
        try FileDescriptor.reading(path).synchronize()
    }

    func bytes(of path: String) -> Int? {
        guard let status = try? FileDescriptor.status(of: path), status.isRegular else {
            return nil
        }
        return Int(clamping: status.bytes)
    }

    func later(_ parts: ReportParts) throws(FileError) -> [String] { try parts.later() }

    func contents(of path: String) -> RowInput { .file(path) }

    func checksum(of files: [(path: String, bytes: Int)]) throws(FileError) -> UInt64 {
        try FileChecksum.of(files)
    }

    func mayBeBegun(_ path: String, of parts: ReportParts, _ beginning: [UInt8]) -> Bool {
        parts.mayBeBegun(path, beginning)
    }
}

/// An open file of the machine: a regular one, a pipe, a device, or one without a name.
///
/// Use from one thread at a time.
final class SystemFile: DiskFile {
    let path: String
    let name: String
    private let file: FileDescriptor
    let canBeCut: Bool
    let hasName: Bool
    /// True if a write may wait for a reader.
    private let mayWait: Bool
    /// Returns true to wait even for a reader that takes nothing.
    var isReaderAwaited: @Sendable () -> Bool = { true }
    private var lock: FileLock?

    /// Opens a file.
    ///
    /// Its content stays until it is cut.
    /// - Parameters:
    ///   - path: The file; `-` is standard output.
    ///   - mayExist: True if the file may exist. A device always may, and so may the file behind a
    ///     descriptor that was handed over (`/dev/fd/3`): the job appends to it, and never cuts it.
    /// - Throws: `FileError.Kind.exists` when the file exists and may not, and other kinds.
    init(_ path: String, mayExist: Bool) throws(FileError) {
        self.path = path
        name = path == "-" ? "standard output" : path
        hasName = true
        let mayExist =
            mayExist || OutputFile.isDevice(path) && !FileDescriptor.isRegularFile(path)
        file =
            path == "-"
            ? .standardOutput : try .writing(path, existing: mayExist ? .keep : .refuse)
        // A stream that was closed before we began is reported when it is written.
        let isRegular = file.isShared ? (try? file.isRegularFile) ?? true : try file.isRegularFile
        mayWait = !isRegular
        // Another process may have written to a shared file before.
        canBeCut = isRegular && !file.isShared
    }

    /// Makes a file that no other process sees and that disappears with its owner.
    /// - Parameters:
    ///   - folder: The folder that holds it.
    ///   - purpose: Its purpose, such as "the lines of standard output".
    /// - Throws: `FileError` when it cannot be made.
    init(namelessIn folder: String, for purpose: String) throws(FileError) {
        file = try .nameless(in: folder)
        path = file.ownPath
        name = "a file in \(folder) for \(purpose)"
        hasName = false
        mayWait = false
        canBeCut = true
    }

    /// Locks the file for this job alone until `unlock`.
    ///
    /// The checkpoint's lock belongs to a name, but a file may have several names, and links. A
    /// device or a shared file is not locked.
    /// - Returns: False if another job has it.
    func tryLock() throws(FileError) -> Bool {
        guard canBeCut, hasName else { return true }
        do throws(FileError) {
            lock = try FileLock.take(of: file)
        } catch {
            // A file system without locks is no reason not to write there.
            guard error.operation == "lock" else { throw error }
            return true
        }
        return lock != nil
    }

    /// Lets another job have the file, though its object is still there.
    func unlock() { lock = nil }

    /// Lets those use it who may use another one.
    func copyAccess(from path: String) throws(FileError) { try file.copyAccess(from: path) }

    /// Reserves room on the disk for a whole file; `truncate` gives the unused part back.
    func reserve(_ bytes: Int) throws(FileError) {
        if bytes > 0 { try file.reserve(0..<bytes) }
    }

    var size: Int {
        get throws(FileError) { try file.size }
    }

    func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError) {
        if mayWait {
            unsafe try file.writeAll(UnsafeRawBufferPointer(bytes), while: isReaderAwaited)
        } else {
            unsafe try file.writeAll(UnsafeRawBufferPointer(bytes))
        }
    }

    func truncate(toBytes length: Int) throws(FileError) { try file.truncate(toBytes: length) }

    func synchronize() throws(FileError) { try file.synchronize() }

    func standing(bytes: Int) throws(FileError) -> FileDescriptor.Standing {
        try file.standing(bytes: bytes)
    }
}
