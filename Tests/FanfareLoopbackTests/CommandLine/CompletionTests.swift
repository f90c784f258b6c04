import FanfareCLI
import FanfareTestSupport
import Foundation
import Testing

/// The scripts of `fanfare completions`, in the shells that they are for.
///
/// A shell that is missing skips its tests; `FANFARE_REQUIRE_SERVERS=1` makes that a failure.
@Suite struct CompletionTests {
    private static let shells = Shell.allCases.filter(InstalledShell.isAvailable)

    /// With the script of our own commands; zsh takes a second to get ready, once for each folder.
    private static let own = Result {
        try Dictionary(uniqueKeysWithValues: shells.map { ($0, try install($0, Commands.all)) })
    }

    private func installed(_ shell: Shell) throws -> InstalledShell {
        try #require(try Self.own.get()[shell])
    }

    private static func install(
        _ shell: Shell, _ commands: [CommandSpec]
    ) throws -> InstalledShell {
        let installed = try InstalledShell(shell, script: shell.script(for: commands))
        let folder = installed.folder
        for name in ["AuthKey.p8", "rows.csv", "rows.txt", "row two.csv.gz", "notes.txt"] {
            try folder.write("", to: name)
        }
        try FileManager.default.createDirectory(
            atPath: folder.path("rowfolder"), withIntermediateDirectories: false)
        return installed
    }

    @Test(
        "every shell that scripts are made for is here",
        .enabled(
            if: Self.shells.count == Shell.allCases.count,
            "bash, zsh or fish is not installed; FANFARE_REQUIRE_SERVERS=1 makes that a failure"))
    func all() {
        for shell in Shell.allCases {
            #expect(Executable.path(shell.rawValue) != nil, "\(shell.rawValue) is not installed")
        }
    }

    @Test(
        "what is offered fits the place",
        arguments: shells,
        [
            ("fanfare se", ["send"]),
            ("fanfare --ver", ["--version"]),
            ("fanfare help pu", ["push"]),
            ("fanfare send --form", ["--format"]),
            ("fanfare send --format ", ["csv", "ndjson"]),
            ("fanfare send rows.csv --format n", ["ndjson"]),
            ("fanfare send --no-str", ["--no-strict"]),
            ("fanfare send --topic ", []),
            ("fanfare send --key ", ["AuthKey.p8", "rowfolder"]),
            ("fanfare send --passphrase-file no", ["notes.txt"]),
            ("fanfare send --certificate n", ["notes.txt"]),
            ("fanfare send row", ["rows.csv", "row two.csv.gz", "rowfolder"]),
            ("fanfare send --strict --topic a row", ["rows.csv", "row two.csv.gz", "rowfolder"]),
            ("fanfare send -- row", ["rows.csv", "row two.csv.gz", "rowfolder"]),
            ("fanfare send -- --form", []),
            ("fanfare simulate --environ", []),
            ("fanfare push 0", []),
            ("fanfare completions ", ["bash", "zsh", "fish"]),
        ] as [(String, Set<String>)])
    func place(_ shell: Shell, _ example: (line: String, expected: Set<String>)) throws {
        #expect(try installed(shell).offers(example.line) == example.expected, "\(example.line)")
    }

    @Test(arguments: shells)
    func `a value may stand behind an equals sign`(_ shell: Shell) throws {
        let installed = try installed(shell)
        // bash puts in what is behind the sign.
        let label = shell == .bash ? "" : "--format="
        #expect(try installed.offers("fanfare send --format=n") == ["\(label)ndjson"])
        #expect(
            try installed.offers("fanfare send --format=") == ["\(label)csv", "\(label)ndjson"])
    }

    @Test(arguments: shells)
    func `every option of every command is offered`(_ shell: Shell) throws {
        let installed = try installed(shell)
        for command in Commands.all {
            let names = command.options.flatMap {
                ["--\($0.name)"] + ($0.negation.map { ["--\($0)"] } ?? [])
            }
            let offered = try installed.offers("fanfare \(command.name) --")
            #expect(offered == Set(names), "\(command.name)")
        }
        #expect(
            try installed.offers("fanfare ").isSuperset(of: Commands.all.map(\.name) + ["help"]))
    }

    @Test(arguments: shells)
    func `no text of the tables can break out of its quotes`(_ shell: Shell) throws {
        let hostile = #"it's "so" $(touch pwned) `touch pwned`; [a]: \n %s {b} <c> #d é !e"#
        let command = CommandSpec(
            "try", hostile, usage: ["[OPTIONS]"],
            positional: PositionalSpec(
                hostile, noun: "a word", countMin: 0, candidates: .words(["$(touch pwned)"]),
                hostile),
            options: [
                Option("flag", .negatableFlag, .general, hostile),
                Option("text", .value(.text(hostile)), .general, hostile),
                Option("word", .value(.choice("a'b", "`touch pwned`")), .general, hostile),
                Option(
                    "file", .value(.file(hostile)), .general, hostile,
                    endings: [".$(touch pwned)", ".'x", ".txt"]),
            ], examples: [], run: { _ in 0 })
        let installed = try Self.install(shell, [command])
        let options = try installed.lines("fanfare try --")
        #expect(
            Set(options.map { String($0.prefix { $0 != "\t" }) })
                == ["--flag", "--no-flag", "--text", "--word", "--file"])
        if shell == .fish {
            #expect(options.contains("--flag\t\(hostile)"))
        }
        if shell != .bash {
            #expect(options.contains { $0.contains(hostile) }, "\(options)")
            #expect(try installed.lines("fanfare tr").contains { $0.contains(hostile) })
        }
        #expect(try installed.offers("fanfare try --word a").count == 1)
        #expect(try installed.offers("fanfare try --word ").count == 2)
        #expect(try installed.offers("fanfare try --text ").isEmpty)
        #expect(try installed.offers("fanfare try --file no") == ["notes.txt"])
        #expect(try installed.offers("fanfare try ").count >= 1)
        #expect(!installed.folder.exists("pwned"))
    }

    @Test func `the command prints the script, and tells a wrong shell`() throws {
        let tool = try CommandLineTool()
        for shell in Shell.allCases {
            let result = try tool.run("completions", shell.rawValue)
            result.expect(0)
            #expect(result.output == shell.script())
        }
        try tool.run("completions", "fihs")
            .expect(2, says: "'fihs' is none of bash, zsh and fish; did you mean fish?")
        try tool.run("completions").expect(2, says: "a shell is missing")
        try tool.run("completions", "bash", "zsh").expect(2, says: "one shell at a time")
    }
}
