import Foundation

/// A folder of one test, removed with its last user.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "fanfare-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }

    func read(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// Runs the openssl command in this folder.
    func openssl(_ arguments: String...) throws {
        try openssl(arguments: arguments)
    }

    func openssl(arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: OpenSSLCommand.path)
        process.arguments = arguments
        process.currentDirectoryURL = url
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw OpenSSLCommand.Failed() }
    }
}

enum OpenSSLCommand {
    struct Failed: Error {}
    static let path = "/usr/bin/openssl"
    static let exists = FileManager.default.isExecutableFile(atPath: path)
}
