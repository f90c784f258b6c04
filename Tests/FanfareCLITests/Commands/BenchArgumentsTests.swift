import Fanfare
import Testing

@testable import FanfareCLI

@Suite struct BenchArgumentsTests {
    private func options(_ words: String...) throws -> LoadOptions {
        guard case .run(let arguments) = try ArgumentParser().parse(["bench"] + words) else {
            throw UsageError(command: nil, "did not run")
        }
        _ = try Configuration(benchOf: arguments)
        return try LoadOptions(arguments)
    }

    private func message(_ words: String...) -> String {
        do {
            guard case .run(let arguments) = try ArgumentParser().parse(["bench"] + words) else {
                return "did not run"
            }
            _ = try Configuration(benchOf: arguments)
            _ = try LoadOptions(arguments)
            return "no error"
        } catch CommandError.usage(let error) {
            return error.description
        } catch {
            return "\(error)"
        }
    }

    @Test func `a rate may go from one to another`() throws {
        let options = try options(
            "--provider", "simulator", "--rate", "1k..20k/s", "--steps", "10", "--duration", "5s")
        #expect(options.pattern == .rate(from: 1000, to: 20_000))
        #expect(options.steps == 10 && options.duration == .seconds(5))
    }

    @Test func `the version of HTTP is that of HTTP 2 unless told`() throws {
        let endpoint = "https://127.0.0.1:1"
        #expect(try options("--endpoint", endpoint).versions == .http2)
        for (word, versions) in [("2", HTTPVersions.http2), ("1.1", .http1), ("auto", .either)] {
            #expect(try options("--endpoint", endpoint, "--http", word).versions == versions)
        }
        #expect(message("--endpoint", endpoint, "--http", "3").contains("--http"))
        // The simulator speaks HTTP/2 only.
        #expect(message("--provider", "simulator", "--http", "1.1").contains("--provider"))
    }

    @Test func `a body that would be curl's name of a file is refused`() {
        let endpoint = "https://127.0.0.1:1"
        #expect(message("--endpoint", endpoint, "-d", "@body.json").contains("--body-file FILE"))
        for body in ["", "a@b", "{}"] {
            #expect(message("--endpoint", endpoint, "-d", body) == "no error")
        }
    }

    @Test(arguments: [
        ("5000/s", 5000, 5000), ("90k/m", 1500, 1500), ("60..120/m", 1, 2), ("1..3/2s", 0.5, 1.5),
        ("5000", 5000, 5000), ("1k..20k", 1000, 20_000),
    ])
    func `rates are a second's`(text: String, from: Double, to: Double) throws {
        #expect(try ValueReader.rateRange(text) == (from, to))
    }

    @Test(arguments: [
        ("1k..x", "has an end that"), ("1k..x/s", "has an end that"),
        ("..5/s", "has an end that"), ("fast", "is not a rate"),
    ])
    func `what is no rate is refused`(text: String, problem: String) {
        do {
            _ = try ValueReader.rateRange(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.problem.contains(problem))
        }
    }

    @Test(arguments: [("1%", 0.01), ("0.5%", 0.005), ("100%", 1), ("0%", 0), ("2.5 %", 0.025)])
    func `percentages are shares`(text: String, share: Double) throws {
        #expect(try ValueReader.percent(text) == share)
    }

    @Test(arguments: ["1", "101%", "-1%", "x%", "1%%", "0.00001%"])
    func `what is no percentage is refused`(text: String) {
        #expect(throws: ValueFault.self) { try ValueReader.percent(text) }
    }

