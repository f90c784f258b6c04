internal import FanfareBase

#if canImport(Glibc)
    internal import Glibc
#endif

/// Places that take bytes when another process reads them: pipes, sockets, terminals.
extension FileDescriptor {
    /// The bytes that a pipe with any room takes at once: `PIPE_BUF`.
    private static let pieceBytes = 4096

    /// Writes all of the bytes, and waits for the reader as long as the caller wants.
    ///
    /// The descriptor stays blocking, since the processes that share it rely on that. So it only
    /// gets as many bytes as it has room for.
    /// - Parameters:
    ///   - bytes: The bytes to write.
    ///   - isWanted: Called when the reader has taken nothing for `Limits.readerLookMilliseconds`;
    ///     false ends the wait.
    /// - Throws: `FileError`, also when the reader takes nothing and the caller waits no longer.
    package borrowing func writeAll(
        _ bytes: UnsafeRawBufferPointer, while isWanted: () -> Bool
    ) throws(FileError) {
        var rest = unsafe bytes
        while rest.count > 0 {
            guard isWritable(within: Limits.readerLookMilliseconds) else {
                guard isWanted() else {
                    throw FileError(.other, "write", path, "its reader takes nothing")
                }
                continue
            }
            let count = unsafe Glibc.write(
                number, rest.baseAddress, min(rest.count, Self.pieceBytes))
            if count >= 0 {
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno != EINTR && errno != EAGAIN {
                throw FileError(errno: errno, "write", path)
            }
        }
    }

    /// Waits until there is room, or an error to be told.
    private borrowing func isWritable(within milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&wanted, 1, milliseconds) > 0
    }
}
