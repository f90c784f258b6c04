#if canImport(Glibc)
    internal import Glibc
#endif

/// An open file, pipe or terminal.
///
/// Blocking; closed when it goes, except the standard streams.
///
/// It may be handed to another thread, and used by one at a time.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The treatment of a file that is there already.
    package enum Existing: Sendable {
        /// Fail with `FileError.Kind.exists`.
        case refuse
        /// Cut it to nothing.
        case truncate
        /// Keep its content; writing starts at its beginning.
        case keep
    }

    /// The number that the system gave it, for a loop that watches it; no other code may close or
    /// keep it.
    package let number: Int32
    private var isOwned: Bool

    /// The name of the file in messages.
    package let path: String

    /// True if the process that started us has it open, too: we must not cut its file or begin it
    /// anew.
    package let isShared: Bool

    init(number: Int32, isOwned: Bool, path: String, isShared: Bool = false) {
        self.number = number
        self.isOwned = isOwned
        self.path = path
        self.isShared = isShared
    }

    deinit {
        // Nothing can be reported here. Who needs to know calls `close`.
        if isOwned { _ = Glibc.close(number) }
    }

    package static var standardInput: FileDescriptor {
        FileDescriptor(
            number: STDIN_FILENO, isOwned: false, path: "standard input", isShared: true)
    }

    package static var standardOutput: FileDescriptor {
        FileDescriptor(
            number: STDOUT_FILENO, isOwned: false, path: "standard output", isShared: true)
    }

    /// Opens a file to read it.
    ///
    /// A directory is refused.
    package static func reading(_ path: String) throws(FileError) -> FileDescriptor {
        let file = try open(path, O_RDONLY, 0)
        // The kernel opens directories and fails at the first read, with a poorer message.
        if try file.status().st_mode & S_IFMT == S_IFDIR {
            throw FileError(errno: EISDIR, "open", path)
        }
        return file
    }

    /// Opens a file to read and write it, and makes it if it is not there.
    ///
    /// A descriptor that was handed over (`/dev/fd/3`) is written as it was given, wherever it
    /// leads: opening it anew would begin the file behind it anew. A named pipe is opened for
    /// writing only, after the function has waited for its reader.
    /// - Parameters:
    ///   - path: The file.
    ///   - existing: The treatment of a file that is there.
    ///   - isPublic: True if other users than the owner may read a new file (0644, otherwise 0600).
    /// - Returns: The file, at its beginning.
    /// - Throws: `FileError.Kind.exists` if the file is there and `existing` is `refuse`, and
    ///   others.
    package static func writing(
        _ path: String, existing: Existing, isPublic: Bool = false
    ) throws(FileError) -> FileDescriptor {
        if let number = handedOver(path) {
            let copy = retrying { Int(fcntl(number, F_DUPFD_CLOEXEC, 0)) }
            guard copy >= 0 else { throw FileError(errno: errno, "open", path) }
            return FileDescriptor(
                number: Int32(copy), isOwned: true, path: path, isShared: true)
        }
        // With us as a reader, it would not be noticed that there is no other one.
        if existing != .refuse, isNamedPipe(path) { return try open(path, O_WRONLY, 0) }
        let flags =
            switch existing {
            case .refuse: O_EXCL
            case .truncate: O_TRUNC
            case .keep: Int32(0)
            }
        return try open(path, O_RDWR | O_CREAT | flags, isPublic ? 0o644 : 0o600)
    }

    /// Checks that a file can be written later on, and makes it if it is not there.
    ///
    /// A named pipe is not opened: its reader would take that for all that comes.
    package static func checkWritable(
        _ path: String, isPublic: Bool = false
    ) throws(FileError) {
        guard isNamedPipe(path) else {
            return try writing(path, existing: .keep, isPublic: isPublic).close()
        }
        guard unsafe access(path, W_OK) == 0 else { throw FileError(errno: errno, "open", path) }
    }

    private static func isNamedPipe(_ path: String) -> Bool {
        var status = stat()
        guard handedOver(path) == nil, unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFIFO
    }

    /// Opens a file to write at its end, and makes it, for its owner alone, if it is not there.
    package static func appending(_ path: String) throws(FileError) -> FileDescriptor {
        if handedOver(path) != nil { return try writing(path, existing: .keep) }
        return try open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }

    /// Returns the number of the descriptor that a path names, if it names one of ours.
    package static func handedOver(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdin": return STDIN_FILENO
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default: break
        }
        let folder = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
        return folder.flatMap { Int32(path.dropFirst($0.count)) }
    }

    /// True if the process was started with a descriptor.
    ///
    /// A descriptor that is opened here does not outlive the start of another program, so a
    /// descriptor that has outlived it was not opened here.
    package static func isInherited(_ number: Int32) -> Bool {
        let flags = fcntl(number, F_GETFD)
        return flags >= 0 && flags & FD_CLOEXEC == 0
    }

    static func open(
        _ path: String, _ flags: Int32, _ mode: mode_t
    ) throws(FileError) -> FileDescriptor {
        // C would see only what stands before a zero byte.
        guard !path.utf8.contains(0) else { throw FileError(errno: ENOENT, "open", path) }
        let number = retrying { unsafe Int(Glibc.open(path, flags | O_CLOEXEC, mode)) }
        guard number >= 0 else { throw FileError(errno: errno, "open", path) }
        return FileDescriptor(number: Int32(number), isOwned: true, path: path)
    }
}

