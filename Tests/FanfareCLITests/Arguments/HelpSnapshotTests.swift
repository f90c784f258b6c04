import FanfareCLI
import Foundation
import Testing

/// The help texts as they are in `Tests/Fixtures/help`.
///
/// To rewrite the files after a change of the tables, and to read the difference before it is
/// committed: `FANFARE_WRITE_SNAPSHOTS=1 swift test --filter HelpSnapshotTests`.
@Suite struct HelpSnapshotTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/help")

    private func compare(_ text: String, with name: String) throws {
        let file = Self.folder.appending(path: "\(name).txt")
        if ProcessInfo.processInfo.environment["FANFARE_WRITE_SNAPSHOTS"] == "1" {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test func `the help of the tool is as recorded`() throws {
        try compare(HelpText.tool(color: false), with: "fanfare")
    }

    @Test(arguments: Commands.all.map(\.name))
    func `the help of each command is as recorded`(name: String) throws {
        let command = try #require(Commands.all.first { $0.name == name })
        try compare(HelpText.command(command, color: false), with: "fanfare-\(name)")
    }
}
