import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A virtual environment of Python with other people's implementations in it.
///
/// It is made when a test first wants it, in the build folder, from the versions in
/// `Tests/Fixtures/python/requirements.txt`; other versions are another environment.
enum PythonEnvironment {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let fixtures = root.appending(path: "Tests/Fixtures/python")

    private static let python = Result { try made() }

    /// True if tests with it can run.
    ///
    /// With `FANFARE_REQUIRE_SERVERS=1` they run in any case, and fail where it cannot be made.
    static var isAvailable: Bool {
        if ProcessInfo.processInfo.environment["FANFARE_REQUIRE_SERVERS"] == "1" { return true }
        return (try? python.get()) != nil
    }

    /// The message of a skipped test.
    static let absence: Comment =
        "there is no Python with venv, or no package index; FANFARE_REQUIRE_SERVERS=1 makes that a failure"

    /// Runs a script of the fixtures in a folder, which is its argument.
    /// - Returns: Its output.
    /// - Throws: `Missing`, with what it says, if it does not end well.
    static func run(_ script: String, in folder: TemporaryFolder) throws -> String {
        try run(
            python.get(), [fixtures.appending(path: script).path, folder.path], seconds: 60,
            log: folder.path("python.log"), directory: folder.path)
    }

    /// Starts a script of the fixtures that serves until it is ended, and writes its port into a folder, which
    /// is its argument.
    /// - Returns: The process and the port.
    /// - Throws: `Missing`, with what it says, if it does not come so far.
    static func serve(
        _ script: String, in folder: TemporaryFolder
    ) throws -> (process: ChildProcess, port: UInt16) {
        let log = folder.path("python.log")
        let process = try ChildProcess(
            python.get(), [fixtures.appending(path: script).path, folder.path], output: log,
            errors: log, directory: folder.path)
        _ = Poll.until(seconds: 60) { process.exitStatus != nil || folder.exists("port") }
        guard let port = (try? folder.read("port")).flatMap(UInt16.init) else {
            throw Missing(description: "\(script) does not serve: \(folder.text(of: "python.log"))")
        }
        return (process, port)
    }

    private static func made() throws -> String {
        let requirements = fixtures.appending(path: "requirements.txt")
        let versions = try String(contentsOf: requirements, encoding: .utf8)
        let folder = root.appending(path: ".build/python")
        let finished = folder.appending(path: name(of: versions))
        let python = finished.appending(path: "bin/python").path
        if access(python, X_OK) == 0 { return python }
        guard let system = Executable.path("python3") else {
            throw Missing(description: "python3 is not installed")
        }
        // Made beside its place and put there whole: another process may be at it too.
        let begun = folder.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: begun) }
        try FileManager.default.createDirectory(at: begun, withIntermediateDirectories: true)
        let log = begun.appending(path: "log").path
        _ = try run(
            system, ["-m", "venv", begun.appending(path: "new").path], seconds: 120, log: log,
            directory: begun.path)
        _ = try run(
            begun.appending(path: "new/bin/python").path,
            [
                "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                "--only-binary", ":all:", "--retries", "1", "-r", requirements.path,
            ], seconds: 300, log: log, directory: begun.path)
        let made = begun.appending(path: "new").path
        guard rename(made, finished.path) == 0 || access(python, X_OK) == 0 else {
            throw Missing(description: "cannot rename \(made): \(String(cString: strerror(errno)))")
        }
        return python
    }

    /// FNV-1a: texts that differ have different folders.
    private static func name(of text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }

    private static func run(
        _ command: String, _ arguments: [String], seconds: Double, log: String, directory: String
    ) throws -> String {
        let process = try ChildProcess(
            command, arguments, output: log, errors: log, directory: directory)
        let status = process.waitUntilExit(seconds: seconds)
        let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        guard status == 0 else {
            throw Missing(
                description: "\(command) \(arguments.joined(separator: " ")) ended with "
                    + "\(status.map(String.init) ?? "no status in time"): \(said)")
        }
        return said
    }
}
