import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A PostgreSQL server on a socket in a temporary folder, for the time of one test.
///
/// It refuses to run as root, so it runs as user `postgres` where the tests are root.
final class PostgresServer {
    private static let programs = [
        "/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/17/bin",
    ].first { access($0 + "/postgres", X_OK) == 0 }

    /// With `FANFARE_REQUIRE_SERVERS=1` tests with it run in any case, and fail where it is missing.
    static var isAvailable: Bool {
        programs != nil || ProcessInfo.processInfo.environment["FANFARE_REQUIRE_SERVERS"] == "1"
    }
    static let absence: Comment =
        "postgresql-15 is not installed; FANFARE_REQUIRE_SERVERS=1 makes that a failure"

    let folder: TemporaryFolder
    private let programs: String

    init() throws {
        folder = try TemporaryFolder()
        programs = try #require(Self.programs, Self.absence)
        if getuid() == 0 {
            let user = try #require(getpwnam("postgres"), "there is no user postgres")
            #expect(chown(folder.url.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0)
        }
        try run("initdb", ["-D", data, "--no-sync", "-A", "trust", "-U", "postgres"])
        try start()
    }

    deinit { try? stop("immediate") }

    private var data: String { folder.path("data") }

    /// The address at which workers find it.
    var address: String { "host=\(folder.url.path) user=postgres dbname=postgres" }

    func start() throws {
        try run(
            "pg_ctl",
            [
                "-D", data, "-w", "-l", folder.path("log"), "-o",
                "-c listen_addresses='' -c unix_socket_directories=\(folder.url.path) "
                    + "-c shared_buffers=16MB -c max_connections=20", "start",
            ])
    }

    /// Ends it: `fast` in good order, `immediate` like a kill.
    func stop(_ mode: String) throws {
        try run("pg_ctl", ["-D", data, "-w", "-m", mode, "stop"])
    }

    /// Has a standby follow it for as long as some work takes.
    func follow(_ body: () throws -> Void) throws {
        let standby = folder.path("standby")
        try run(
            "pg_basebackup",
            ["-h", folder.url.path, "-U", "postgres", "-D", standby, "-R", "-c", "fast"])
        try run(
            "pg_ctl",
            [
                "-D", standby, "-w", "-l", folder.path("standby.log"), "-o",
                "-c listen_addresses='' -c unix_socket_directories=\(standby) "
                    + "-c shared_buffers=16MB -c max_connections=20", "start",
            ])
        defer { _ = try? run("pg_ctl", ["-D", standby, "-w", "-m", "immediate", "stop"]) }
        try body()
    }

    /// Runs a statement.
    /// - Returns: The output of psql, a line for each row.
    /// - Throws: An error if psql fails.
    func query(_ statement: String) throws -> String {
        try run(
            "psql",
            [
                "-h", folder.url.path, "-U", "postgres", "-X", "-q", "-A", "-t", "-v",
                "ON_ERROR_STOP=1", "-c", statement,
            ]
        ).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @discardableResult private func run(_ name: String, _ arguments: [String]) throws -> String {
        let program = programs + "/" + name
        let output = folder.path("\(UUID().uuidString).out")
        var command = program
        var all = arguments
        if getuid() == 0 {
            command = try #require(Executable.path("runuser"), "runuser is not installed")
            all = ["-u", "postgres", "--", program] + arguments
        }
        let process = try ChildProcess(
            command, all, output: output, errors: output, directory: folder.url.path)
        let status = process.waitUntilExit(seconds: 30)
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        #expect(status == 0, "\(name): \(text)")
        return text
    }
}
