internal import FanfareBase

#if canImport(Glibc)
    internal import Glibc
#endif

/// Regular files that are read and written here and there, and locked.
extension FileDescriptor {
    /// Opens a file that only its owner may read, to read and write it, and makes it if it is not there.
    ///
    /// It refuses anything else that another program may have put there: a link, a file that is not
    /// regular, a file with another name elsewhere, and another user's file (the administrator may
    /// give a file away).
    package static func own(_ path: String) throws(FileError) -> FileDescriptor {
        let file: FileDescriptor
        do throws(FileError) {
            file = try open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        } catch {
            guard error.operation == "open", isLink(path) else { throw error }
            throw FileError(.other, "open", path, "it is a symbolic link; move it away")
        }
        let status = try file.status()
        let fault: String? =
            if status.st_mode & S_IFMT != S_IFREG {
                "it is no regular file; move it away"
            } else if status.st_nlink > 1 {
                "it has a second name elsewhere; move it away"
            } else if status.st_uid != geteuid() && geteuid() != 0 {
                "it belongs to another user"
            } else {
                nil
            }
        if let fault { throw FileError(.other, "open", path, fault) }
        return file
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Takes the file for this holder alone, until it is closed or the process ends, however.
    /// - Returns: True if the file is this holder's; false if another holder has it.
    package borrowing func tryLock() throws(FileError) -> Bool {
        if retrying({ Int(flock(number, LOCK_EX | LOCK_NB)) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw FileError(errno: errno, "lock", path) }
        return false
    }

    /// Returns another descriptor of the same opening: position and lock are those of both.
    package borrowing func duplicate() throws(FileError) -> FileDescriptor {
        let copy = retrying { Int(fcntl(number, F_DUPFD_CLOEXEC, 0)) }
        guard copy >= 0 else { throw FileError(errno: errno, "open", path) }
        return FileDescriptor(number: Int32(copy), isOwned: true, path: path, isShared: isShared)
    }

    /// Lets go of the file before it is closed.
    ///
    /// A process that another thread is just starting has a copy of the descriptor for a moment, and
    /// with it the lock: closing ours would not end that.
    package borrowing func unlock() {
        _ = flock(number, LOCK_UN)
    }

    /// Takes the file for this holder alone, and waits for a time while another holder has it.
    /// - Returns: True if the file is this holder's; false if another holder still has it.
    package borrowing func lock(within patience: Duration) throws(FileError) -> Bool {
        let end = MachineClock.now.advanced(by: patience)
        while try !tryLock() {
            guard MachineClock.now < end else { return false }
            // The system does not tell when it is free.
            _ = poll(nil, 0, 5)
        }
        return true
    }

    /// True if the file still has a name: another holder may have removed it before it was locked.
    package var hasName: Bool {
        borrowing get throws(FileError) { try status().st_nlink > 0 }
    }

    /// Reads bytes at a place; fewer than there is room for only at the end of the file.
    /// - Returns: The number of bytes.
    package borrowing func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = unsafe pread(
                number, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done,
                offset + done)
            if count == 0 { break }
            if count > 0 { done += count } else { try recover("read", POLLIN) }
        }
        return done
    }

    /// Reads bytes at a place; fewer than wanted only at the end of the file.
    package borrowing func bytes(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let done = unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(FileError) in
            unsafe try read(into: UnsafeMutableRawBufferPointer(bytes), at: offset)
        }
        return Array(bytes.prefix(done))
    }

    /// Writes all bytes at a place; where `writeAll` goes on does not change.
    package borrowing func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe pwrite(
                number, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done,
                offset + done)
            if count >= 0 { done += count } else { try recover("write", POLLOUT) }
        }
    }

    /// Makes room on the disk, so that later writes there cannot fail for lack of it; new bytes
    /// read as zeros.
    package borrowing func reserve(_ range: Range<Int>) throws(FileError) {
        while true {
            let status = posix_fallocate(number, range.lowerBound, range.count)
            if status == 0 { return }
            if status != EINTR { throw FileError(errno: status, "reserve", path) }
        }
    }

    /// The state of a file that a process writes.
    package enum Standing: Equatable, Sendable {
        case asWritten
        /// It has no name any more.
        case removed
        /// Its name is gone, or another file's.
        case renamed
        /// It has another length.
        case resized(bytes: Int)
    }

    /// Looks whether a file that was opened by its path is still there, with its length.
    package borrowing func standing(bytes: Int) throws(FileError) -> Standing {
        let own = try status()
        if own.st_nlink == 0 { return .removed }
        var named = stat()
        guard unsafe stat(path, &named) == 0, named.st_dev == own.st_dev,
            named.st_ino == own.st_ino
        else { return .renamed }
        return own.st_size == bytes ? .asWritten : .resized(bytes: Int(own.st_size))
    }

    /// A file as it was at some time: another one, or one that was written since, is not equal.
    ///
    /// Two writes within a tick of the kernel's clock may look like one.
    package struct Version: Equatable, Sendable {
        private let numbers: (UInt64, UInt64)
        private let bytes: Int64
        private let times: (Int, Int, Int, Int)

        fileprivate init(_ status: stat) {
            numbers = (UInt64(status.st_dev), UInt64(status.st_ino))
            bytes = Int64(status.st_size)
            times = (
                Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec),
                Int(status.st_ctim.tv_sec), Int(status.st_ctim.tv_nsec)
            )
        }

        package static func == (left: Version, right: Version) -> Bool {
            left.numbers == right.numbers && left.bytes == right.bytes && left.times == right.times
        }
    }

    /// Returns what the file is now.
    package borrowing func version() throws(FileError) -> Version { Version(try status()) }

    /// Returns what the file of a name is now, also behind a link.
    package static func version(of path: String) throws(FileError) -> Version {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileError(errno: errno, "open", path) }
        return Version(status)
    }

    /// True if something has this name.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0
    }

    /// Returns the numbers by which the system tells a file from each other one: device and inode.
    package static func identity(of path: String) throws(FileError) -> (UInt64, UInt64) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileError(errno: errno, "open", path) }
        return (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    /// Returns the status of the file that a path names.
    package static func status(of path: String) throws(FileError) -> FileStatus {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileError(errno: errno, "open", path) }
        return FileStatus(
            isRegular: status.st_mode & S_IFMT == S_IFREG, bytes: UInt64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000
                + Int64(status.st_mtim.tv_nsec))
    }
}

/// The facts about a file that are known without opening it.
package struct FileStatus: Equatable, Sendable {
    /// True if it has a size and positions, unlike a pipe, a terminal or a directory.
    package var isRegular: Bool
    /// Its length; means nothing unless it is regular.
    package var bytes: UInt64
    /// The time of the last change of its content, in nanoseconds of UNIX time.
    package var modified: Int64
}
