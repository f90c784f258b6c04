import Fanfare
import Testing

@testable import FanfareCLI

/// Commands that people are told to type.
@Suite struct ShellCommandTests {
    private enum Unexpected: Error { case help }

    private func retrying(
        _ words: [String], _ variables: [String: String] = [:]
    ) throws -> String? {
        ShellCommand.retrying("fanfare", try Self.arguments(["send"] + words, variables))
    }

    @Test func `what was given is given again, with other files to write`() throws {
        let command = try #require(
            try retrying([
                "rows.csv", "more.csv", "--retry-rows", "out/again.csv.gz", "--title", "it's {{n}}",
                "--key", "Auth Key.p8", "--key-id", "K", "--team-id", "T", "--no-adaptive",
                "--map", "token=a", "--map", "id=b", "--deduplicate", "--stop-if", "none",
                "--overwrite", "--encoding", "latin-1", "--topic=-x", "--html", "page.html",
            ]))
        #expect(command.hasPrefix("fanfare send out/again.csv.gz "))
        for part in [
            "--retry-rows out/again-2.csv.gz", "--report fanfare-report-2.csv",
            "--html page-2.html", #"--title 'it'\''s {{n}}'"#, "--key 'Auth Key.p8'",
            "--key-id K", "--no-adaptive", "--map token=a --map id=b", "--deduplicate first",
            "--stop-if none", "--topic=-x",
        ] {
            #expect((command + " ").contains(" \(part) "), "\(part) in \(command)")
        }
        for word in ["rows.csv ", "more.csv", "--overwrite", "--resume", "--encoding", "--summary"]
        {
            #expect(!command.contains(word), "\(word) in \(command)")
        }
    }

    @Test func `it is read as the same job`() throws {
        let words = [
            "rows.csv", "--retry-rows", "a.csv", "--alert", "hi", "--provider", "simulator",
        ]
        let command = try #require(try retrying(words))
        // Nothing in it needs quotes.
        let parsed = try ArgumentParser().parse(
            command.split(separator: " ").dropFirst().map(String.init))
        guard case .run(let arguments) = parsed else { throw Unexpected.help }
        #expect(arguments.positionals == ["a.csv"])
        #expect(arguments.text(Options.alert) == "hi")
        #expect(arguments.text(Options.provider) == "simulator")
        #expect(arguments.text(Options.report) == "fanfare-report-2.csv")
    }

    @Test func `what the environment says need not be said`() throws {
        let command = try retrying(
            ["--retry-rows", "a.csv", "--alert", "hi"],
            ["FANFARE_TOPIC": "com.example.app", "FANFARE_REPORT": "r.ndjson"])
        #expect(
            command == "fanfare send a.csv --alert hi --report r-2.ndjson --retry-rows a-2.csv")
    }

    @Test func `without such rows there is none`() throws {
        #expect(try retrying(["rows.csv", "--alert", "hi"]) == nil)
    }

    /// Returns what a command line and an environment say; a file of options says nothing.
    static func arguments(
        _ words: [String], _ variables: [String: String] = [:]
    ) throws -> ParsedArguments {
        let surroundings = Surroundings(
            variable: { variables[$0] },
            contents: { _ throws(Surroundings.Unreadable) in Array("{}".utf8) })
        let parser = ArgumentParser(surroundings: surroundings)
        guard case .run(let arguments) = try parser.parse(words) else { throw Unexpected.help }
        return arguments
    }

    private func sendingRest(
        _ words: [String], _ variables: [String: String] = [:]
    ) throws -> String? {
        ShellCommand.sendingRest(["fanfare"] + words, try Self.arguments(words, variables))
    }

    @Test func `the rest of a canary is sent by the same command to the same audience`() throws {
        #expect(
            try sendingRest([
                "send", "--where", "a=b c", "rows.csv", "--sample=1%", "--sample-seed", "3",
                "--limit", "10", "--where=c>1", "--title", "Hi", "--overwrite", "--", "--limit",
            ])
                == "fanfare send --where 'a=b c' rows.csv '--where=c>1' --title Hi --resume -- --limit"
        )
    }

    @Test func `what is chosen elsewhere than on the command line has no such command`() throws {
        let words = ["send", "rows.csv", "--alert", "hi"]
        #expect(try sendingRest(words, ["FANFARE_LIMIT": "10"]) == nil)
        #expect(try sendingRest(words, ["FANFARE_TOPIC": "a"])?.hasSuffix("hi --resume") == true)
    }

    /// All of a job that was stopped belongs to what is carried on: a canary goes on as one.
    @Test func `a stopped job is carried on by the same command`() throws {
        let words = [
            "send", "rows.csv", "--where", "a=b", "--suppress", "stop.txt", "--limit", "10",
            "--provider", "fcm", "--overwrite", "--", "more.csv",
        ]
        #expect(
            ShellCommand.resuming(["fanfare"] + words, try Self.arguments(words))
                == "fanfare send rows.csv --where a=b --suppress stop.txt --limit 10 --provider fcm --resume -- more.csv"
        )
    }

    @Test func `rows to send again are those of the same audience, and were in the canary`() throws
    {
        let words = [
            "--where", "a=b", "--limit", "10", "--suppress", "s.txt", "--retry-rows", "a.csv",
        ]
        #expect(
            try retrying(words)
                == "fanfare send a.csv --suppress s.txt --where a=b --report fanfare-report-2.csv --retry-rows a-2.csv"
        )
    }

    /// Their rows were sent whether they fit or not.
    @Test func `rows of a seed list are sent again, too`() throws {
        let words = [
            "rows.csv", "--where", "a=b", "--seed-list", "us.csv", "--retry-rows", "a.csv",
        ]
        #expect(
            try retrying(words)
                == "fanfare send a.csv --report fanfare-report-2.csv --retry-rows a-2.csv")
    }

    /// `fanfare jobs` and a page show commands to people with another environment.
    @Test func `what the environment says about whom to send to is said`() throws {
        let variables = [
            "FANFARE_WHERE": "a=b\nc!=it's", "FANFARE_SUPPRESS": "s.txt", "FANFARE_REPORT": "r.csv",
            "FANFARE_CONFIG": "f.json", "FANFARE_TOPIC": "com.example.app",
            "FANFARE_PROVIDER": "simulator",
        ]
        let words = ["send", "rows.csv", "--alert", "hi"]
        let audience = #" --suppress s.txt --where a=b --where 'c!=it'\''s'"#
        let given = try Self.arguments(words, variables)
        let carryingOn = ShellCommand.resuming(["fanfare"] + words + ["--", "x"], given)
        #expect(carryingOn.hasPrefix("fanfare send rows.csv --alert hi --"))
        #expect(carryingOn.hasSuffix(" --resume -- x"))
        for part in [audience, " --report r.csv", " --provider simulator", " --config f.json"] {
            #expect(carryingOn.contains(part + " "), "\(part) in \(carryingOn)")
        }
        #expect(try sendingRest(words, variables)?.contains(audience) == true)
        let again = try #require(
            try retrying(["rows.csv", "--alert", "hi", "--retry-rows", "a.csv"], variables))
        #expect(again.contains(audience) && again.contains("--provider simulator"), "\(again)")
        // A canary that the environment has asked for goes on as one.
        let canary = try Self.arguments(words, ["FANFARE_LIMIT": "10"])
        #expect(
            ShellCommand.resuming(["fanfare"] + words, canary)
                == "fanfare send rows.csv --alert hi --limit 10 --resume")
    }

    @Test(arguments: [
        ("again.csv", "again-2.csv"), ("again-2.csv", "again-3.csv"), ("a.b/rows", "a.b/rows-2"),
        ("r-2026.ndjson.zst", "r-2026-2.ndjson.zst"), (".csv", ".csv-2"), ("-", "-"),
        ("/dev/fd/3", "/dev/fd/3"), ("x-999.csv", "x-1000.csv"), ("out-.csv", "out--2.csv"),
        ("out.sqlite", "out-2.sqlite"), ("out.db", "out-2.db"),
    ])
    func `names count on`(path: String, next: String) {
        #expect(ShellCommand.again(path) == next)
    }

    @Test func `a report in parts is followed by one whose name is that of no part`() throws {
        let command = try retrying(
            ["--retry-rows", "a.csv", "--report", "r.csv", "--report-split", "1GB"])
        #expect(command?.contains("--report r-again.csv") == true)
    }

    /// The others have no such rows, and the job that they share is of other inputs.
    @Test func `rows of a worker are sent again from its machine alone`() throws {
        let command = try retrying([
            "rows.csv", "--cluster", "postgresql://db.example/push", "--job", "july", "--worker",
            "web3",
            "--retry-rows", "a.csv", "--report", "web3.csv",
        ])
        #expect(command == "fanfare send a.csv --report web3-2.csv --retry-rows a-2.csv")
    }

    /// The command would join the shared job again, and cannot say that it should not.
    @Test func `a cluster from elsewhere than the command line leaves no such command`() throws {
        let server = "postgresql://db.example/push"
        let words = ["rows.csv", "--retry-rows", "a.csv", "--worker", "web3"]
        #expect(
            try retrying(words + ["--job", "july"], ["FANFARE_CLUSTER": server]) == nil)
        #expect(try retrying(words + ["--cluster", server], ["FANFARE_JOB": "july"]) == nil)
        #expect(try retrying(words + ["--cluster", server, "--job", "july"]) != nil)
    }

    @Test func `rows of a database are in a file the second time`() throws {
        let command = try retrying(
            ["--from-sqlite", "a.db", "--query", "SELECT token FROM t", "--retry-rows", "a.ndjson"])
        #expect(
            command
                == "fanfare send a.ndjson --report fanfare-report-2.csv --retry-rows a-2.ndjson")
    }

    @Test func `files on the command line take the place of the environment's database`() throws {
        let variables = ["FANFARE_FROM_SQLITE": "a.db", "FANFARE_TABLE": "devices"]
        let surroundings = Surroundings(
            variable: { variables[$0] }, contents: { _ throws(Surroundings.Unreadable) in [] })
        for (words, inputs) in [
            ([], [RowInput.sqlite("a.db", .table("devices"))]), (["r.csv"], [.file("r.csv")]),
        ] {
            let parser = ArgumentParser(surroundings: surroundings)
            guard case .run(let arguments) = try parser.parse(["check", "--alert", "hi"] + words)
            else { throw Unexpected.help }
            #expect(try Configuration(rowsOf: arguments).inputs == inputs)
        }
    }
}
