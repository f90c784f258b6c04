import FanfareCLI
import Foundation
import Testing

/// `docs/options.md` is what the tables have.
///
/// To write the page after a change of the tables, and to read the difference before it is committed:
/// `FANFARE_WRITE_SNAPSHOTS=1 dev/test OptionsPageTests`.
@Suite struct OptionsPageTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/options.md")

    @Test func `the page is the one that the tables make`() throws {
        let text = OptionsPage.text()
        if ProcessInfo.processInfo.environment["FANFARE_WRITE_SNAPSHOTS"] == "1" {
            try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: Self.file, encoding: .utf8) == text)
    }

    /// Under the command's heading: in a row of its own, or in the list of those described before.
    @Test(arguments: Commands.all)
    func `it has each option of a command`(_ command: CommandSpec) throws {
        let sections = OptionsPage.text().split(separator: "\n## ")
        let section = try #require(
            sections.first { $0.hasPrefix("`fanfare \(command.name)`\n") })
        for option in command.options {
            #expect(
                section.contains("`--\(option.name)`") || section.contains("`--\(option.name) "),
                "\(command.name): \(option.name)")
        }
    }

    @Test func `a row has three cells`() {
        let rows = OptionsPage.text().split(separator: "\n").filter { $0.hasPrefix("| `-") }
        #expect(rows.count > 100)
        for row in rows {
            #expect(row.replacing("\\|", with: "").filter { $0 == "|" }.count == 4, "\(row)")
        }
    }
}
