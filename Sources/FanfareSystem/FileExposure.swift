#if canImport(Glibc)
    internal import Glibc
#endif

/// The openness of a file's content to users of the machine who are neither its owner nor in its group.
package enum FileExposure: Equatable, Sendable {
    /// Every user can read it, and the process's user can change that.
    case own
    /// Every user can read it, and only its owner, another user, can change that.
    case ofAnother

    /// Looks at a file and at the folders on the way to it; links are followed.
    ///
    /// A group that may read it is no fault: services of systemd and pods get their secrets so. Nor is a
    /// file that all may read in a folder that no other user may enter. The result is `nil` for these, and
    /// for a path without a regular file.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - top: The folder from which others are known to get on, without a slash at its end; `/` alone is
    ///     empty.
    package init?(_ path: String, below top: String = "") {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        let whole = unsafe String(cString: found)
        guard let file = Self.status(whole), file.st_mode & S_IFMT == S_IFREG,
            file.st_mode & S_IROTH != 0, Self.isWayOpen(to: whole, below: top)
        else { return nil }
        let user = geteuid()
        self = user == 0 || user == file.st_uid ? .own : .ofAnother
    }

    private static func isWayOpen(to path: String, below top: String) -> Bool {
        var folder = path[...]
        while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")), slash > folder.startIndex {
            folder = folder[..<slash]
            guard folder != top else { return true }
            guard let status = status(String(folder)), status.st_mode & S_IXOTH != 0 else {
                return false
            }
        }
        return true
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }
}
