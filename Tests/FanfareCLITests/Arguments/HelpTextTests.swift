import FanfareCLI
import Foundation
import Testing

@Suite struct HelpTextTests {
    private static let texts =
        [HelpText.tool(color: false), HelpText.everything(color: false)]
        + Commands.all.flatMap {
            [HelpText.command($0, color: false), HelpText.brief($0, color: false)]
        }

    @Test(arguments: texts)
    func `lines are ASCII, at most 80 columns, and end without a space`(text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            #expect(line.utf8.count <= 80, "\(line)")
            #expect(line.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(line)")
            #expect(line.last != " ", "\(line)")
        }
        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
    }

    @Test(arguments: Commands.all.map(\.name))
    func `every option is listed, in its group and in the order of its declaration`(
        name: String
    ) throws {
        let command = try #require(Commands.all.first { $0.name == name })
        let listed = Self.listed(HelpText.command(command, color: false))
        let expected = OptionGroup.allCases.flatMap { group in
            command.options.filter { $0.group == group }.map { "--\($0.name)" }
        }
        #expect(listed == expected)
    }

    private static func listed(_ text: String) -> [String] {
        text.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("      --") || line.hasPrefix("  -") else { return nil }
            return line.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
        }
    }

    @Test(arguments: Commands.all)
    func `the short help says how many options it leaves out`(_ command: CommandSpec) {
        let brief = HelpText.brief(command, color: false)
        let listed = Self.listed(brief)
        #expect(Set(listed) == Set(command.commonOptions.map { "--\($0.name)" }))
        let missing = command.options.count - listed.count
        #expect(
            brief.hasSuffix("\n\(missing) more options: fanfare \(command.name) --help-all\n")
                == (missing > 1))
        #expect(brief.contains("--help-all"))
        for option in command.options.filter(\.isCommon) {
            #expect(listed.contains("--\(option.name)"))
        }
    }

    @Test func `a group without a marked option is shown whole`() {
        let command = CommandSpec(
            "try", "Try out what the short help shows", usage: ["[OPTIONS]"],
            options: [
                Option("often", .flag, .rows, "An option that many need", common: true),
                Option("seldom", .flag, .rows, "An option that few need"),
                Option("plain", .flag, .engine, "An option without a mark"),
            ], examples: [], run: { _ in 0 })
        #expect(command.commonOptions.map(\.name) == ["often", "plain", "help-all"])
        #expect(
            HelpText.brief(command, color: false)
                .hasSuffix("\n1 more option: fanfare try --help-all\n"))
    }

    /// What a reader copies from the help is what the shell makes of it.
    @Test(arguments: Commands.all.flatMap(\.examples))
    func `an example works as it is printed`(_ example: ExampleSpec) throws {
        let command = try #require(Commands.all.first { $0.name == example.words[0] })
        let text = HelpText.brief(command, color: false)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let printed = lines.drop { $0 != "Examples:" && $0 != "Example:" }
            .filter { $0.hasPrefix("    ") }.joined(separator: "\n")
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = [
            "-c", #"fanfare() { printf '%s\n' "$@"; echo; }"# + "\n" + printed,
        ]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let words = try #require(try output.fileHandleForReading.readToEnd())
        shell.waitUntilExit()
        let said = String(decoding: words, as: UTF8.self)
        #expect(("\n" + said).contains("\n" + example.words.joined(separator: "\n") + "\n\n"))
    }

    @Test func `a default stands behind the summary`() {
        let text = HelpText.command(Commands.send, color: false)
        #expect(text.contains("[default: 30s]"))
        #expect(text.contains("[default: fanfare-report.csv]"))
    }

    @Test func `color changes nothing but the color`() {
        for command in Commands.all {
            let plain = HelpText.command(command, color: false)
            let colored = HelpText.command(command, color: true)
            #expect(!plain.contains("\u{1B}"))
            #expect(colored.contains("\u{1B}[1mUsage:\u{1B}[0m"))
            let stripped = colored.split(separator: "\u{1B}[1m", omittingEmptySubsequences: false)
                .joined().split(separator: "\u{1B}[0m", omittingEmptySubsequences: false).joined()
            #expect(stripped == plain)
        }
    }

    @Test(
        "color follows terminal, NO_COLOR and TERM",
        arguments: [
            (true, nil, "xterm-256color", true),
            (true, "", "xterm", true),
            (true, "1", "xterm", false),
            (true, "0", "xterm", false),
            (true, nil, "dumb", false),
            (true, nil, "", false),
            (true, nil, nil, false),
            (false, nil, "xterm", false),
        ] as [(Bool, String?, String?, Bool)])
    func color(isTerminal: Bool, noColor: String?, term: String?, expected: Bool) {
        #expect(effectiveColor(isTerminal: isTerminal, noColor: noColor, term: term) == expected)
    }
}
