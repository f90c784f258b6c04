import Testing

@testable import FanfareCLI

/// The messages as a user sees them.
@Suite struct UsageErrorTests {
    @Test(
        "a wrong command line says what would be right",
        arguments: [
            (
                [],
                "fanfare: no command given; the commands are "
                    + Commands.all.dropLast().map(\.name).joined(separator: ", ")
                    + " and \(Commands.all.last?.name ?? ""), and fanfare --help explains them"
            ),
            (["sned"], "fanfare: unknown command 'sned'; did you mean send?"),
            (["help", "chekc"], "fanfare: unknown command 'chekc'; did you mean check?"),
            (
                ["send", "--topci", "x"],
                "fanfare send: unknown option '--topci'; did you mean --topic?"
            ),
            (
                ["send", "-topic", "x"],
                "fanfare send: unknown option '-topic'; did you mean --topic?"
            ),
            (
                ["send", "--conn", "2"],
                "fanfare send: unknown option '--conn'; did you mean --connections or "
                    + "--connect-timeout?"
            ),
            (
                ["send", "--push_type=alert"],
                "fanfare send: unknown option '--push_type'; did you mean --push-type?"
            ),
            (
                ["send", "--frobnicate"],
                "fanfare send: unknown option '--frobnicate'; fanfare send --help lists them all"
            ),
            (
                ["push", "--reprot", "x"],
                "fanfare push: unknown option '--reprot'; --report is an option of send and check "
                    + "only"
            ),
            (
                ["push", "--report", "x"],
                "fanfare push: --report is an option of send and check only"
            ),
            (
                ["send", "-x"],
                "fanfare send: unknown option '-x'; fanfare send --help lists them all"
            ),
            (
                ["send", "--stop-if", "suspekt>50%"],
                "fanfare send: --stop-if: 'suspekt>50%' has no outcome before its >; there are "
                    + "accepted, unregistered, suspect, rejected, throttled, failed, unknown, "
                    + "invalid and skipped; write for example --stop-if 'suspect>50%'"
            ),
            (
                ["send", "--fail-if", "failed>5%,"],
                "fanfare send: --fail-if: 'failed>5%,' has an empty bound between its commas; "
                    + "write for example --fail-if 'unregistered>5%'"
            ),
            (
                ["send", "--fail-if", "failed>5%,none"],
                "fanfare send: --fail-if: 'failed>5%,none' has none, which stands alone; "
                    + "write for example --fail-if 'unregistered>5%'"
            ),
            (
                ["send", "--fail-if", "failed=5%"],
                "fanfare send: --fail-if: 'failed=5%' is not of the form OUTCOME>SHARE% or "
                    + "OUTCOME>ROWS (in quotes, because a shell takes > for itself; "
                    + "OUTCOME:SHARE% means the same); write for example --fail-if 'unregistered>5%'"
            ),
            (
                ["bench", "--fail-if", "erors>1%"],
                "fanfare bench: --fail-if: 'erors>1%' has no figure before its >; there are p50, p90, "
                    + "p99, p99.9, p99.99, max, errors, rate and regression; write for example "
                    + "--fail-if 'errors>1%'"
            ),
            (
                ["bench", "--fail-if", "errors>1%,p99>250"],
                "fanfare bench: --fail-if: 'errors>1%,p99>250' has a duration without a unit behind "
                    + "its >; write for example --fail-if 'p99>250ms'"
            ),
            (
                ["send", "--topic"],
                "fanfare send: --topic needs a value; write for example --topic com.example.app"
            ),
            (
                ["send", "--topic", "--strict"],
                "fanfare send: --topic needs a value before '--strict'; write for example --topic "
                    + "com.example.app, or --topic=--strict if that is the value"
            ),
            (
                ["send", "--topic", "--", "a"],
                "fanfare send: --topic needs a value before '--'; write for example --topic "
                    + "com.example.app, or --topic=-- if that is the value"
            ),
            (
                ["send", "--strict=yes"],
                "fanfare send: --strict takes no value; write --strict alone"
            ),
            (
                ["send", "--topic="],
                "fanfare send: --topic: '' is empty; write for example --topic com.example.app"
            ),
            (
                ["send", "--timeout", "30"],
                "fanfare send: --timeout: '30' has no unit; write for example --timeout 30s"
            ),
            (
                ["send", "--lanes", "0"],
                "fanfare send: --lanes: '0' is too small, at least 1 is needed; write for example "
                    + "--lanes 2"
            ),
            (
                ["send", "--environment", "sandbx"],
                "fanfare send: --environment: 'sandbx' is none of production and sandbox; write "
                    + "for example --environment sandbox"
            ),
            (
                ["send", "--payload-json", "hi"],
                "fanfare send: --payload-json: 'hi' is not a JSON object; write for example "
                    + #"--payload-json '{"aps":{"alert":"Hi"}}'"#
            ),
            (["push"], "fanfare push: a token is missing; write fanfare push TOKEN..."),
            (
                ["simulate", "x"],
                "fanfare simulate: 'x' is too much; the command takes options only"
            ),
            (
                ["send", "--key", "k.p8", "--key-id", "K"],
                "fanfare send: --key needs --team-id as well"
            ),
            (
                ["send", "--key", "k.p8"],
                "fanfare send: --key needs --team-id as well"
            ),
            (
                ["send", "--payload", "p.json", "--title", "Hi"],
                "fanfare send: --payload and --title exclude each other; write one of them"
            ),
            (
                ["push", "0a", "--insecure", "--endpoint", "https://example.com"],
                "fanfare push: --insecure: only for an --endpoint on a loopback address; give its "
                    + "certificate with --ca-file"
            ),
            (
                ["send", "--format", "ndjson", "--delimiter", "tab"],
                "fanfare send: --delimiter and --format=ndjson exclude each other; write one of "
                    + "them"
            ),
            (
                ["send", "--connections", "1025"],
                "fanfare send: --connections: '1025' is too large, at most 1024 is possible; "
                    + "write for example --connections 4"
            ),
            (["send", "--no-header"], "fanfare send: --no-header needs --columns as well"),
            (
                ["send", "--simulator-latency", "20ms", "--provider", "apns"],
                "fanfare send: --simulator-latency needs --provider simulator as well"
            ),
        ] as [([String], String)])
    func message(words: [String], expected: String) {
        do throws(UsageError) {
            let invocation = try ArgumentParser().parse(words)
            Issue.record("accepted: \(invocation)")
        } catch {
            #expect(error.description == expected)
        }
    }

