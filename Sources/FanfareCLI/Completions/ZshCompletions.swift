import FanfareBase

/// The script for zsh: specifications for its `_arguments`.
///
/// Source: zshcompsys(1)
struct ZshCompletions {
    private let commands: [CommandSpec]

    init(_ commands: [CommandSpec]) {
        self.commands = commands
    }

    var text: String {
        """
        #compdef fanfare
        # What zsh offers behind fanfare; made by 'fanfare completions zsh'.

        _fanfare_commands() {
            local -a commands=(
        \(list)
            )
            _describe -t commands command commands
        }

        _fanfare() {
            local curcontext="$curcontext" state line ret=1
            typeset -A opt_args
            _arguments -C \\
        \(Self.lines(Options.ofTool.flatMap(Self.specifications)))
                '1: :_fanfare_commands' \\
                '*:: :->arguments' && ret=0
            if [[ $state != arguments ]]; then return ret; fi
            curcontext="${curcontext%:*:*}:fanfare-$line[1]:"
            case $line[1] in
        \(cases)
            esac
            return ret
        }

        if [[ $funcstack[1] == _fanfare ]]; then
            _fanfare "$@"
        else
            compdef _fanfare fanfare
        fi

        """
    }

    private var list: String {
        commands.map {
            "        " + "\($0.name):\($0.summary.onOneLine.escaping("\\"))".singleQuoted
        }.joined(separator: "\n")
    }

    private var cases: String {
        commands.map { command in
            var specifications = command.options.flatMap(Self.specifications)
            if let positional = command.positional {
                specifications.append(
                    "*:\(Self.message(positional.placeholder)):\(Self.action(command.candidates))"
                        .singleQuoted)
            }
            let lines = specifications.map { " \\\n            \($0)" }.joined()
            return "    (\(command.name.singleQuoted))\n        _arguments -S :\(lines) && ret=0\n"
                + "        ;;"
        }.joined(separator: "\n")
    }

    private static func lines(_ specifications: [String]) -> String {
        specifications.map { "        \($0) \\" }.joined(separator: "\n")
    }

    /// One specification for each of an option's labels.
    private static func specifications(_ option: OptionSpec) -> [String] {
        let summary = option.summary.onOneLine.escaping("\\[]:")
        if let placeholder = option.placeholder {
            var (once, colon) = ("", ":")
            if option.arity.isList { once = "*" }
            // Two colons make it a value that may be left out.
            if case .optional = option.arity { colon = "::" }
            let value = "\(message(placeholder)):\(action(option.candidates))"
            return ["\(once)--\(option.name)=[\(summary)]\(colon)\(value)".singleQuoted]
        }
        let undone = option.negation.map { ["--\($0)[Undo --\(option.name)]".singleQuoted] } ?? []
        guard let short = option.short else {
            return ["--\(option.name)[\(summary)]".singleQuoted] + undone
        }
        return ["-\(short)", "--\(option.name)"].map {
            "(-\(short) --\(option.name))\($0)[\(summary)]".singleQuoted
        } + undone
    }

    private static func message(_ placeholder: String) -> String {
        let text = placeholder.onOneLine.escaping("\\:")
        return text.isEmpty ? " " : text
    }

    private static func action(_ candidates: Candidates) -> String {
        switch candidates {
        case .none: return " "
        case .words(let words):
            return "("
                + words.map { $0.onOneLine.singleQuoted.escaping(":") }.joined(separator: " ")
                + ")"
        case .files(let endings):
            guard !endings.isEmpty else { return "_files" }
            let globs = endings.map { $0.escaping("\\*?[]()|~^#<>'\" ") }
            let glob = globs.count == 1 ? "*\(globs[0])" : "*(\(globs.joined(separator: "|")))"
            return "_files -g \"\(glob)(-.)\"".escaping(":")
        }
    }
}
