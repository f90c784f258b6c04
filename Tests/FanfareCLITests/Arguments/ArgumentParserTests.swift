import FanfareBase
import FanfareCLI
import FanfareSimulator
import Testing

@Suite struct ArgumentParserTests {
    private func run(_ words: String...) throws -> ParsedArguments {
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            throw Unexpected.help
        }
        return arguments
    }

    private enum Unexpected: Error { case help }

    @Test func `options and rows mix freely`() throws {
        let arguments = try run("send", "a.csv", "--topic", "t", "b.csv", "--strict", "-")
        #expect(arguments.command.name == "send")
        #expect(arguments.positionals == ["a.csv", "b.csv", "-"])
        #expect(arguments.text("topic") == "t")
        #expect(arguments.flag("strict") == true)
        #expect(arguments.flag("overwrite") == nil)
        #expect(!arguments.has("overwrite"))
    }

    @Test func `two dashes end the options`() throws {
        let arguments = try run("send", "--strict", "--", "--topic", "--", "--help")
        #expect(arguments.positionals == ["--topic", "--", "--help"])
    }

    @Test func `an equals sign joins a value, which may be empty or hold others`() throws {
        let arguments = try run("send", "--title=", "--body=a=b", "--sound", "")
        #expect(arguments.text("title") == "")
        #expect(arguments.text("body") == "a=b")
        #expect(arguments.text("sound") == "")
    }

    @Test func `a value may begin with a dash`() throws {
        let arguments = try run("send", "--title", "-- Sale --", "--report", "-", "--body=--strict")
        #expect(arguments.text("title") == "-- Sale --")
        #expect(arguments.text("report") == "-")
        #expect(arguments.text("body") == "--strict")
    }

    @Test func `of a single value the last one counts`() throws {
        let arguments = try run("send", "--lanes", "1", "--lanes=2", "--strict", "--no-strict")
        #expect(try arguments.count("lanes") == 2)
        #expect(arguments.flag("strict") == false)
    }

    @Test func `a flag that is called no takes its name back`() throws {
        let arguments = try run("send", "--no-validate", "--validate")
        #expect(arguments.flag("no-validate") == false)
    }

    @Test func `of repeated values all count`() throws {
        let arguments = try run("send", "--map", "token=a=b", "--map=id=c")
        let pairs = try arguments.pairs("map")
        #expect(pairs.map(\.key) == ["token", "id"])
        #expect(pairs.map(\.value) == ["a=b", "c"])
    }

    @Test func `a value that may be left out is taken only if it can be one`() throws {
        let bare = try run("send", "--deduplicate", "rows.csv")
        #expect(bare.text("deduplicate") == "first")
        #expect(bare.positionals == ["rows.csv"])
        let given = try run("send", "rows.csv", "--deduplicate", "last")
        #expect(given.text("deduplicate") == "last")
        #expect(given.positionals == ["rows.csv"])
        #expect(try run("send", "--deduplicate=last", "first").positionals == ["first"])
        #expect(try run("send", "--deduplicate", "--strict").text("deduplicate") == "first")
        #expect(try run("send", "--deduplicate").text("deduplicate") == "first")
        #expect(throws: UsageError.self) { _ = try run("send", "--deduplicate=both") }
    }

    @Test func `typed values come as their types`() throws {
        enum Format: String { case csv, ndjson }
        let arguments = try run(
            "send", "--format", "csv", "--delimiter", "tab", "--badge", "0",
            "--relevance-score", "0.5", "--timeout", "1.5s", "--carry", "name, segment",
            "--expiration", "+1h", "--endpoint", "https://[::1]:8443")
        #expect(try arguments.choice("format", as: Format.self) == .csv)
        #expect(try arguments.delimiter("delimiter") == 9)
        #expect(try arguments.count("badge") == 0)
        #expect(try arguments.number("relevance-score") == 0.5)
        #expect(try arguments.duration("timeout") == .milliseconds(1500))
        #expect(try arguments.duration("connect-timeout") == nil)
        #expect(try arguments.list("carry") == ["name", "segment"])
        #expect(try arguments.expiration("expiration") == .after(.seconds(3600)))
        let address = HostPort(host: "::1", port: 8443)
        let endpoint = EndpointSetting(isSecure: true, address: address)
        #expect(try arguments.endpoint("endpoint") == endpoint)

        let simulator = try run("simulate", "--listen", "127.0.0.1:0", "--latency", "0ms")
        #expect(try simulator.listenAddress("listen") == HostPort(host: "127.0.0.1", port: 0))
        #expect(try simulator.latency("latency") == LatencyModel.none)
    }

    @Test(
        "help and version are asked for in the usual ways",
        arguments: [
            (["--help"], .help(nil)), (["-h"], .help(nil)), (["help"], .help(nil)),
            (["--version"], .version), (["-V"], .version),
            (["help", "push"], .help(Commands.push)),
            (["--help-all"], .helpAll(nil)),
            (["push", "--help"], .help(Commands.push)),
            (["push", "--help-all"], .helpAll(Commands.push)),
            (["push", "-h", "--help-all"], .helpAll(Commands.push)),
            (["push", "--", "--help-all"], nil),
            (["push", "-h"], .help(Commands.push)),
            (["send", "--nonsense", "a", "--lanes", "0", "--help"], .help(Commands.send)),
        ] as [([String], Invocation?)])
    func help(words: [String], expected: Invocation?) throws {
        let invocation = try ArgumentParser().parse(words)
        if let expected {
            #expect(invocation == expected)
        } else if case .run = invocation {
        } else {
            Issue.record("\(invocation)")
        }
    }

    /// 2,000 lines from a vocabulary of everything that has a meaning, and some that has none.
    @Test func `any words are either understood or refused`() {
        var generator = SplitMix64(state: 17)
        let names = Commands.all.flatMap { $0.options.map { "--\($0.name)" } }
        let values = [
            "", "-", "--", "=", "--=", "-=", "---", "-h=", "0", "1", "1.", ".", "..", "1..2",
            "1s..",
            "+", "+1s", "a=b", "=b", ",", "a,", "tab", "[", "[]", "[::1]:1", "://", "https://",
            "http://[",
            "lognormal:", "lognormal:p50=", "1/", "/s", "-5", "é", "\u{301}", "\u{0}", "'", "{",
            "{}",
            "2026-12-01T09:00:00Z", "99999999999999999999999", "simulator", "csv",
        ]
        var understood = 0
        for _ in 0..<2_000 {
            let command = Commands.all[generator.below(Commands.all.count)]
            var words = [command.name]
            for _ in 0..<generator.below(5) {
                let name = names[generator.below(names.count)]
                let value = values[generator.below(values.count)]
                switch generator.below(4) {
                case 0: words.append("\(name)=\(value)")
                case 1: words += [name, value]
                case 2: words.append(value)
                default: words.append(name + value)
                }
            }
            do throws(UsageError) {
                _ = try ArgumentParser().parse(words)
                understood += 1
            } catch {
                #expect(error.description.hasPrefix("fanfare \(command.name): "))
            }
        }
        #expect(understood > 100)
    }

    @Test func `an accessor of the wrong type is a bug`() async {
        await #expect(processExitsWith: .failure) {
            guard case .run(let arguments) = try ArgumentParser().parse(["send"]) else { return }
            _ = arguments.flag("topic")
        }
        await #expect(processExitsWith: .failure) {
            guard case .run(let arguments) = try ArgumentParser().parse(["send"]) else { return }
            _ = arguments.has("speed")
        }
    }
}

/// A small generator with a seed, so that a failure can be repeated.
private struct SplitMix64 {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
