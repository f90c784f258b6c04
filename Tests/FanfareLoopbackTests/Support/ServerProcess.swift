import Fanfare
import FanfareTLS
import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A foreign server on a loopback port, for the time of one test.
final class ServerProcess {
    /// Installed servers only; a machine that must have them says so.
    enum Program: String, CaseIterable {
        case nghttpd, nginx, h2o, caddy, tinyproxy, openssl

        /// True if tests with it can run.
        ///
        /// With `FANFARE_REQUIRE_SERVERS=1` they run in any case, and fail where it is missing.
        var isAvailable: Bool {
            Executable.path(rawValue) != nil
                || ProcessInfo.processInfo.environment["FANFARE_REQUIRE_SERVERS"] == "1"
        }

        /// The message of a skipped test.
        var absence: Comment {
            "\(rawValue) is not installed; FANFARE_REQUIRE_SERVERS=1 makes that a failure"
        }
    }

    struct CannotStart: Error, CustomStringConvertible {
        let description: String
    }

    let folder: TemporaryFolder
    let port: UInt16
    private let process: ChildProcess

    /// Starts a server and waits until it accepts connections.
    ///
    /// `arguments` makes the command line for a port; `server.pem` in the folder has certificate and
    /// key.
    init(
        _ program: Program, folder: TemporaryFolder,
        arguments: (_ port: UInt16) throws -> [String]
    ) throws {
        let command = try #require(Executable.path(program.rawValue), program.absence)
        try TestAuthority.server.writePEM(to: folder.path("server.pem"))
        self.folder = folder
        // Another process may take the port between our look and the server's.
        for _ in 0..<5 {
            let port = try LoopbackPort.free()
            let process = try ChildProcess(
                command, try arguments(port), output: folder.path("server.log"),
                errors: folder.path("server.log"), directory: folder.url.path)
            let isUp = Poll.until(seconds: 10) {
                process.exitStatus != nil || LoopbackPort.accepts(port)
            }
            if isUp && process.exitStatus == nil {
                self.port = port
                self.process = process
                return
            }
        }
        throw CannotStart(
            description: "\(program.rawValue) does not start: \(folder.text(of: "server.log"))")
    }

    deinit {
        stop()
    }

    /// Ends it at once, like a machine that dies.
    func stop() {
        process.send(SIGKILL)
        _ = process.waitUntilExit()
    }

    /// Ends it in good order, so that its log is complete.
    ///
    /// It finishes the turn of its loop that it is in, and with it the log of what it has answered;
    /// then its sockets close as those of a machine that dies. `stop` may come between an answer and
    /// its line.
    /// - Returns: True if its log is complete, and it did not have to be killed.
    @discardableResult func shutDown() -> Bool {
        process.send(SIGTERM)
        let status = process.waitUntilExit(seconds: 10)
        return status != nil && status != -SIGKILL
    }

    /// Its address, with the test authority trusted.
    var provider: ProviderOptions {
        var provider = ProviderOptions()
        provider.endpoint = Endpoint(host: "127.0.0.1", port: port)
        provider.caPEM = TestAuthority.shared.caPEM
        return provider
    }
}

/// The authority that all servers of the tests have their certificate from.
enum TestAuthority {
    static let shared: SelfSignedAuthority = {
        do {
            return try SelfSignedAuthority()
        } catch {
            preconditionFailure("\(error)")
        }
    }()
    static var server: TLSIdentity { shared.identity }
}

/// Ports on 127.0.0.1.
enum LoopbackPort {
    /// A port that no process listens on.
    ///
    /// Below the range that outgoing connections get theirs from, so that none of them takes it
    /// before the server does.
    static func free() throws -> UInt16 {
        for _ in 0..<100 {
            let port = UInt16.random(in: 15_000..<32_000)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            let isFree = withAddress(port) { bind(descriptor, $0, $1) == 0 }
            if isFree { return port }
        }
        throw ServerProcess.CannotStart(description: "no free port")
    }

    /// True if a process accepts connections.
    static func accepts(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return withAddress(port) { connect(descriptor, $0, $1) == 0 }
    }

    /// A connection to this port, the caller's to close; nil if no process accepts it.
    static func connection(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if withAddress(port, { connect(descriptor, $0, $1) == 0 }) { return descriptor }
        close(descriptor)
        return nil
    }

    private static func withAddress(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = MemoryLayout<sockaddr_in>.size
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }
}
