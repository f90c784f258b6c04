import Testing

@testable import FanfareCLI

/// The rules for every line of the tables, those that will be added included.
@Suite struct OptionTableTests {
    private static let pairs = Commands.all.flatMap { command in
        command.options.map { (command.name, $0.name) }
    }

    private func spec(_ pair: (String, String)) throws -> (CommandSpec, OptionSpec) {
        let command = try #require(Commands.all.first { $0.name == pair.0 })
        return (command, try #require(command.option(named: pair.1)))
    }

    @Test(arguments: Commands.all.map(\.name))
    func `names are unique within a command, negations and letters included`(
        name: String
    ) throws {
        let command = try #require(Commands.all.first { $0.name == name })
        let names = command.options.flatMap { [$0.name] + [$0.negation].compactMap(\.self) }
        #expect(Set(names).count == names.count)
        let letters = command.options.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
    }

    @Test(arguments: pairs)
    func `an option has a name in kebab-case and a summary of one line`(
        pair: (String, String)
    ) throws {
        let (_, option) = try spec(pair)
        let parts = option.name.split(separator: "-", omittingEmptySubsequences: false)
        #expect(
            parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy {
                        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0)
                    }
            })
        #expect((10...80).contains(option.summary.utf8.count))
        #expect(!option.summary.hasSuffix(".") && !option.summary.contains("\n"))
        #expect(option.summary.first?.isLowercase == false)
        #expect(option.detail?.hasSuffix(".") ?? true)
    }

    @Test(arguments: pairs)
    func `an option with a value has an example that its type accepts`(
        pair: (String, String)
    ) throws {
        let (_, option) = try spec(pair)
        if let type = option.type {
            let example = try #require(option.example)
            _ = try type.read(example)
            #expect(option.placeholder?.isEmpty == false)
        } else {
            #expect(option.example == nil && option.defaultText == nil)
        }
    }

    @Test(arguments: pairs)
    func `needs and exclusions name options and words of the same command`(
        pair: (String, String)
    ) throws {
        let (command, option) = try spec(pair)
        for condition in option.needs + option.excludes {
            let parts = condition.split(separator: "=").map(String.init)
            let other = try #require(command.option(named: parts[0]), "\(condition)")
            if parts.count == 2 { _ = try #require(other.type).read(parts[1]) }
        }
    }

    /// `--needs` of the option are added, because the parser asks for them.
    @Test(arguments: pairs)
    func `every option is accepted by the parser in each of its forms`(
        pair: (String, String)
    ) throws {
        let (command, option) = try spec(pair)
        guard !["help", "print-config"].contains(option.name) else { return }
        let rest = try needed(by: option, in: command)
        let tail = rest + (needsWords(command) ? ["--", "-"] : [])
        let forms: [[String]] =
            if let example = option.example {
                [["--\(option.name)", example], ["--\(option.name)=\(example)"]]
            } else {
                [["--\(option.name)"]]
            }
        for form in forms {
            let invocation = try Self.parser.parse([command.name] + form + tail)
            guard case .run(let arguments) = invocation else {
                Issue.record("\(form) did not run")
                continue
            }
            if let type = option.type, let example = option.example {
                #expect(arguments.setting(option) == .values([try GivenValue(example, type)]))
            } else {
                #expect(arguments.setting(option) == .flag(true))
            }
        }
        if let negation = option.negation {
            let words = [command.name, "--\(option.name)", "--\(negation)"]
            let tail = needsWords(command) ? ["-"] : []
            guard case .run(let arguments) = try ArgumentParser().parse(words + tail) else {
                return
            }
            #expect(arguments.setting(option) == .flag(false))
        }
    }

    private func needsWords(_ command: CommandSpec) -> Bool {
        (command.positional?.countMin ?? 0) > 0
    }

    /// With a file that has the profile of the example.
    private static let parser = ArgumentParser(
        surroundings: Surroundings(
            variable: { _ in nil },
            contents: { _ in Array(#"{"profiles": {"staging": {}}}"#.utf8) }))

    private func needed(by option: OptionSpec, in command: CommandSpec) throws -> [String] {
        var words: [String] = []
        var open = option.needs
        var seen: Set = [option.name]
        while let condition = open.popLast() {
            let parts = condition.split(separator: "=").map(String.init)
            guard seen.insert(parts[0]).inserted else { continue }
            let other = try #require(command.option(named: parts[0]))
            words.append("--\(other.name)")
            if let example = parts.count == 2 ? parts[1] : other.example { words.append(example) }
            open += other.needs
        }
        return words
    }

    @Test(arguments: Commands.all.map(\.name))
    func `every example of a command is accepted by the parser`(name: String) throws {
        let command = try #require(Commands.all.first { $0.name == name })
        #expect(!command.examples.isEmpty)
        for example in command.examples {
            guard case .run(let arguments) = try ArgumentParser().parse(example.words) else {
                Issue.record("\(example.words) did not run")
                continue
            }
            #expect(arguments.command.name == name)
        }
    }
}