// MARK: - Bytes

extension FileDescriptor {
    /// Reads the bytes that are there, and waits for the first one.
    /// - Returns: The number of bytes; 0 at the end.
    package borrowing func read(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileError) -> Int {
        while true {
            let count = unsafe Glibc.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            try recover("read", POLLIN)
        }
    }

    /// Waits until `read` would return at once: with bytes, at the end, or with an error.
    /// - Returns: True if it would; false if the time is over first.
    package borrowing func isReadable(within milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wanted, 1, milliseconds) > 0
    }

    /// Writes all of it.
    package borrowing func writeAll(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        var rest = unsafe bytes
        while rest.count > 0 {
            let count = unsafe Glibc.write(number, rest.baseAddress, rest.count)
            if count >= 0 {
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else {
                try recover("write", POLLOUT)
            }
        }
    }

    /// Makes the bytes written survive a loss of power.
    ///
    /// Pipes and terminals, which cannot, are left alone.
    package borrowing func synchronize() throws(FileError) {
        let status = retrying { Int(fsync(number)) }
        guard status != 0, errno != EINVAL, errno != EROFS else { return }
        throw FileError(errno: errno, "fsync", path)
    }

    /// Cuts the file to a length, and goes on writing there.
    package borrowing func truncate(toBytes length: Int) throws(FileError) {
        guard retrying({ Int(ftruncate(number, length)) }) == 0,
            lseek(number, length, SEEK_SET) == length
        else { throw FileError(errno: errno, "truncate", path) }
    }

    /// Closes the file and throws the errors that `deinit` could not, such as a full disk behind a
    /// network.
    package consuming func close() throws(FileError) {
        guard isOwned else { return }
        isOwned = false
        // After EINTR Linux has closed it all the same; a second call could hit another file.
        guard Glibc.close(number) != 0, errno != EINTR else { return }
        throw FileError(errno: errno, "close", path)
    }

    /// Returns after a failed call when another try is worth it.
    borrowing func recover(_ operation: String, _ events: Int32) throws(FileError) {
        switch errno {
        case EINTR:
            return
        case EAGAIN:
            // A process that shares a standard stream has made it non-blocking.
            var wanted = pollfd(fd: number, events: Int16(events), revents: 0)
            _ = unsafe poll(&wanted, 1, -1)
        default:
            throw FileError(errno: errno, operation, path)
        }
    }
}

// MARK: - What it is

extension FileDescriptor {
    /// True if it has a size and positions, unlike a pipe or a terminal.
    package var isRegularFile: Bool {
        borrowing get throws(FileError) { try status().st_mode & S_IFMT == S_IFREG }
    }

    /// The length of a regular file in bytes.
    package var size: Int {
        borrowing get throws(FileError) { Int(try status().st_size) }
    }

    /// Checks that a path names something that may be read and is no directory.
    ///
    /// It does not open the file: the writer of a named pipe would take that for its reader.
    package static func checkReadable(_ path: String) throws(FileError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, unsafe access(path, R_OK) == 0 else {
            throw FileError(errno: errno, "open", path)
        }
        if status.st_mode & S_IFMT == S_IFDIR { throw FileError(errno: EISDIR, "open", path) }
    }

    /// Takes a file's name away.
    package static func remove(_ path: String) throws(FileError) {
        guard unsafe unlink(path) == 0 else { throw FileError(errno: errno, "remove", path) }
    }

    /// Takes a file's name away, if there is one: also that of a link which leads nowhere.
    package static func removeIfThere(_ path: String) throws(FileError) {
        do throws(FileError) {
            try remove(path)
        } catch {
            guard error.kind == .notFound else { throw error }
        }
    }

    /// True if a path names a regular file, directly or by a link.
    package static func isRegularFile(_ path: String) -> Bool { areSame(path, path) }

    /// True if two paths name one regular file, by any names and links.
    package static func areSame(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        guard unsafe stat(first, &one) == 0, unsafe stat(second, &other) == 0 else { return false }
        return isOneRegularFile(one, other)
    }

    /// True if two outputs would be in each other's way: they are one regular file, or would be one
    /// if it was there.
    ///
    /// Writers of a device, a pipe or a descriptor that was handed over take turns.
    package static func areOneOutput(_ first: String, _ second: String) -> Bool {
        if let number = handedOver(first), number == handedOver(second) { return false }
        return areSame(first, second) || (first == second && !exists(first))
    }

    /// True if standard input is the regular file that a path names, by any name and link.
    package static func isStandardInput(_ path: String) -> Bool {
        var (input, other) = (stat(), stat())
        guard unsafe fstat(STDIN_FILENO, &input) == 0, unsafe stat(path, &other) == 0 else {
            return false
        }
        return isOneRegularFile(input, other)
    }

    private static func isOneRegularFile(_ one: stat, _ other: stat) -> Bool {
        one.st_mode & S_IFMT == S_IFREG
            && one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    borrowing func status() throws(FileError) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else {
            throw FileError(errno: errno, "examine", path)
        }
        return status
    }
}

/// Calls again while a signal interrupts.
func retrying(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
