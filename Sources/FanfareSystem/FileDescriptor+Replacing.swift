#if canImport(Glibc)
    internal import Glibc
#endif

/// Files that take the place of others, and files without a name.
extension FileDescriptor {
    /// Makes a file that only its owner may read and that has no name any more: nothing is left of
    /// it, also if the process is killed.
    package static func nameless(in folder: String) throws(FileError) -> FileDescriptor {
        // The file system may be one that knows no files without a name.
        if let file = try? open(folder, O_RDWR | withoutName, 0o600) { return file }
        var generator = SystemRandomNumberGenerator()
        let name = ".fanfare-\(String(generator.next() as UInt64, radix: 36)).tmp"
        let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
        let file = try writing(path, existing: .refuse)
        try remove(path)
        return file
    }

    /// `O_TMPFILE`, which Swift does not see.
    private static let withoutName = 0o20000000 | O_DIRECTORY

    /// A path by which this process can open the file once more, though it may have no name.
    package var ownPath: String { "/proc/self/fd/\(number)" }

    /// Returns the path that a path leads to, without links.
    package static func resolved(_ path: String) throws(FileError) -> String {
        guard let resolved = unsafe realpath(path, nil) else {
            throw FileError(errno: errno, "open", path)
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Gives this file the owner, the group and the mode of another one.
    ///
    /// The owner stays if only the administrator could change it.
    package borrowing func copyAccess(from path: String) throws(FileError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileError(errno: errno, "open", path) }
        _ = fchown(number, status.st_uid, status.st_gid)
        guard fchmod(number, status.st_mode & 0o7777) == 0 else {
            throw FileError(errno: errno, "change", self.path)
        }
    }

    /// Gives a file the name of another one, which is gone at the same moment.
    package static func replace(_ path: String, by other: String) throws(FileError) {
        guard unsafe Glibc.rename(other, path) == 0 else {
            throw FileError(errno: errno, "replace", path)
        }
        // It has happened: that a loss of power may undo it is no reason to say that it has not.
        try? open(folder(of: path), O_RDONLY | O_DIRECTORY, 0).synchronize()
    }
}
