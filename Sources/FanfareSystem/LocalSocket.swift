internal import FanfareBase

#if canImport(Glibc)
    internal import Glibc
#endif

/// Sockets that have a path on this machine, and belong to one user alone (unix(7)).
package enum LocalSocket {
    /// Binds a socket and listens at a path; only the owner may connect.
    ///
    /// It replaces the socket of a process that has died. It does not replace a socket that a
    /// process listens at, nor anything else.
    /// - Throws: `FileError.Kind.exists` for these two, and others.
    package static func listen(at path: String) throws(FileError) -> FileDescriptor {
        // A path that no socket can have should not be locked either.
        unsafe try withAddress(path) { _, _ in }
        // Of two that find the same remains, one would remove the other's new socket.
        return try listen(at: path, holding: try lock(lockPath(of: path)))
    }

    private static func listen(
        at path: String, holding lock: borrowing SocketLock?
    ) throws(FileError) -> FileDescriptor {
        let socket = try make(path, isBlocking: false)
        // The file gets the socket's mode, so that no other user can connect even for a moment.
        guard fchmod(socket.number, 0o600) == 0 else { throw FileError(errno: errno, "bind", path) }
        var status = try bind(socket, path)
        if status == EADDRINUSE {
            try removeRemains(path)
            status = try bind(socket, path)
        }
        guard status == 0 else { throw FileError(errno: status, "bind", path) }
        guard Glibc.listen(socket.number, Int32(Limits.controlClientsMax)) == 0 else {
            throw FileError(errno: errno, "listen", path)
        }
        return socket
    }

    /// Connects to the process that listens at a path.
    package static func connect(to path: String) throws(FileError) -> FileDescriptor {
        let socket = try make(path, isBlocking: true)
        // One that is stopped takes no client in, and its queue may be full.
        let patience = Limits.controlPatience.wholeNanoseconds / 1_000_000_000
        var time = timeval(tv_sec: Int(patience), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &time, size)
        let number = socket.number
        let status = unsafe try withAddress(path) { address, length in
            retrying { unsafe Int(Glibc.connect(number, address, length)) } == 0 ? 0 : errno
        }
        guard status == 0 else { throw FileError(errno: status, "connect", path) }
        return socket
    }

    /// Looks whose process is at the other end of a connection.
    /// - Throws: `FileError` unless it is this user's, or root's, who could do all that this user can (unix(7),
    ///   `SO_PEERCRED`).
    package static func checkOwner(of socket: borrowing FileDescriptor) throws(FileError) {
        // The C library shows `struct ucred` to programs of GNU's alone.
        var peer: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        guard unsafe getsockopt(socket.number, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else {
            throw FileError(errno: errno, "ask", socket.path)
        }
        guard isTrusted(user: peer.user, by: geteuid()) else {
            throw FileError(.other, "ask", socket.path, "a process of another user listens there")
        }
    }

    /// True if one user takes the word of a process of another one.
    package static func isTrusted(user: UInt32, by own: UInt32) -> Bool { user == own || user == 0 }

    /// Takes in the next client of a socket that listens; `nil` when there is none.
    package static func accept(
        _ listener: borrowing FileDescriptor
    ) throws(FileError) -> FileDescriptor? {
        let number = retrying { Int(Glibc.accept(listener.number, nil, nil)) }
        if number >= 0 {
            _ = fcntl(Int32(number), F_SETFD, FD_CLOEXEC)
            return FileDescriptor(number: Int32(number), isOwned: true, path: listener.path)
        }
        // A client may have gone again.
        if errno == EAGAIN || errno == ECONNABORTED { return nil }
        throw FileError(errno: errno, "accept", listener.path)
    }

    /// Returns the place on the disk of the socket that a path names, so that it is removed later
    /// only if it is the same.
    package static func identity(of path: String) -> (device: UInt64, inode: UInt64)? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            return nil
        }
        return (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    // MARK: Its path

    private static func removeRemains(_ path: String) throws(FileError) {
        guard identity(of: path) != nil else {
            throw FileError(.exists, "bind", path, "there is something else, and no socket")
        }
        do throws(FileError) {
            _ = try connect(to: path)
        } catch {
            // No process listens: that is the one proof that none will miss it.
            guard error.kind == .connectionRefused else { throw error }
            try FileDescriptor.remove(path)
            return
        }
        throw FileError(.exists, "bind", path, "another process listens there")
    }

    /// Returns the path of a socket's lock while the socket is made.
    package static func lockPath(of path: String) -> String { path + ".lock" }

    /// Locks a file beside the socket, which no other user can lock: it is ours, and for us alone.
    ///
    /// The folder may belong to others as well (`/tmp`), and any user who may read a folder can
    /// lock it.
    /// - Returns: The file, locked until it is closed; `nil` if another user has put a file in its
    ///   place, for which we do not wait, or if the file has content, which no lock has.
    private static func lock(_ path: String) throws(FileError) -> SocketLock? {
        let end = MachineClock.now.advanced(by: Limits.controlLockPatience)
        while MachineClock.now < end {
            let file: FileDescriptor
            do throws(FileError) {
                file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
            } catch {
                return nil
            }
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                status.st_size == 0
            else { return nil }
            guard try file.lock(within: Limits.controlLockPatience) else { break }
            // The process that had it before has removed it.
            if try file.hasName { return SocketLock(file: file) }
        }
        throw FileError(.other, "bind", path, "another process keeps it locked")
    }

    private static func make(
        _ path: String, isBlocking: Bool
    ) throws(FileError) -> FileDescriptor {
        let flags =
            SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
            | (isBlocking ? 0 : SOCK_NONBLOCK.rawValue)
        let number = socket(AF_UNIX, Int32(flags), 0)
        guard number >= 0 else { throw FileError(errno: errno, "open", path) }
        return FileDescriptor(number: number, isOwned: true, path: path)
    }

    /// - Returns: The `errno`; 0 if it is bound.
    private static func bind(
        _ socket: borrowing FileDescriptor, _ path: String
    ) throws(FileError) -> Int32 {
        let number = socket.number
        return unsafe try withAddress(path) { address, length in
            unsafe Glibc.bind(number, address, length) == 0 ? 0 : errno
        }
    }

    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(FileError) -> Result {
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        let bytes = Array(path.utf8)
        // Linux takes a name that fills all of it, and others would not end.
        guard bytes.count < room else {
            throw FileError(.other, "use", path, "a socket's path has at most \(room - 1) bytes")
        }
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw FileError(.notFound, "use", path, "that is no path")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// A file that is locked as long as this lives, and then removed.
private struct SocketLock: ~Copyable {
    let file: FileDescriptor

    deinit {
        try? FileDescriptor.remove(file.path)
    }
}

/// Bytes of a socket, as far as there are some now.
extension FileDescriptor {
    /// Reads the bytes that have come.
    /// - Returns: The number of bytes, 0 at the end; `nil` if there is nothing now.
    package borrowing func receive(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileError) -> Int? {
        let count = retrying {
            unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        }
        if count >= 0 { return count }
        if errno == EAGAIN { return nil }
        throw FileError(errno: errno, "read", path)
    }

    /// Writes bytes if there is room for all of them.
    /// - Returns: True if there was room; if not, a part may be written.
    package borrowing func sendAtOnce(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        return retrying { unsafe send(number, bytes.baseAddress, bytes.count, flags) }
            == bytes.count
    }
}
