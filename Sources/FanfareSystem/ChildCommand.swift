internal import CSystem

#if canImport(Glibc)
    internal import Glibc
#endif

/// A command of the shell that runs beside this process, in a process group of its own.
///
/// Its standard output is our standard error: standard output has the result that the user asked
/// for. One thread calls `waitForEnd`, and the one that made it `reap` afterwards; until then
/// signals may be sent, because the number of the group is still its own.
package struct ChildCommand: Sendable {
    private let processID: pid_t

    /// The end of a command.
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        /// The system keeps no status of children, as with an ignored SIGCHLD.
        case unknown
    }

    /// Starts a command with `/bin/sh -c`.
    /// - Parameters:
    ///   - command: The command.
    ///   - input: The bytes on its standard input.
    ///   - variables: Variables of its environment, in place of ours of the same name; `nil` takes
    ///     ours away.
    /// - Throws: `SystemError` if there is no room for it.
    package init(
        _ command: String, input: [UInt8], variables: [String: String?]
    ) throws(SystemError) {
        let file = try Self.file(with: input)
        defer { close(file) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, file, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        Self.standardSignals(&attributes)
        let words = unsafe Self.pointers(to: ["/bin/sh", "-c", command])
        let surroundings = unsafe Self.pointers(to: Self.environment(with: variables))
        defer { unsafe (words + surroundings).forEach { unsafe free($0) } }
        var number = pid_t()
        let status = unsafe posix_spawn(
            &number, "/bin/sh", &actions, &attributes, words, surroundings)
        guard status == 0 else { throw SystemError(errno: status, "start /bin/sh") }
        processID = number
    }

    /// Waits until the command has ended, and leaves it to `reap`.
    package func waitForEnd() {
        var information = unsafe siginfo_t()
        // Children of processes that ignore SIGCHLD have gone by then (ECHILD).
        while unsafe waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) == -1,
            errno == EINTR
        {}
    }

    /// Asks all processes of the command's group to end, or ends them.
    package func end(atOnce: Bool) { kill(-processID, atOnce ? SIGKILL : SIGTERM) }

    /// Lets go of a command that has ended.
    package func reap() -> Ending {
        var word: Int32 = 0
        var result: pid_t
        repeat {
            result = unsafe waitpid(processID, &word, 0)
        } while result == -1 && errno == EINTR
        guard result == processID else { return .unknown }
        let signal = word & 0x7F
        return signal == 0 ? .exited((word >> 8) & 0xFF) : .killed(signal: signal)
    }

    /// Makes a file without a name, to be read from its beginning.
    ///
    /// A pipe would fill up before a command that reads nothing, and break behind one that has gone.
    private static func file(with bytes: [UInt8]) throws(SystemError) -> Int32 {
        let file = unsafe system_memory_file("fanfare-summary")
        guard file >= 0 else { throw SystemError(errno: errno, "make a file in memory") }
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes[start...].withUnsafeBytes { bytes in
                retrying { unsafe write(file, bytes.baseAddress, bytes.count) }
            }
            guard count > 0 else {
                let number = errno
                close(file)
                throw SystemError(errno: number, "write a file in memory")
            }
            start += count
        }
        lseek(file, 0, SEEK_SET)
        return file
    }

    /// Gives the command the signals that every program begins with, and a group of its own.
    ///
    /// Ours ignores some, and its threads block others. What our own parent ignores for a reason
    /// (nohup's SIGHUP) stays ignored.
    private static func standardSignals(_ attributes: inout posix_spawnattr_t) {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM] { unsafe sigaddset(&signals, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    /// Copies texts for C, with the null pointer behind them; the caller frees them.
    private static func pointers(to texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe []
        for text in texts { unsafe pointers.append(strdup(text)) }
        unsafe pointers.append(nil)
        return unsafe pointers
    }

    /// Our environment with some variables changed, as texts of the form `NAME=VALUE`.
    private static func environment(with variables: [String: String?]) -> [String] {
        var texts: [String] = []
        var place = unsafe system_environment()
        while let entry = unsafe place?.pointee {
            let text = unsafe String(cString: entry)
            if variables[String(text.prefix { $0 != "=" })] == nil { texts.append(text) }
            unsafe place = place?.successor()
        }
        for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
            if let value { texts.append("\(name)=\(value)") }
        }
        return texts
    }
}
