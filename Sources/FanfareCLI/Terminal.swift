import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Standard output and standard error, after the conventions of the command line.
///
/// Only this type makes text for a terminal printable (`TerminalText`), including text with words
/// of others.
enum Terminal {
    /// Fills the numbers of closed standard streams, so that no other file gets them.
    ///
    /// The process that starts us may have closed some. The next file or socket would get such a
    /// number, and with it the text for people; libuv ends the process when it has to close one.
    /// The replacement fails as a closed stream does: it cannot be read or written.
    static func occupyStandardStreams() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The lowest free number is given out, and that is this one.
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// True if standard error is a person's terminal.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// True if standard output is a person's terminal.
    static var isOutputInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// True if a line on standard error can be drawn again in its place.
    static var canRedraw: Bool {
        isInteractive && !["", "dumb"].contains(environment("TERM") ?? "")
    }

    /// The width of the terminal on standard error; 80 for one that has none.
    static var columns: Int {
        var size = winsize()
        let status = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size)
        return status == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// The width of the terminal on standard output; nil if it is none, or has none.
    static var outputColumns: Int? {
        var size = winsize()
        guard isOutputInteractive, unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        else { return nil }
        return size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// Returns true if standard error or standard output gets color.
    static func usesColor(onError: Bool) -> Bool {
        effectiveColor(
            isTerminal: isatty(onError ? STDERR_FILENO : STDOUT_FILENO) == 1,
            noColor: environment("NO_COLOR"), term: environment("TERM"))
    }

    /// Writes the requested result to standard output; byte for byte, unless that is a terminal.
    ///
    /// A reader that has gone away wants no more. `exit` reports any other failure.
    static func print(_ text: String) {
        var text = isOutputInteractive ? TerminalText.printable(text, keepsStyles: true) : text
        text.withUTF8 { bytes in
            do throws(FileError) {
                unsafe try FileDescriptor.standardOutput.writeAll(UnsafeRawBufferPointer(bytes))
            } catch {
                guard error.kind != .brokenPipe else { return }
                outputFailure.withLock { $0 = $0 ?? error.sentence }
            }
        }
    }

    /// The reason why standard output is incomplete, if it is.
    private static let outputFailure = Mutex<String?>(nil)

    /// Writes a message for people to standard error, with a line end.
    static func error(_ text: String) { show(TerminalText.printable(text) + "\n") }

    /// Does the same for a person who has just typed: the ^C that the terminal shows gets a line of
    /// its own.
    static func interject(_ text: String) {
        error(live.withLock { $0.isEmpty } ? "\n" + text : text)
    }

    /// Writes lines to standard error, in color if they are, above the live view if there is one.
    static func show(_ text: String) {
        let text = TerminalText.printable(text, keepsStyles: true)
        live.withLock { block in
            let erasure = block.erasure(columns: columns)
            write(erasure + text + block.drawing, to: STDERR_FILENO)
        }
    }

    static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Sets a variable of the environment that the user has not set.
    ///
    /// Before other threads are there, which might read it meanwhile.
    static func setDefault(_ name: String, _ value: String) {
        unsafe setenv(name, value, 0)
    }

    /// The folder that relative paths are relative to, with a slash at its end; empty if it is gone.
    static var workingFolder: String {
        guard let path = unsafe getcwd(nil, 0) else { return "" }
        defer { unsafe free(path) }
        let folder = unsafe String(cString: path)
        return folder.hasSuffix("/") ? folder : folder + "/"
    }

    /// Ends the process.
    /// - Parameter code: The exit code, unless the requested output could not be written.
    static func exit(_ code: Int32) -> Never {
        clearLive()
        guard code == ExitStatus.success.rawValue, let failure = outputFailure.withLock({ $0 })
        else { Glibc.exit(code) }
        error("fanfare: \(failure)")
        Glibc.exit(ExitStatus.inputOutput.rawValue)
    }

    // MARK: Questions

    /// True if a person can see a question and answer it.
    static var canAsk: Bool { isInteractive && isatty(STDIN_FILENO) == 1 }

    /// True if a question stands on the terminal: nothing else is drawn until it is answered.
    static var isAsking: Bool { asking.load(ordering: .relaxed) }

    private static let asking = Atomic(false)

    /// Shows a question, and leaves the cursor behind it.
    static func ask(_ question: String) {
        asking.store(true, ordering: .relaxed)
        clearLive()
        show(question)
    }

    static func endAsking() {
        asking.store(false, ordering: .relaxed)
    }

    // MARK: The live view

    /// The last lines of the terminal, which are drawn again and again.
    private static let live = Mutex(LiveBlock())

    /// Draws the live view, in place of the one before.
    static func showLive(_ lines: [String]) {
        guard !isAsking else { return }
        let lines = lines.map { TerminalText.printable($0, keepsStyles: true) }
        live.withLock { block in
            let before = block.isEmpty ? LiveBlock([""]) : block
            block = LiveBlock(lines)
            write(before.erasure(columns: columns) + block.drawing, to: STDERR_FILENO)
        }
    }

    /// Takes the live view away.
    static func clearLive() {
        live.withLock { block in
            if !block.isEmpty { write(block.erasure(columns: columns), to: STDERR_FILENO) }
            block = LiveBlock()
        }
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
}
