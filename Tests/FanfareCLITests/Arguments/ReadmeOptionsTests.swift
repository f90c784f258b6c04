import FanfareCLI
import Foundation
import Testing

/// What the README says about options is what the tables have.
@Suite struct ReadmeOptionsTests {
    private let text: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    /// What is not in it will not be found; `--version` explains itself.
    @Test(arguments: Commands.all)
    func `it mentions each option of a command`(_ command: CommandSpec) {
        let mentioned = Set(text.matches(of: /--[a-z][a-z0-9-]+/).map { String($0.output) })
        for option in command.options where option.name != "version" {
            let names = ["--\(option.name)"] + [option.negation].compactMap { $0.map { "--\($0)" } }
            #expect(!mentioned.isDisjoint(with: names), "\(names[0]) of \(command.name)")
        }
    }
}
