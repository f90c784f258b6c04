import Fanfare
import FanfareBase
import FanfareSimulator
import Testing

@testable import FanfareCLI

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
        #expect(arguments.text(Options.topic) == "t")
        #expect(arguments[Options.strict])
        #expect(!arguments[Options.overwrite])
        #expect(!arguments.has(Options.overwrite))
    }

    @Test func `two dashes end the options`() throws {
        let arguments = try run("send", "--strict", "--", "--topic", "--", "--help")
        #expect(arguments.positionals == ["--topic", "--", "--help"])
    }

    @Test func `an equals sign joins a value, which may be empty or hold others`() throws {
        let arguments = try run("send", "--title=", "--body=a=b", "--sound", "")
        #expect(arguments.text(Options.title) == "")
        #expect(arguments.text(Options.body) == "a=b")
        #expect(arguments.text(Options.sound) == "")
    }

    @Test func `a value may begin with a dash`() throws {
        let arguments = try run("send", "--title", "-- Sale --", "--report", "-", "--body=--strict")
        #expect(arguments.text(Options.title) == "-- Sale --")
        #expect(arguments.text(Options.report) == "-")
        #expect(arguments.text(Options.body) == "--strict")
    }

    @Test func `of a single value the last one counts`() throws {
        let arguments = try run("send", "--lanes", "1", "--lanes=2", "--strict", "--no-strict")
        #expect(arguments[Options.lanes] == 2)
        #expect(arguments.has(Options.strict) && !arguments[Options.strict])
    }

    @Test func `a flag that is called no takes its name back`() throws {
        let arguments = try run("send", "--no-validate", "--validate")
        #expect(arguments.has(Options.noValidate) && !arguments[Options.noValidate])
    }

    @Test func `of repeated values all count`() throws {
        let arguments = try run("send", "--map", "token=a=b", "--map=id=c")
        let pairs = arguments[Options.map]
        #expect(pairs.map(\.key) == ["token", "id"])
        #expect(pairs.map(\.value) == ["a=b", "c"])
    }

    @Test func `a value that may be left out is taken only if it can be one`() throws {
        let bare = try run("send", "--deduplicate", "rows.csv")
        #expect(bare.text(Options.deduplicate) == "first")
        #expect(bare.positionals == ["rows.csv"])
        let given = try run("send", "rows.csv", "--deduplicate", "last")
        #expect(given.text(Options.deduplicate) == "last")
        #expect(given.positionals == ["rows.csv"])
        #expect(try run("send", "--deduplicate=last", "first").positionals == ["first"])
        #expect(try run("send", "--deduplicate", "--strict").text(Options.deduplicate) == "first")
        #expect(try run("send", "--deduplicate").text(Options.deduplicate) == "first")
        #expect(throws: UsageError.self) { _ = try run("send", "--deduplicate=both") }
    }

    @Test func `typed values come as their types`() throws {
        let arguments = try run(
            "send", "--format", "csv", "--delimiter", "tab", "--badge", "0",
            "--relevance-score", "0.5", "--timeout", "1.5s", "--carry", "name, segment",
            "--expiration", "+1h", "--endpoint", "https://[::1]:8443")
        #expect(arguments[Options.format] == .csv)
        #expect(arguments[Options.delimiter] == 9)
        #expect(arguments[Options.badge] == "0")
        #expect(arguments[Options.relevanceScore] == 0.5)
        #expect(arguments[Options.timeout] == .milliseconds(1500))
        #expect(arguments[Options.connectTimeout] == nil)
        #expect(arguments[Options.carry] == ["name", "segment"])
        #expect(arguments[Options.expiration] == .after(.seconds(3600)))
        #expect(arguments[Options.endpoint].general == Endpoint(host: "::1", port: 8443))

        let simulator = try run("simulate", "--listen", "127.0.0.1:0", "--latency", "0ms")
        #expect(simulator[Options.Simulate.listen] == HostPort(host: "127.0.0.1", port: 0))
        #expect(simulator[Options.Simulate.latency] == LatencyModel.none)
    }

    @Test(
        "help and version are asked for in the usual ways",
        arguments: [
            (["--help"], .help(nil)), (["-h"], .brief(nil)), (["help"], .help(nil)),
            (["--version"], .version), (["-V"], .version),
            (["help", "push"], .help(Commands.push)),
            (["help", "cluster", "status"], .help(Commands.cluster)),
            (["help", "cluster", "write-off"], .help(Commands.cluster)),
            (["help", "provider", "try"], .help(Commands.provider)),
            (["push", "--help"], .help(Commands.push)),
            (["push", "-h", "--help"], .help(Commands.push)),
            (["push", "--", "--help"], nil),
            (["push", "-h"], .brief(Commands.push)),
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

    @Test func `what is not given has its default`() throws {
        let send = try run("send")
        #expect(send[Options.adaptive] && !send[Options.strict])
        #expect(send[Options.quotes] == .checked)
        #expect(send[Options.map].isEmpty)
        #expect(send[Options.rate].general == nil)
        #expect(try run("generate")[Options.Generate.count] == 1000)
    }

    @Test func `an option of another command is a bug, unless it may be missing`() async throws {
        #expect(try run("check")[ifOffered: Options.metrics] == nil)
        #expect(try run("check")[ifOffered: Options.adaptive])
        await #expect(processExitsWith: .failure) {
            guard case .run(let arguments) = try ArgumentParser().parse(["send"]) else { return }
            _ = arguments[Options.Simulate.listen]
        }
        await #expect(processExitsWith: .failure) {
            let words = ["generate", "--format", "csv"]
            guard case .run(let arguments) = try ArgumentParser().parse(words) else { return }
            _ = arguments[Option("format", .value(.text), .general, "A text")]
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
