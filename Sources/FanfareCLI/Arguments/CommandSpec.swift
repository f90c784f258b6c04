/// One command: its name, its options and arguments, its help, and its action.
package struct CommandSpec: Sendable {
    package let name: String
    /// One line that fits alone in a list; no full stop at its end.
    package let summary: String
    /// The command line without `fanfare` and the name, once for each way to use it.
    package let usage: [String]
    package let positional: PositionalSpec?
    /// The options of its own, and then those that every command has.
    package let options: [OptionSpec]
    /// True if a file and the environment may give its options: the command sends or serves.
    ///
    /// Other commands have few options, with other meanings.
    package let takesConfiguration: Bool
    package let examples: [ExampleSpec]
    /// Does its work, and returns the process's exit code.
    let run: @Sendable (ParsedArguments) throws(CommandError) -> Int32

    package init(
        _ name: String, _ summary: String, usage: [String], positional: PositionalSpec? = nil,
        options: [any AnyOption], examples: [ExampleSpec],
        run: @escaping @Sendable (ParsedArguments) throws(CommandError) -> Int32
    ) {
        self.name = name
        self.summary = summary
        self.usage = usage
        self.positional = positional
        takesConfiguration = options.contains {
            $0.spec.group == .headers || $0.spec.group == .server
        }
        let all = options + (takesConfiguration ? Options.configuration : [])
        self.options = all.map(\.spec)
        self.examples = examples
        self.run = run
    }

    /// The option of a long name, without its dashes.
    package func option(named name: String) -> OptionSpec? {
        options.first { $0.name == name }
    }

    /// True if a word is one of those with which the ways to use the command begin, as `list` is in `list SERVER`.
    func hasAction(_ word: String) -> Bool {
        usage.contains { way in
            way.prefix { $0 != " " }.split(separator: "|").contains { $0 == word }
        }
    }

    /// The options in the short help: those that most people need.
    ///
    /// A command without marked options has few options, and the short help shows all of them.
    package var commonOptions: [OptionSpec] {
        let marked = options.filter(\.isCommon)
        guard marked.allSatisfy({ $0.group == .general }) else { return marked }
        return options.filter { $0.isCommon || $0.group != .general }
    }
}

extension CommandSpec: Equatable {
    /// A name is one command's.
    package static func == (left: CommandSpec, right: CommandSpec) -> Bool {
        left.name == right.name
    }
}

/// The arguments of a command that are not options; there is one kind at most.
package struct PositionalSpec: Sendable, Equatable {
    /// Its name in the help: `ROWS`.
    package let placeholder: String
    /// Its name in messages: "a file of rows".
    package let noun: String
    package let summary: String
    package let countMin: Int
    /// The words that a shell may offer in its place.
    package let candidates: Candidates
    /// True if it is a server's URL, which stands for `--endpoint`, and with a path for `--path`
    /// too.
    package let isServer: Bool

    package init(
        _ placeholder: String, noun: String, countMin: Int,
        candidates: Candidates = .files(endings: []), isServer: Bool = false, _ summary: String
    ) {
        self.placeholder = placeholder
        self.noun = noun
        self.countMin = countMin
        self.candidates = candidates
        self.isServer = isServer
        self.summary = summary
    }
}

/// A command line that works, and why one would type it.
package struct ExampleSpec: Sendable, Equatable {
    package let purpose: String
    /// The words after `fanfare`, as the shell would hand them over.
    package let words: [String]

    package init(_ purpose: String, _ words: String...) {
        self.purpose = purpose
        self.words = words
    }
}