    @Test(arguments: [
        ["send", "--endpoint", "https://bob:pass@example.com"],
        ["bench", "http://bob:pass@[::1]:1"],
        ["push", "0a", "--endpoint=bob:pass@example.com"],
        ["send", "--proxy", "bob:pass@example.com:3128"],
        // To Swift a sign with a mark on it is another character.
        ["send", "--proxy", "bob:pass@\u{301}example.com:3128"],
        ["send", "--endpoint", "https://bob:pass\u{600}@example.com"],
    ])
    func `no message has a password of an address in it`(words: [String]) throws {
        let error = try #require(throws: UsageError.self) { try ArgumentParser().parse(words) }
        #expect(!error.description.contains("pass@") && !error.description.contains("bob"))
    }

    @Test func `a flag that was taken back neither needs nor excludes`() throws {
        _ = try ArgumentParser().parse(["send", "--no-header", "--header"])
        _ = try ArgumentParser().parse([
            "send", "--insecure", "--no-insecure", "--ca-file", "c.pem",
        ])
    }

    @Test func `a value is shown shortened and without control characters`() throws {
        let word = "\u{1B}[2J\n\u{9B}" + String(repeating: "x", count: 100)
        let error = try #require(throws: UsageError.self) {
            try ArgumentParser().parse(["send", "--lanes", word])
        }
        let shown = String(repeating: "x", count: 54)
        #expect(
            error.description == "fanfare send: --lanes: '\\u{1B}[2J\\n\\u{009B}\(shown)...' is "
                + "not a whole number; write for example --lanes 2")
    }

    @Test func `a command can report what only it can know`() throws {
        guard case .run(let arguments) = try ArgumentParser().parse(["send"]) else { return }
        #expect(
            arguments.error(Options.payload, "'p.json' does not exist").description
                == "fanfare send: --payload: 'p.json' does not exist")
    }
}
