#if canImport(Glibc)
    import Glibc
#endif

/// Standard output and standard error, as the conventions of the command line have them.
enum Terminal {
    /// Sees to it that the numbers of the standard streams belong to nobody else.
    ///
    /// Whoever starts us may have closed some. The next file or socket would get such a number, and
    /// with it what is meant for a person; libuv ends the process when it is to close one. What
    /// takes the place fails as a closed stream does: it cannot be read, and the output not written.
    static func occupyStandardStreams() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The lowest free number is given out, and that is this one.
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether standard error is a person's terminal.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether to use colour on standard error or standard output.
    static func usesColour(onError: Bool) -> Bool {
        effectiveColour(
            isTerminal: isatty(onError ? STDERR_FILENO : STDOUT_FILENO) == 1,
            noColor: environment("NO_COLOR"), term: environment("TERM"))
    }

    /// Writes what was asked for to standard output.
    static func print(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    /// Writes a message for people to standard error, with a line end.
    static func error(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Writes to standard error as it is.
    static func show(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while unsafe !rest.isEmpty {
                let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                // A reader that has gone away wants no more; that is no error of ours.
                guard count > 0 || errno == EINTR else { return }
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest[max(count, 0)...])
            }
        }
    }

    static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// The folder that relative paths are relative to, with a slash at its end; empty if it is gone.
    static var workingFolder: String {
        guard let path = unsafe getcwd(nil, 0) else { return "" }
        defer { unsafe free(path) }
        let folder = unsafe String(cString: path)
        return folder.hasSuffix("/") ? folder : folder + "/"
    }

    static func exit(_ code: Int32) -> Never {
        Glibc.exit(code)
    }
}
