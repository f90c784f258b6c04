import FanfareCLI
import Foundation
import Testing

@Suite struct HelpTextTests {
    private static let texts =
        [HelpText.tool(color: false)]
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
            brief.hasSuffix("\n\(missing) more options: fanfare \(command.name) --help\n")
                == (missing > 1))
        #expect(brief.contains("--help"))
        for option in command.options.filter(\.isCommon) {
            #expect(listed.contains("--\(option.name)"))
        }
    }

    @Test func `a command without marked options shows them all`() {
        func command(_ options: [any AnyOption]) -> CommandSpec {
            CommandSpec(
                "try", "Try out what the short help shows", usage: ["[OPTIONS]"], options: options,
                examples: [], run: { _ in 0 })
        }
        let seldom = Option("seldom", .flag, .rows, "An option that few need")
        let plain = Option("plain", .flag, .engine, "An option without a mark")
        let general = Option("general", .flag, .general, "What all have", common: true)
        let often = Option("often", .flag, .rows, "An option that many need", common: true)
        #expect(
            command([seldom, plain, general]).commonOptions.map(\.name)
                == ["seldom", "plain", "general"])
        let marked = command([often, seldom, general])
        #expect(marked.commonOptions.map(\.name) == ["often", "general"])
        #expect(
            HelpText.brief(marked, color: false)
                .hasSuffix("\n1 more option: fanfare try --help\n"))
    }

    /// The look of `fanfare send -h` on a terminal of 80 columns: a screen, and a line for each
    /// option.
    @Test(arguments: Commands.all)
    func `the short help fits a screen, with a line for each option`(_ command: CommandSpec) {
        let lines = HelpText.brief(command, color: false, width: 80)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count <= 45, "\(command.name): \(lines.count) lines")
        for line in lines { #expect(line.utf8.count <= 80, "\(line)") }
        for option in command.commonOptions {
            let ofOption = lines.filter { $0.hasSuffix("  \(option.line)") }
            #expect(ofOption.count == 1, "\(command.name): --\(option.name)")
        }
        // Examples come first.
        let example = lines.firstIndex { $0.hasPrefix("Example") }
        let usage = lines.firstIndex { $0.hasPrefix("Usage:") }
        #expect((example ?? lines.endIndex) < (usage ?? lines.startIndex))
    }

    @Test func `the help is as wide as the terminal, within bounds`() {
        #expect(HelpText.width(ofTerminal: nil) == 80)
        #expect(HelpText.width(ofTerminal: 20) == 50)
        #expect(HelpText.width(ofTerminal: 92) == 92)
        #expect(HelpText.width(ofTerminal: 240) == 100)
        let wide = HelpText.command(Commands.send, color: false, width: 100)
        let longest = wide.split(separator: "\n").map(\.utf8.count).max() ?? 0
        #expect((81...100).contains(longest))
        let narrow = HelpText.brief(Commands.send, color: false, width: 60)
        for line in narrow.split(separator: "\n") {
            // A word is not broken, and neither is an option with its value.
            #expect(line.utf8.count <= 60 || line.hasPrefix("    "), "\(line)")
        }
    }

    /// An example that a reader copies from the help means the same to the shell.
    @Test(arguments: Commands.all.flatMap(\.examples))
    func `an example works as it is printed`(_ example: ExampleSpec) throws {
        let command = try #require(Commands.all.first { $0.name == example.words[0] })
        let text = HelpText.command(command, color: false)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let printed = lines.drop { $0 != "Examples:" && $0 != "Example:" }
            .prefix { !$0.isEmpty }
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

    @Test func `the short help of a load test says what it needs`() {
        let text = HelpText.brief(Commands.bench, color: false)
        #expect(text.contains("Usage: fanfare bench [OPTIONS] URL\n"))
        #expect(text.contains("       fanfare bench [OPTIONS] --provider simulator\n"))
        #expect(text.contains("\n  [URL]  "))
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
