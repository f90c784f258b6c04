/// The script for fish: one `complete` for each option of each command.
struct FishCompletions {
    private let commands: [CommandSpec]

    init(_ commands: [CommandSpec]) {
        self.commands = commands
    }

    var text: String {
        """
        # What fish offers behind fanfare; made by 'fanfare completions fish'.

        # Whether no command stands there yet.
        function __fanfare_begins
            test (count (commandline -opc)) -eq 1
        end

        # Whether a command stands there.
        function __fanfare_runs
            set -l words (commandline -opc)
            test (count $words) -gt 1; and test $words[2] = $argv[1]
        end

        # Folders and files with one of some endings; without an ending, or a match, all files.
        function __fanfare_files
            set -l token (commandline -ct | string replace -r -- '^--[^=]*=' '')
            set -l all (complete -C "__fanfare_none $(string escape -- $token)")
            set -l fitting
            for path in $all
                for ending in / $argv
                    if string match -q -- "*$ending" (string split -f 1 \\t -- $path)
                        set -a fitting $path
                        break
                    end
                end
            end
            if set -q argv[1]; and set -q fitting[1]
                printf '%s\\n' $fitting
            else if set -q all[1]
                printf '%s\\n' $all
            end
        end

        complete -c fanfare -e
        complete -c fanfare -f
        \(lines)

        """
    }

    private var lines: String {
        var lines = commands.map {
            "complete -c fanfare -n __fanfare_begins -a \(Self.quoted($0.name))"
                + " -d \(Self.quoted($0.summary))"
        }
        let begins = "complete -c fanfare -n __fanfare_begins"
        lines += Options.ofTool.flatMap { Self.completions(of: $0, begins) }
        for command in commands {
            let runs = "complete -c fanfare -n \(Self.quoted("__fanfare_runs \(command.name)"))"
            lines += command.options.flatMap { Self.completions(of: $0, runs) }
            if let offer = Self.offer(command.candidates) { lines.append("\(runs) -a \(offer)") }
        }
        return lines.joined(separator: "\n")
    }

    private static func completions(of option: OptionSpec, _ beginning: String) -> [String] {
        var line = "\(beginning) -l \(quoted(option.name))"
        if let short = option.short { line += " -s \(quoted(String(short)))" }
        if option.type != nil {
            line += " -x"
            if let offer = offer(option.candidates) { line += " -a \(offer)" }
        }
        line += " -d \(quoted(option.summary))"
        let undone = option.negation.map {
            ["\(beginning) -l \(quoted($0)) -d \(quoted("Undo --\(option.name)"))"]
        }
        return [line] + (undone ?? [])
    }

    /// The value of `-a`: words, or a command that fish asks when it needs them.
    private static func offer(_ candidates: Candidates) -> String? {
        switch candidates {
        case .none: nil
        case .words(let words): quoted(words.map(quoted).joined(separator: " "))
        case .files(let endings):
            quoted("(" + (["__fanfare_files"] + endings.map(quoted)).joined(separator: " ") + ")")
        }
    }

    /// The text in single quotes of fish, which knows two escapes in them.
    private static func quoted(_ text: String) -> String {
        "'\(text.onOneLine.escaping("\\'"))'"
    }
}
