import FanfareTestSupport
import Foundation
import Testing

/// The example program of `docs/example`, as its reader would run it.
@Suite struct ExampleTests {
    private let folder: TemporaryFolder
    private static let path = URL(filePath: CommandLineTool.path)
        .deletingLastPathComponent().appending(path: "FanfareExample").path

    init() throws { folder = try TemporaryFolder() }

    /// The figures that a run has printed: `accepted 98901`, by the words before the number.
    private func run(_ arguments: [String]) async throws -> [String: Int] {
        var name = ""
        var status: Int32?
        // The second run's port is the first one's, and meanwhile another test's connection may have it.
        for _ in 0..<100 {
            name = UUID().uuidString
            let process = try ChildProcess(
                Self.path, arguments + ["--report", "r.csv"], output: folder.path(name),
                errors: folder.path(name + ".err"), directory: folder.url.path)
            status = try await onOwnThread { process.waitUntilExit(seconds: 300) }
            guard folder.text(of: name + ".err").contains("EADDRINUSE") else { break }
        }
        #expect(status == 0, "\(folder.text(of: name + ".err"))")
        var said: [String: Int] = [:]
        for line in folder.text(of: name).split(separator: "\n") {
            let numbers = line.matches(of: /[0-9]+/).compactMap { Int($0.output) }
            let words = line.prefix { !$0.isNumber }.trimmingCharacters(in: .whitespaces)
            said[words] = numbers.first
        }
        return said
    }

    /// The first field of each line, which is short work for so many.
    private func rowsOfReport() -> [Int] {
        folder.text(of: "r.csv").utf8.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap {
            String($0.prefix { $0 != UInt8(ascii: ",") }).flatMap { Int($0) }
        }
    }

    @Test func `the example sends all its rows`() async throws {
        let said = try await run(["--rows", "5000"])
        #expect(said["accepted"] == 4950)
        #expect(said["unregistered"] == 45)
        #expect(said["suspect"] == 5)
        #expect(said["rows with an outcome:"] == 5000)
        #expect(said["to carry on: --resume --port"] == nil)
    }

    /// Dead and bad tokens of both providers: of the hundreds the odd ones are for APNs.
    @Test func `half of the example's rows go to FCM`() async throws {
        let said = try await run(["--rows", "5000", "--android"])
        #expect(said["accepted"] == 4950)
        #expect(said["unregistered"] == 45)
        #expect(said["suspect"] == 5)
        #expect(said["requests:"] == 5000)
        let lines = folder.text(of: "r.csv").split(separator: "\n").dropFirst()
        #expect(lines.count == 5000)
        #expect(lines.count { $0.contains(":APA91b") && $0.contains(",fcm,") } == 2500)
        #expect(lines.count { !$0.contains(":APA91b") && $0.contains(",apns,") } == 2500)
        #expect(lines.contains { $0.contains("UNREGISTERED") })
    }

    @Test(arguments: [[], ["--android"]])
    func `a canceled run of the example is carried on by another one`(
        options: [String]
    ) async throws {
        let first = try await run(options + ["--stop-after", "20000"])
        let port = try #require(first["to carry on: --resume --port"])
        let begun = try #require(first["rows with an outcome:"])
        #expect(begun >= 20_000 && begun < 100_000)
        #expect(rowsOfReport().count == begun)

        let second = try await run(options + ["--resume", "--port", "\(port)"])
        #expect(second["rows with an outcome:"] == 100_000)
        #expect(second["to carry on: --resume --port"] == nil)
        // Each row was sent once, in the one run or in the other.
        #expect(try #require(first["requests:"]) + #require(second["requests:"]) == 100_000)
        for (kind, count) in [("accepted", 99_000), ("unregistered", 900), ("suspect", 100)] {
            #expect(first[kind, default: 0] + second[kind, default: 0] == count, "\(kind)")
        }
        #expect(rowsOfReport().sorted() == Array(1...100_000))
    }
}
