import Foundation
import Testing

/// A folder of one test, removed with its last user.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "fanfare-loopback-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// - Returns: The path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try write(Array(text.utf8), to: name)
    }

    /// - Returns: The path.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(name)))
        return path(name)
    }

    /// The content of a file; nothing if there is none.
    func read(_ name: String) -> String {
        guard let data = FileManager.default.contents(atPath: path(name)) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Runs the openssl command in this folder.
    func openssl(_ arguments: String...) throws { try openssl(arguments) }

    func openssl(_ arguments: [String]) throws {
        let command = try #require(Executable.path("openssl"), "openssl is not installed")
        let process = try ChildProcess(
            command, arguments, output: path("openssl.log"), errors: path("openssl.log"),
            directory: url.path)
        let status = process.waitUntilExit()
        try #require(status == 0, "openssl \(arguments): \(read("openssl.log"))")
    }
}
