import Fanfare
import FanfareSimulator
import Testing

@testable import FanfareCLI

/// That no command reads an option which it does not have: that is a trap, and ends the tests.
@Suite struct OptionReadingTests {
    private enum Unexpected: Error { case help }

    private static let nowhere = "/nowhere/file"
    private static let key = [
        "--key", "/nowhere/AuthKey_ABC123DEFG.p8", "--team-id", "ABC123DEFG", "--provider",
        "simulator",
    ]

    /// A line for each way through a command's reading.
    private static let lines: [String: [[String]]] = [
        "send": [
            [
                "--certificate", nowhere, "--alert", "x", "--log", "/nowhere/log",
                "--retry-rows", "/nowhere/rows",
            ],
            key + ["--window", "8:00-9:00", "--timezone", "UTC", "--rate", "1/s"],
            ["--seed-list", nowhere, "--seed-wait", "1s", "--endpoint", "https://[::1]:1"],
        ],
        "check": [["--alert", "x"], ["--window", "8:00-9:00", "--timezone", "UTC"]],
        "push": [["00", "--alert", "x"] + key],
        "bench": [
            key, ["--provider", "simulator", "--rate", "1/s", "--find-knee", "--body", "x"],
        ],
        "simulate": [[]],
        "report": [
            [
                nowhere, "--of", "host=/nowhere dbname=push/july", "--lost", "w", "--output",
                "/nowhere/lost", "--rows", nowhere,
            ],
            [nowhere], [nowhere, "--select", "row=1"], [nowhere, nowhere, "--compare"],
        ],
        "generate": [["--count", "0", "--output", "/dev/null"]],
        "control": [[nowhere, "status"]],
        "jobs": [[]],
        "provider": [["try", nowhere, "--row", "{}"]],
        "cluster": [["status", "host=/nowhere dbname=push", "--job", "july", "--json"]],
    ]

    @Test(arguments: Commands.all)
    func `a command reads what it has`(_ command: CommandSpec) throws {
        guard let lines = Self.lines[command.name] else {
            // The others take words only.
            #expect(command.options.map(\.name) == ["help"])
            return
        }
        for line in lines {
            guard case .run(let arguments) = try ArgumentParser().parse([command.name] + line)
            else { throw Unexpected.help }
            try HandedOverPaths.check(arguments)
            try OutputProtection.check(arguments)
            try read(arguments)
        }
    }

    /// Reads as the command does, up to what it would do; where that needs a file, all of it.
    private func read(_ arguments: ParsedArguments) throws {
        var configuration = Configuration()
        switch arguments.command.name {
        case "send":
            configuration = try Configuration(rowsOf: arguments)
            try configuration.readEngine(arguments)
            try configuration.readProvider(arguments)
            _ = ResultOutput(arguments)
            if arguments.has(Options.seedWait) { try configuration.readSeeds(arguments) }
            _ = ShellCommand.retrying("fanfare", arguments)
        case "check":
            configuration = try Configuration(rowsOf: arguments)
            try configuration.readPace(arguments)
            _ = ResultOutput(arguments)
        case "bench":
            configuration = try Configuration(benchOf: arguments)
            _ = try LoadOptions(arguments)
            _ = try BenchOutput(arguments, failIf: [])
        case "simulate":
            let settings = try SimulatorServerConfiguration(arguments)
            #expect(settings.address.port == 8443 && settings.threads == 1)
        case "generate", "jobs":
            #expect(try arguments.command.run(arguments) == 0)
        default:
            #expect(throws: CommandError.self) { try arguments.command.run(arguments) }
        }
    }
}
