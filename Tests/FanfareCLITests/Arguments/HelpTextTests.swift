import FanfareCLI
import Testing

@Suite struct HelpTextTests {
    private static let texts =
        [HelpText.tool(colour: false)]
        + Commands.all.map { HelpText.command($0, colour: false) }

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
        let lines = HelpText.command(command, colour: false).split(separator: "\n")
        let listed = lines.compactMap { line -> String? in
            guard line.hasPrefix("      --") || line.hasPrefix("  -") else { return nil }
            return line.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
        }
        let expected = OptionGroup.allCases.flatMap { group in
            command.options.filter { $0.group == group }.map { "--\($0.name)" }
        }
        #expect(listed == expected)
    }

    @Test func `a default stands behind the summary`() {
        let text = HelpText.command(Commands.send, colour: false)
        #expect(text.contains("[default: 30s]"))
        #expect(text.contains("[default: fanfare-report.csv]"))
    }

    @Test func `colour changes nothing but the colour`() {
        for command in Commands.all {
            let plain = HelpText.command(command, colour: false)
            let coloured = HelpText.command(command, colour: true)
            #expect(!plain.contains("\u{1B}"))
            #expect(coloured.contains("\u{1B}[1mUsage:\u{1B}[0m"))
            let stripped = coloured.split(separator: "\u{1B}[1m", omittingEmptySubsequences: false)
                .joined().split(separator: "\u{1B}[0m", omittingEmptySubsequences: false).joined()
            #expect(stripped == plain)
        }
    }

    @Test(
        "colour follows terminal, NO_COLOR and TERM",
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
    func colour(isTerminal: Bool, noColor: String?, term: String?, expected: Bool) {
        #expect(effectiveColour(isTerminal: isTerminal, noColor: noColor, term: term) == expected)
    }
}
