import FanfareTestSupport
import Foundation
import Glibc

/// A process that a test started, with its streams in files or descriptors.
///
/// Foundation's `Process` cannot reset signals, and a thread of the tests that has run a job holds
/// SIGPIPE back; a child has to begin like one of a shell.
final class ChildProcess: @unchecked Sendable {
    struct CannotStart: Error {
        let command: String
        let reason: String
    }

    /// The runtime folder of commands that have none of their own: jobs of tests are no jobs of the
    /// person who runs them.
    static let runtime: TemporaryFolder = {
        // The folder is removed with the process's other temporary files, or stays empty.
        do {
            return try TemporaryFolder()
        } catch {
            preconditionFailure("there is no temporary folder: \(error)")
        }
    }()

    let id: pid_t
    private let lock = NSLock()
    private var status: Int32?

    /// Starts a command; streams that are not named are empty or thrown away.
    ///
    /// Descriptors come before files; they stay the caller's.
    init(
        _ command: String, _ arguments: [String], input: String = "/dev/null",
        inputDescriptor: Int32? = nil, output: String = "/dev/null",
        outputDescriptor: Int32? = nil, errors: String = "/dev/null", directory: String,
        runtime: TemporaryFolder = ChildProcess.runtime
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let append = O_WRONLY | O_CREAT | O_APPEND
        if let inputDescriptor {
            posix_spawn_file_actions_adddup2(&actions, inputDescriptor, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        }
        if let outputDescriptor {
            posix_spawn_file_actions_adddup2(&actions, outputDescriptor, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, output, append, 0o600)
        }
        posix_spawn_file_actions_addopen(&actions, 2, errors, append, 0o600)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        // The shell changes the folder and becomes the command: posix_spawn's own way is hidden from
        // Swift.
        let shell = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, directory, command]
        var words = (shell + arguments).map { strdup($0) }
        words.append(nil)
        defer { words.forEach { free($0) } }
        let variable = "XDG_RUNTIME_DIR"
        // Those that choose tests are no options of ours.
        let others = ProcessInfo.processInfo.environment.filter {
            $0.key != variable && !$0.key.hasPrefix("FANFARE_")
        }
        var environment = others.map { strdup("\($0.key)=\($0.value)") }
        environment += [strdup("\(variable)=\(runtime.path)"), nil]
        defer { environment.forEach { free($0) } }
        var id = pid_t()
        let result = posix_spawn(&id, shell[0], &actions, &attributes, words, environment)
        guard result == 0 else {
            throw CannotStart(command: command, reason: String(cString: strerror(result)))
        }
        self.id = id
    }

    deinit {
        if exitStatus == nil {
            kill(id, SIGKILL)
            _ = waitUntilExit()
        }
    }

    /// The exit code, or minus the number of the signal that ended it; nil while it runs.
    var exitStatus: Int32? {
        lock.withLock {
            if let status { return status }
            var word: Int32 = 0
            guard waitpid(id, &word, WNOHANG) == id else { return nil }
            let signal = word & 0x7F
            status = signal == 0 ? (word >> 8) & 0xFF : -signal
            return status
        }
    }

    /// - Returns: As `exitStatus`; nil, and the process killed, when it has not ended in time.
    func waitUntilExit(seconds: Double = 60) -> Int32? {
        if Poll.until(seconds: seconds, { exitStatus != nil }) { return exitStatus }
        kill(id, SIGKILL)
        _ = Poll.until(seconds: 10) { exitStatus != nil }
        return nil
    }

    func send(_ signal: Int32) {
        if exitStatus == nil { kill(id, signal) }
    }
}

/// Commands of other people.
enum Executable {
    /// The command's path, or nil if it is not installed.
    ///
    /// Servers live outside a user's path.
    static func path(_ name: String) -> String? {
        ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"]
            .map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }
}
