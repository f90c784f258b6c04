#if canImport(Glibc)
    internal import Glibc
#endif

/// A folder that belongs to the process's user, and that no other may write to.
package enum PrivateFolder {
    /// The number of the process's user.
    package static var user: UInt32 { geteuid() }

    /// True if a path is a folder, and no link to one, that belongs to the process's user.
    package static func isOwn(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            && status.st_uid == geteuid()
    }

    /// Makes a folder that only its owner may enter, or finds it made.
    /// - Throws: `FileError`, also if there is something else, or a folder that is another user's or
    ///   that others may write to: what is in it could then be theirs.
    package static func make(_ path: String) throws(FileError) {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
            throw FileError(errno: errno, "make", path)
        }
        try check(path)
    }

    /// Checks that a folder is there, is the process's user's, and is written by no other.
    /// - Throws: `FileError`, with the kind `notFound` if there is nothing.
    package static func check(_ path: String) throws(FileError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            throw FileError(errno: errno, "open", path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw FileError(.other, "use", path, "it is no folder")
        }
        guard status.st_uid == geteuid() else {
            throw FileError(.other, "use", path, "it belongs to another user")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw FileError(.other, "use", path, "others may write to it; chmod go-w ends that")
        }
    }
}
