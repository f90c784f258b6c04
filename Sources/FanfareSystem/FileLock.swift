/// The lock of a file, which one holder has at a time, by any name that the file was opened by.
///
/// It goes with the object, and with the process.
package final class FileLock: Sendable {
    private let file: FileDescriptor

    /// Takes the lock of an open file.
    /// - Returns: `nil` if another holder has it.
    /// - Throws: `FileError` with the operation `lock` when the file system has none, and others.
    package static func take(of file: borrowing FileDescriptor) throws(FileError) -> FileLock? {
        // The lock is that of the opening, so that the file may be closed and the lock kept.
        let copy = try file.duplicate()
        guard try copy.tryLock() else { return nil }
        return FileLock(copy)
    }

    private init(_ file: consuming FileDescriptor) {
        self.file = file
    }

    deinit { file.unlock() }
}
