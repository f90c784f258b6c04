import FanfareCLI

/// A command line in surroundings that a test makes up.
struct ConfigurationCase {
    var file = "{}"
    var path = "config.json"
    var variables: [String: String] = [:]

    func parse(_ words: [String]) throws(UsageError) -> Invocation {
        let (file, path, variables) = (file, path, variables)
        let surroundings = Surroundings(
            names: { variables.filter { !$0.value.isEmpty }.map(\.key) },
            variable: { variables[$0] },
            contents: { (asked) throws(Surroundings.Unreadable) in
                guard asked == path else {
                    throw Surroundings.Unreadable("no such file or directory")
                }
                return Array(file.utf8)
            })
        return try ArgumentParser(surroundings: surroundings).parse(words)
    }

    func run(_ words: String...) throws -> ParsedArguments {
        guard case .run(let arguments) = try parse(words) else { throw NotRun() }
        return arguments
    }

    /// The file that `--print-config` writes.
    func print(_ words: String...) throws -> String {
        guard case .printConfiguration(let arguments) = try parse(words + ["--print-config"])
        else { throw NotRun() }
        return arguments.configurationJSON(folder: "/srv/")
    }

    /// The message of a command line that is refused.
    func refusal(_ words: [String]) -> String? {
        do throws(UsageError) {
            _ = try parse(words)
            return nil
        } catch {
            return error.description
        }
    }

    struct NotRun: Error {}
}
