import Foundation

/// A folder of one test, removed with its last user.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "fanfare-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    package var path: String { url.path }

    package func path(_ name: String) -> String { url.appending(path: name).path }

    package func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: path(name))
    }

    /// - Returns: The path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try write(Array(text.utf8), to: name)
    }

    /// - Returns: The path.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(name)))
        return path(name)
    }

    /// Gives a file a second name.
    package func hardLink(_ name: String, to path: String) throws {
        try FileManager.default.linkItem(atPath: path, toPath: self.path(name))
    }

    /// Makes a symbolic link.
    package func link(_ name: String, to path: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: self.path(name), withDestinationPath: path)
    }

    /// The content of a file that has to be there.
    package func read(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// A file's content with everything, a byte order mark too.
    package func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path(name))))
    }

    /// The content of a file as far as there is any: a process may be at work on it.
    package func text(of name: String) -> String {
        guard let data = FileManager.default.contents(atPath: path(name)) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
