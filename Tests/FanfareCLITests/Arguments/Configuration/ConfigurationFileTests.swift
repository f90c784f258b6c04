import Testing

@testable import FanfareCLI

/// The content of a file of options, and the messages about a wrong one.
@Suite struct ConfigurationFileTests {
    @Test func `values are text, numbers, flags, arrays and objects`() throws {
        let test = ConfigurationCase(
            file: #"""
                {"connections": 8, "rate": "90k/m", "relevance-score": 0.25, "strict": true,
                 "no-overwrite": true, "validate": true, "map": ["token=t", "id=i"],
                 "stop-if": "failed>5%", "carry": ["name", "segment"], "badge": "3",
                 "push-type": "alert", "priority": 5, "team-id": 1234567890, "key": "k", "key-id": "i",
                 "format": "ndjson"}
                """#)
        let arguments = try test.run("send", "--config", "config.json")
        #expect(arguments[Options.connections] == 8)
        #expect(arguments[Options.relevanceScore] == 0.25)
        #expect(arguments[Options.strict])
        #expect(arguments.has(Options.overwrite) && !arguments[Options.overwrite])
        #expect(arguments.has(Options.noValidate) && !arguments[Options.noValidate])
        #expect(arguments.texts(Options.map) == ["token=t", "id=i"])
        #expect(arguments.texts(Options.stopIf) == ["failed>5%"])
        #expect(arguments[Options.carry] == ["name", "segment"])
        #expect(arguments[Options.badge] == "3")
        #expect(arguments.text(Options.priority) == "5")
        #expect(arguments.text(Options.teamID) == "1234567890")
    }

    @Test func `a payload may stand in the file as an object`() throws {
        let payload = #"{"aps": {"alert": "Grüße \"{{name}}\"", "badge": 1.50}, "n": [1, null]}"#
        let test = ConfigurationCase(file: #"{"payload-json": \#(payload)}"#)
        let arguments = try test.run("send", "--config", "config.json")
        #expect(arguments.text(Options.payloadJSON) == payload)
    }

    @Test(
        "paths are relative to the file's folder",
        arguments: [
            ("config.json", "keys/k.p8", "keys/k.p8"),
            ("conf/config.json", "keys/k.p8", "conf/keys/k.p8"),
            ("/etc/fanfare/config.json", "../k.p8", "/etc/fanfare/../k.p8"),
            ("/config.json", "k.p8", "/k.p8"),
            ("conf/config.json", "/k.p8", "/k.p8"),
        ])
    func path(config: String, key: String, expected: String) throws {
        let test = ConfigurationCase(
            file: """
                {"key": "\(key)", "key-id": "i", "team-id": "t", "report": "-", "title": "a/b"}
                """, path: config)
        let arguments = try test.run("send", "--config", config)
        #expect(arguments.text(Options.key) == expected)
        #expect(arguments.text(Options.report) == "-")
        #expect(arguments.text(Options.title) == "a/b")
    }

    @Test func `one file serves several commands`() throws {
        let test = ConfigurationCase(
            file: #"{"connections": 2, "topic": "t", "listen": "127.0.0.1:1", "seed": 1}"#)
        let check = try test.run("check", "--config", "config.json")
        #expect(check.text(Options.topic) == "t")
        let simulate = try test.run("simulate", "--config", "config.json")
        #expect(simulate.text(Options.Simulate.listen) == "127.0.0.1:1")
    }

    @Test(
        "a file that is wrong is told with the place and what would be right",
        arguments: [
            (
                #"{"conections": 4}"#,
                #""conections" is no option of send; did you mean "connections"?"#
            ),
            (
                #"{"push_type": "alert"}"#,
                #""push_type" is no option of send; did you mean "push-type"?"#
            ),
            (
                #"{"passphrase": "secret"}"#,
                #""passphrase" is no option of send; did you mean "passphrase-file"?"#
            ),
            (
                #"{"frobnicate": 1}"#,
                #""frobnicate" is no option of send; fanfare send --help lists them"#
            ),
            (#"{"strict": "yes"}"#, #""strict" must be true or false"#),
            (#"{"strict": 1}"#, #""strict" must be true or false"#),
            (#"{"connections": true}"#, #""connections" must be a number, such as 4"#),
            (#"{"connections": [4]}"#, #""connections" must be a number, such as 4"#),
            (#"{"timeout": {}}"#, #""timeout" must be text, such as "10s""#),
            (
                #"{"timeout": 30}"#,
                #""timeout": '30' has no unit; write for example "30s""#
            ),
            (
                #"{"connections": 0}"#,
                #""connections": '0' is too small, at least 1 is needed; write for example "4""#
            ),
            (
                #"{"map": ["token=t", 1]}"#,
                #""map": '1' has no equals sign; write for example "token=device_token""#
            ),
            (
                #"{"map": ["token=t", true]}"#,
                #""map" must be an array of text, such as ["token=device_token"]"#
            ),
            (
                #"{"carry": ["a,b"]}"#,
                #""carry" must be text, such as "name,segment", or an array of such words"#
            ),
            (
                #"{"payload-json": []}"#,
                #""payload-json" must be an object, such as {"aps":{"alert":"Hi"}}"#
            ),
            (#"{"topic": "a", "topic": "b"}"#, #""topic" comes twice"#),
            (
                #"{"strict": true, "no-strict": true}"#,
                #""no-strict" and "strict" are the same option"#
            ),
            (
                #"{"config": "c.json"}"#,
                #""config" belongs on the command line: a file cannot lead to another; "#
                    + "FANFARE_CONFIG can"
            ),
            (#"{"help": true}"#, #""help" belongs on the command line: it only prints"#),
            (#"{"version": true}"#, #""version" belongs on the command line: it only prints"#),
            (
                #"{"print-config": true}"#,
                #""print-config" belongs on the command line: it only prints"#
            ),
            (
                #"{"profile": "p"}"#,
                #""profile" belongs on the command line: it chooses among the profiles; "#
                    + "FANFARE_PROFILE can"
            ),
        ])
    func fault(file: String, expected: String) {
        #expect(
            ConfigurationCase(file: file).refusal(["send", "--config", "config.json"])
                == "fanfare send: config.json: \(expected)")
    }

    @Test(
        "a file of another shape",
        arguments: [
            ("[]", #"config.json must be an object, such as {"connections": 4}"#),
            ("{\"a\": 1,\n}", "config.json: not valid JSON at line 2, byte 1"),
            (
                #"{"profiles": []}"#,
                #"config.json: "profiles" must be an object, such as {"connections": 4}"#
            ),
            (
                #"{"profiles": {"p": 1}}"#,
                #"config.json: profiles.p must be an object, such as {"connections": 4}"#
            ),
            (
                #"{"profiles": {"p": {"tpoic": "a"}}}"#,
                #"config.json: profiles.p: "tpoic" is no option of send; did you mean "topic"?"#
            ),
            (
                #"{"profiles": {"p": {"profiles": {}}}}"#,
                #"config.json: profiles.p: "profiles" stands only at the top of the file"#
            ),
        ])
    func shape(file: String, expected: String) {
        #expect(
            ConfigurationCase(file: file).refusal(["send", "--config", "config.json"])
                == "fanfare send: \(expected)")
    }

    @Test(
        "an unknown profile",
        arguments: [
            ("{}", "it has no profiles"),
            (#"{"profiles": {"staging": {}, "live": {}}}"#, "did you mean staging?"),
            (#"{"profiles": {"a": {}, "b": {}}}"#, "it has 'a' and 'b'"),
        ])
    func profile(file: String, expected: String) {
        #expect(
            ConfigurationCase(file: file).refusal([
                "send", "--config", "config.json", "--profile", "stagin",
            ]) == "fanfare send: config.json: no profile 'stagin'; \(expected)")
    }

    // MARK: --print-config

    @Test func `what is printed is what is in force`() throws {
        let test = ConfigurationCase(
            file: #"{"connections": 2, "topic": "a", "profiles": {"p": {"topic": "b"}}}"#,
            variables: ["FANFARE_STRICT": "true"])
        let text = try test.print(
            "send", "--config", "config.json", "--profile", "p", "--rate", "5/s", "--data", "a=1",
            "--report", "out.csv", "rows.csv")
        #expect(
            text == """
                {
                  "data": ["a=1"],
                  "topic": "b",
                  "rate": "5/s",
                  "connections": 2,
                  "report": "/srv/out.csv",
                  "strict": true
                }

                """)
        #expect(try test.print("simulate") == "{}\n")
        #expect(try test.print("push", "--alert", "hi") == "{\n  \"alert\": \"hi\"\n}\n")
    }

    /// Every option of every command, with what it needs.
    @Test(
        arguments: Commands.all.filter(\.takesConfiguration).flatMap { command in
            command.options.filter { $0.commandLineOnly == nil && $0.form != .textOrFile }
                .map { (command.name, $0.name) }
        })
    func `an option comes back from what is printed`(_ pair: (String, String)) throws {
        let command = try #require(Commands.all.first { $0.name == pair.0 })
        let option = try #require(command.option(named: pair.1))
        var words = [command.name]
        var open = [option.name]
        var seen: Set<String> = []
        while let condition = open.popLast() {
            let parts = condition.split(separator: "=").map(String.init)
            guard seen.insert(parts[0]).inserted else { continue }
            let other = try #require(command.option(named: parts[0]))
            words.append("--\(other.name)")
            if let value = parts.count == 2 ? parts[1] : other.example { words.append(value) }
            open += other.needs
        }
        guard
            case .printConfiguration(let given) = try ArgumentParser().parse(
                words + ["--print-config"])
        else { throw ConfigurationCase.NotRun() }
        let text = given.configurationJSON(folder: "/srv/")
        let test = ConfigurationCase(file: text)
        guard
            case .printConfiguration(let read) = try test.parse([
                command.name, "--print-config", "--config", "config.json",
            ])
        else { throw ConfigurationCase.NotRun() }
        #expect(read.configurationJSON(folder: "/elsewhere/") == text)
        #expect(text.contains("\"\(option.name)\": "))
        for name in seen {
            let other = try #require(command.option(named: name))
            #expect(read.has(other))
            if ![.file, .routeFile, .keyedFiles, .sharedFile].contains(other.form) {
                #expect(read.setting(other) == given.setting(other))
            }
        }
    }

    @Test func `header fields may be secrets, and are printed only as the file they are in`() throws
    {
        let given = ["bench", "--endpoint", "https://127.0.0.1:1", "--path", "/"]
        let test = ConfigurationCase(
            file: #"{"header": ["@own.txt", "accept: text/html"]}"#, path: "/etc/f.json")
        let read = try test.run(
            "bench", "--provider", "simulator", "--config", "/etc/f.json", "--path", "/")
        #expect(read.texts(Options.Bench.header) == ["@/etc/own.txt", "accept: text/html"])
        guard
            case .printConfiguration(let mixed) = try ArgumentParser().parse(
                given + [
                    "--header", "authorization: bearer s3cret", "--header", "@more.txt",
                    "--print-config",
                ]),
            case .printConfiguration(let secret) = try ArgumentParser().parse(
                given + ["--header", "authorization: bearer s3cret", "--print-config"])
        else { throw ConfigurationCase.NotRun() }
        let text = mixed.configurationJSON(folder: "/srv/")
        #expect(text.contains(#""@/srv/more.txt""#) && !text.contains("s3cret"))
        #expect(!secret.configurationJSON(folder: "/srv/").contains("header"))
    }
}
