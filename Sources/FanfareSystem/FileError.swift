#if canImport(Glibc)
    internal import Glibc
#endif

/// The failure of an operation on a file.
package struct FileError: Error, Hashable, CustomStringConvertible {
    /// The reasons that callers decide by.
    package enum Kind: Hashable, Sendable {
        case notFound
        case isDirectory
        case permissionDenied
        case exists
        /// The device is full, or a quota or the largest file size is reached.
        case noSpace
        /// The pipe has no reader any more.
        case brokenPipe
        /// No process listens at the socket.
        case connectionRefused
        /// Any other reason, which is in `description`.
        case other
    }

    package let kind: Kind
    package let path: String

    /// The operation that failed, such as "open".
    package let operation: String

    /// The system's reason in plain English, such as "no such file or directory".
    package let reason: String

    /// Translates an `errno`.
    init(errno: Int32, _ operation: String, _ path: String) {
        kind =
            switch errno {
            case ENOENT: .notFound
            case EISDIR: .isDirectory
            case EACCES, EPERM, EROFS: .permissionDenied
            case EEXIST: .exists
            case ENOSPC, EFBIG, EDQUOT: .noSpace
            case EPIPE: .brokenPipe
            case ECONNREFUSED: .connectionRefused
            default: .other
            }
        self.path = path
        self.operation = operation
        reason =
            errno == ENOLCK
            ? "no locks available on this file system; a local one has them"
            : SystemError.reason(errno)
    }

    /// Makes an error that is not the system's.
    package init(_ kind: Kind, _ operation: String, _ path: String, _ reason: String) {
        self.kind = kind
        self.path = path
        self.operation = operation
        self.reason = reason
    }

    /// Makes the error of a file that is larger than its reader allows.
    package init(tooLarge path: String, bytesMax: Int) {
        self.init(.other, "read", path, "larger than \(bytesMax) bytes")
    }

    /// Makes the error of more rows than a job can have.
    package init(tooManyRows rowsMax: UInt64, _ path: String) {
        self.init(.other, "mark", path, "a job can have \(rowsMax) rows at most")
    }

    /// Makes the error of more parts than a report can have.
    package init(tooManyParts partsMax: Int, _ path: String) {
        self.init(.other, "split", path, "a report can have \(partsMax) parts at most")
    }

    /// The sentence for people: the file and the reason.
    package var sentence: String {
        let verb = operation == "write" ? "written" : "used"
        return "\(path) cannot be \(verb): \(reason)"
    }

    package var description: String { "\(operation) \(path): \(reason)" }
}
