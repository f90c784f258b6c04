import Testing

@testable import FanfareCLI

/// The order of precedence: command line, environment, profile, file, default.
@Suite struct ConfigurationPrecedenceTests {
    private let file = """
        {"connections": 1, "topic": "file", "timeout": "1s",
         "profiles": {"p": {"connections": 2, "topic": "profile"}}}
        """

    @Test func `each layer wins over those below it`() throws {
        var test = ConfigurationCase(file: file)
        #expect(try test.run("send").text(Options.connections) == nil)
        let config = ["--config", "config.json"]
        func connections(_ words: [String]) throws -> Int? {
            guard case .run(let arguments) = try test.parse(["send"] + config + words) else {
                return nil
            }
            return arguments[Options.connections]
        }
        #expect(try connections([]) == 1)
        #expect(try connections(["--profile", "p"]) == 2)
        test.variables["FANFARE_CONNECTIONS"] = "3"
        #expect(try connections(["--profile", "p"]) == 3)
        #expect(try connections(["--profile", "p", "--connections", "4"]) == 4)
        let arguments = try test.run("send", "--config", "config.json", "--profile", "p")
        #expect(arguments.text(Options.topic) == "profile")
        #expect(arguments[Options.timeout] == .seconds(1))
    }

    @Test func `the environment may name file and profile`() throws {
        let test = ConfigurationCase(
            file: file,
            variables: ["FANFARE_CONFIG": "config.json", "FANFARE_PROFILE": "p"])
        #expect(try test.run("send").text(Options.topic) == "profile")
        #expect(
            ConfigurationCase(variables: ["FANFARE_PROFILE": "p"]).refusal(["send"])
                == "fanfare send: FANFARE_PROFILE needs --config as well")
        #expect(
            ConfigurationCase(variables: ["FANFARE_CONFIG": "c.json"]).refusal(["send"])
                == "fanfare send: FANFARE_CONFIG: c.json cannot be read: no such file or directory")
        #expect(
            ConfigurationCase().refusal(["send", "--profile", "p"])
                == "fanfare send: --profile needs --config as well")
    }

    @Test func `a variable is true, false, text, or lines of text`() throws {
        let test = ConfigurationCase(variables: [
            "FANFARE_STRICT": "1", "FANFARE_VALIDATE": "true", "FANFARE_OVERWRITE": "false",
            "FANFARE_DATA": "a=1\nb=2, 3\n", "FANFARE_TITLE": "", "FANFARE_UNKNOWN": "x",
        ])
        let arguments = try test.run("send", "--provider", "simulator")
        #expect(arguments[Options.strict])
        #expect(arguments.has(Options.noValidate) && !arguments[Options.noValidate])
        #expect(arguments.has(Options.overwrite) && !arguments[Options.overwrite])
        #expect(arguments.texts(Options.data) == ["a=1", "b=2, 3"])
        #expect(!arguments.has(Options.title))
        #expect(arguments.unknownVariables == ["FANFARE_UNKNOWN"])
    }

    @Test func `an option that may stand alone may be true or false`() throws {
        for (value, text) in [("true", "first"), (#""last""#, "last"), ("false", nil)] {
            var test = ConfigurationCase(file: "{\"deduplicate\": \(value)}")
            let file = try test.run("send", "--config", "config.json")
            #expect(file.text(Options.deduplicate) == text)
            test = ConfigurationCase(
                file: #"{"deduplicate": "last"}"#,
                variables: ["FANFARE_DEDUPLICATE": value.filter { $0 != "\"" }])
            let variable = try test.run("send", "--config", "config.json")
            #expect(variable.text(Options.deduplicate) == text)
        }
    }

    /// Otherwise a job at night would go without its rate.
    @Test(arguments: [
        ("FANFARE_RAET", "send", "FANFARE_RATE"), ("FANFARE_STOPIF", "send", "FANFARE_STOP_IF"),
        ("FANFARE_NO_STRIKT", "send", "FANFARE_NO_STRICT"),
        // An option of another command.
        ("FANFARE_WARMUP", "send", "FANFARE_WARM_UP"),
    ])
    func `a mistyped variable is refused`(variable: String, command: String, meant: String) {
        #expect(
            ConfigurationCase(variables: [variable: "5/s"]).refusal([command])
                == "fanfare \(command): \(variable) sets no option; did you mean \(meant)?")
        #expect(ConfigurationCase(variables: [variable: ""]).refusal([command]) == nil)
    }

    @Test func `variables of other commands, of our own and of other programs are none of those`()
        throws
    {
        let variables = [
            "FANFARE_LISTEN": "127.0.0.1:1", "FANFARE_EXIT_CODE": "0", "FANFARE_JOB_NAME": "n",
            "FANFARE_CORE_DUMPS": "1", "FANFAREX": "1", "FANFARE_SERVICE_HOST": "10.0.0.1",
            "FANFARE_HOME": "/srv/fanfare",
        ]
        let arguments = try ConfigurationCase(variables: variables).run("check")
        #expect(arguments.unknownVariables == ["FANFARE_HOME", "FANFARE_SERVICE_HOST"])
        #expect(try ConfigurationCase(variables: variables).run("jobs").unknownVariables.isEmpty)
    }

    @Test(
        "a wrong variable is told by its name",
        arguments: [
            (["FANFARE_STRICT": "yes"], "FANFARE_STRICT: 'yes' is neither true nor false"),
            (
                ["FANFARE_TIMEOUT": "30"],
                "FANFARE_TIMEOUT: '30' has no unit; write for example 30s"
            ),
            (
                ["FANFARE_STRICT": "1", "FANFARE_NO_STRICT": "1"],
                "FANFARE_STRICT and FANFARE_NO_STRICT exclude each other; set one of them"
            ),
            (["FANFARE_KEY": "k.p8"], "FANFARE_KEY needs --team-id as well"),
            (
                ["FANFARE_PAYLOAD": "p", "FANFARE_TITLE": "t"],
                "FANFARE_PAYLOAD and FANFARE_TITLE exclude each other; write one of them"
            ),
        ] as [([String: String], String)])
    func variable(variables: [String: String], expected: String) {
        #expect(
            ConfigurationCase(variables: variables).refusal(["send"])
                == "fanfare send: \(expected)")
    }

    @Test func `values of a higher layer replace those of a lower one`() throws {
        let test = ConfigurationCase(file: #"{"data": ["a=1", "b=2"], "stop-if": "failed>1"}"#)
        let arguments = try test.run("send", "--config", "config.json", "--data", "c=3")
        #expect(arguments.texts(Options.data) == ["c=3"])
        #expect(arguments.texts(Options.stopIf) == ["failed>1"])
    }

    @Test func `null and an empty array leave an option at its default`() throws {
        let test = ConfigurationCase(
            file: """
                {"key": "k.p8", "key-id": "K", "team-id": "T", "data": ["a=1"], "rate": "5/s",
                 "profiles": {"p": {"rate": null, "data": [], "key": null, "certificate": "c.p12"}}}
                """)
        let arguments = try test.run("send", "--config", "config.json", "--profile", "p")
        let lost: [any AnyOption] = [
            Options.rate, Options.data, Options.key, Options.keyID, Options.teamID,
        ]
        #expect(lost.filter { arguments.has($0) }.map(\.name) == [])
        #expect(arguments.text(Options.certificate) == "c.p12")
    }

    @Test func `what wins sends away what it excludes, and what that needed`() throws {
        let test = ConfigurationCase(
            file: """
                {"key": "k.p8", "key-id": "K", "team-id": "T", "environment": "sandbox",
                 "title": "Hi", "body": "there", "no-header": true, "columns": "token",
                 "overwrite": true}
                """)
        func run(_ words: String...) throws -> ParsedArguments {
            guard
                case .run(let arguments) = try test.parse(
                    ["send", "--config", "config.json"] + words)
            else { throw ConfigurationCase.NotRun() }
            return arguments
        }
        let certificate = try run("--certificate", "c.p12")
        #expect(!certificate.has(Options.key) && !certificate.has(Options.keyID))
        #expect(!certificate.has(Options.teamID))
        let simulator = try run("--provider", "simulator")
        #expect(!simulator.has(Options.environment) && simulator.has(Options.keyID))
        let payload = try run("--payload", "p.json")
        #expect(!payload.has(Options.title) && !payload.has(Options.body))
        let alert = try run("--alert", "x")
        #expect(!alert.has(Options.title) && !alert.has(Options.body))
        let header = try run("--header")
        #expect(!header[Options.noHeader] && !header.has(Options.columns))
        #expect(!(try run("--resume")).has(Options.overwrite))
    }

    @Test func `what excludes each other in one layer is refused with its place`() {
        let test = ConfigurationCase(
            file: """
                {"team-id": "T", "profiles": {"p": {"payload": "p", "title": "t"}}}
                """)
        #expect(
            test.refusal(["send", "--config", "config.json"])
                == "fanfare send: config.json: \"team-id\" needs --key as well")
        #expect(
            test.refusal([
                "send", "--config", "config.json", "--profile", "p", "--key", "k", "--key-id", "i",
            ])
                == "fanfare send: config.json: profiles.p: \"payload\" and config.json: "
                + "profiles.p: \"title\" exclude each other; write one of them")
    }

    @Test func `the commands that only print or generate have no such options`() throws {
        let test = ConfigurationCase(variables: ["FANFARE_FORMAT": "nonsense"])
        for command in Commands.all where !command.takesConfiguration {
            #expect(command.option(named: "config") == nil)
        }
        #expect(try !test.run("generate").has(Options.Generate.format))
        let takers = Commands.all.filter(\.takesConfiguration).map(\.name)
        #expect(Set(takers).isSuperset(of: ["send", "check", "push", "simulate"]))
    }
}