    @Test func `a request is read from its options`() throws {
        let request = try #require(
            try options(
                "--endpoint", "https://127.0.0.1:1", "--method", "PUT", "--path", "/a?b",
                "--header",
                "Accept: text/html", "--header", "x-empty:", "--body", "hello"
            ).request)
        #expect(request.method == "PUT" && request.path == "/a?b")
        #expect(request.fields == [.init("Accept", "text/html"), .init("x-empty", "")])
        #expect(request.body == Array("hello".utf8))
    }

    @Test func `a URL stands for the options that it says`() throws {
        let named = try options("https://127.0.0.1:1", "-n", "5", "-c", "2")
        #expect(named.request == nil && named.count == 5)
        let request = try #require(try options("-k", "https://127.0.0.1:1/a?b=c#d").request)
        #expect(request.path == "/a?b=c")
        #expect(try options("https://127.0.0.1:1/").request?.path == "/")
        #expect(try options("https://127.0.0.1:1?b").request?.path == "/?b")
        for (words, expected) in [
            (["https://127.0.0.1:1", "https://127.0.0.1:2"], "2 servers; a load test is of one"),
            (["https://127.0.0.1:1", "--endpoint", "https://127.0.0.1:2"], "names another server"),
            (["https://127.0.0.1:1/a", "--path", "/b"], "names another path"),
            (["https://127.0.0.1:1/a", "--topic", "t"], "exclude each other"),
            (["https://example.com/a", "-k"], "only for an --endpoint on a loopback address"),
            (["127.0.0.1:1"], "has no scheme"),
            (["https://127.0.0.1:1", "-n100"], "write -n 100"),
        ] {
            #expect(parserMessage(words).contains(expected), "\(words): \(parserMessage(words))")
        }
    }

    @Test func `letters are those of other load generators`() throws {
        let request = try #require(
            try options(
                "https://127.0.0.1:1/a", "-X", "PUT", "-H", "accept: text/html", "-d", "hello",
                "-z", "3s"
            ).request)
        #expect(request.method == "PUT" && request.body == Array("hello".utf8))
        #expect(request.fields == [.init("accept", "text/html")])
        #expect(try options("https://127.0.0.1:1", "-z", "3s").duration == .seconds(3))
    }

    @Test func `without an option of its own a request is a notification`() throws {
        #expect(try options("--provider", "simulator").request == nil)
    }

    @Test func `conditions add up, and none is none`() throws {
        func conditions(_ words: String...) throws -> [String] {
            guard
                case .run(let arguments) = try ArgumentParser().parse(
                    ["bench", "--provider", "simulator"] + words)
            else { return ["did not run"] }
            return try LoadOptions(arguments).failIf.map(\.description)
        }
        #expect(try conditions() == [])
        #expect(try conditions("--fail-if", "none") == [])
        #expect(
            try conditions("--fail-if", "p99 > 250ms, errors>1%", "--fail-if=rate<95%")
                == ["p99>250ms", "errors>1%", "rate<95%"])
        #expect(
            message("--provider", "simulator", "--fail-if", "none", "--fail-if", "max>1s")
                == "fanfare bench: --fail-if: none stands alone")
    }

    @Test(arguments: [
        (["regression>5%"], [], "regression>5% needs --baseline"),
        (
            ["regression>5%"], ["--baseline", "b.json", "--max-regression", "5%"],
            "regression>5% and --max-regression say the same"
        ),
        (
            ["regression>5%,regression>9%"], ["--baseline", "b.json"],
            "regression>5% is one of 2 bounds on regression"
        ),
    ])
    func `a bound on regression stands for that of the comparison`(
        bounds: [String], words: [String], problem: String
    ) throws {
        guard
            case .run(let arguments) = try ArgumentParser().parse(
                ["bench", "--provider", "simulator", "--fail-if"] + bounds + words)
        else {
            Issue.record("did not run")
            return
        }
        let failIf = try LoadOptions(arguments).failIf
        let error = #expect(throws: CommandError.self) {
            _ = try BenchOutput(arguments, failIf: failIf)
        }
        guard case .usage(let refusal)? = error else {
            Issue.record("\(bounds) \(words) were taken")
            return
        }
        #expect(
            refusal.description.hasPrefix("fanfare bench: --fail-if: \(problem)"),
            "\(refusal.description)")
    }

    @Test func `wrong combinations say what to do`() {
        #expect(
            message()
                == "fanfare bench: nothing to test; give the server's URL, or --provider simulator")
        let simulator = ["--provider", "simulator"]
        for (words, expected) in [
            (["--rate", "5/s", "--in-flight", "5"], "exclude each other"),
            (["--rate", "5/s", "--steps", "5"], "--steps: needs a --rate from one to another"),
            (["--steps", "5"], "--steps needs --rate"),
            (["--count", "5", "--warm-up", "5s"], "exclude each other"),
            (["--count", "5", "--rate", "1..5/s"], "--count: does not go with"),
            (["--path", "/", "--topic", "t"], "exclude each other"),
            (["--body", "x", "--body-file", "y"], "exclude each other"),
            (["--header", "nothing"], "has no name with a colon"),
            (["--header", "@/nowhere"], "--header: /nowhere cannot be read"),
        ] {
            let text = (try? ArgumentParser().parse(["bench"] + simulator + words)) == nil
            let said = text ? parserMessage(simulator + words) : full(simulator + words)
            #expect(said.contains(expected), "\(words): \(said)")
        }
    }

    private func parserMessage(_ words: [String]) -> String {
        do {
            _ = try ArgumentParser().parse(["bench"] + words)
            return "no error"
        } catch {
            return error.description
        }
    }

    private func full(_ words: [String]) -> String {
        do {
            guard case .run(let arguments) = try ArgumentParser().parse(["bench"] + words) else {
                return "did not run"
            }
            _ = try LoadOptions(arguments)
            return "no error"
        } catch CommandError.usage(let error) {
            return error.description
        } catch {
            return "\(error)"
        }
    }

    @Test func `secrets are not in the command that a result shows`() {
        let shown = ShellCommand.withoutSecrets([
            "fanfare", "bench", "--header", "authorization: bearer s3cret",
            "--header=cookie: s3cret",
            "-H", "cookie: s3cret", "-d", "s3cret", "https://127.0.0.1:1/a?key=s3cret",
            "--header=referer: https://s3cret", "--body", "s3cret", "--path", "/a?key=s3cret",
            "--header", "@fields.txt", "--rate",
            "5/s",
        ])
        // To Swift a character with a mark on it is another one.
        let marked = ShellCommand.withoutSecrets([
            "bench", "--path", "/a?\u{301}s3cret", "-H", "a:\u{301}s3cret: b",
            "--body=\u{301}s3cret",
        ])
        #expect(marked == "bench --path '/a?...' -H 'a: ...' --body=...")
        #expect(!shown.contains("s3cret"))
        #expect(
            shown
                == "fanfare bench --header 'authorization: ...' '--header=cookie: ...' -H 'cookie: ...' "
                + "-d ... 'https://127.0.0.1:1/a?...' '--header=referer: ...' --body ... "
                + "--path '/a?...' --header @fields.txt --rate 5/s")
    }
}
