import Foundation

/// A folder of one test, removed with its last user.
final class TemporaryFolder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "fanfare-unit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var path: String { url.path }

    func path(_ name: String) -> String { url.appending(path: name).path }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: path(name)))
    }

    func read(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// A file's content with everything, a byte order mark too.
    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path(name))))
    }

    /// The lines of a report by row number, without its header.
    func reportLines(_ name: String) throws -> [Int: [String]] {
        var lines: [Int: [String]] = [:]
        for line in try read(name).split(separator: "\n").dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
                .map(String.init)
            guard let row = Int(fields[0]), lines[row] == nil else { throw BadReport(line) }
            lines[row] = fields
        }
        return lines
    }

    struct BadReport: Error {
        let line: String
        init(_ line: Substring) { self.line = String(line) }
    }
}
