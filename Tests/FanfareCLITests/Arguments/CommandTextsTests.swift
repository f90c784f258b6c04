import FanfareCLI
import FanfareCore
import Foundation
import Testing

/// Help, completions and manual page come from the same tables, so that none knows less.
@Suite struct CommandTextsTests {
    private static let manual = ManualPage.text()

    @Test(arguments: Commands.all)
    func `each option is in the help, in every completion script and in the manual`(
        _ command: CommandSpec
    ) throws {
        let help = HelpText.command(command, color: false)
        let page = try #require(
            Self.manual.split(separator: ".Ss \\&fanfare \\&\(command.name)\n").last?
                .split(separator: "\n.Ss ").first)
        for option in command.options {
            #expect(help.contains("--\(option.name)"))
            #expect(
                page.contains("Fl \\&\\-\(option.name.replacing("-", with: "\\-"))"),
                "\(command.name): \(option.name)")
        }
        #expect(help.contains(command.summary.prefix(40)))
        // `CompletionTests` ask the shells for their offers.
        for shell in Shell.allCases {
            let script = shell.script()
            for option in command.options {
                #expect(script.contains("\(option.name)"), "\(shell): --\(option.name)")
            }
        }
    }

    @Test(arguments: FanfareCore.ExitStatus.allCases)
    func `the manual explains exit codes as the page of outcomes does`(
        _ status: FanfareCore.ExitStatus
    ) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "docs/outcomes.md"), encoding: .utf8)
        let plain = page.replacing("`", with: "")
        #expect(plain.contains("| \(status.rawValue) | \(status.meaning) |"))
        #expect(Self.manual.contains("\n.It \\&\(status.rawValue)\n"))
    }
}
