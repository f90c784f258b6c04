import FanfareBase

/// The script for bash: one function, and its offers in lists of quoted words.
///
/// bash shows no descriptions. It hands over the typed text in words that it also breaks at `=`.
struct BashCompletions {
    private let commands: [CommandSpec]

    init(_ commands: [CommandSpec]) {
        self.commands = commands
    }

    var text: String {
        """
        # What bash offers behind fanfare; made by 'fanfare completions bash'.

        # Offers those of some words that begin like the current one.
        _fanfare_words() {
            local word
            for word in "$@"; do
                if [[ $word == "$current"* ]]; then
                    printf -v word '%q' "$word"
                    COMPREPLY+=("$word")
                fi
            done
        }

        # Offers folders and files with one of some endings; without an ending, or a match, all files.
        _fanfare_files() {
            local path ending all=()
            compopt -o filenames 2>/dev/null
            mapfile -t all < <(compgen -f -- "$current")
            for path in "${all[@]}"; do
                if [[ -d ${path/#\\~/$HOME} ]]; then
                    COMPREPLY+=("$path")
                    continue
                fi
                for ending in "$@"; do
                    if [[ $path == *"$ending" ]]; then
                        COMPREPLY+=("$path")
                        break
                    fi
                done
            done
            if (( $# == 0 || ${#COMPREPLY[@]} == 0 )); then COMPREPLY=("${all[@]}"); fi
        }

        # Offers what may stand behind an option; fails where the word before is none with a value.
        _fanfare_value() {
            case "$command $1" in
        \(values)
            *) return 1 ;;
            esac
        }

        _fanfare() {
            local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
            local command=${COMP_WORDS[1]} label='' index
            COMPREPLY=()
            if (( COMP_CWORD == 1 )); then
                _fanfare_words \(first)
                return
            fi
            for (( index = 2; index < COMP_CWORD; index++ )); do
                if [[ ${COMP_WORDS[index]} == -- ]]; then
                    _fanfare_arguments
                    return
                fi
            done
            if [[ $current == --*=* ]]; then
                label=${current%%=*} current=${current#*=}
                _fanfare_value "$label"
                COMPREPLY=("${COMPREPLY[@]/#/$label=}")
                return
            elif [[ $current == '=' ]]; then
                label=$before current=''
            elif [[ $before == '=' ]]; then
                label=${COMP_WORDS[COMP_CWORD-2]}
            else
                label=$before
            fi
            if _fanfare_value "$label"; then return; fi
            if [[ $current != -* ]]; then
                _fanfare_arguments
                return
            fi
            case $command in
        \(options)
            esac
        }

        # Offers what may stand beside the options.
        _fanfare_arguments() {
            case $command in
        \(arguments)
            esac
        }

        complete -F _fanfare fanfare

        """
    }

    private var first: String {
        Self.list(commands.map(\.name) + Options.ofTool.flatMap(\.labels))
    }

    private var options: String {
        lines { command in
            let labels = command.options.flatMap(\.labels)
            return labels.isEmpty ? nil : "_fanfare_words \(Self.list(labels))"
        }
    }

    private var arguments: String { lines { Self.offer($0.candidates) } }

    private func lines(_ action: (CommandSpec) -> String?) -> String {
        commands.compactMap { command in
            action(command).map { "    \(command.name.singleQuoted)) \($0) ;;" }
        }.joined(separator: "\n")
    }

    private var values: String {
        commands.flatMap { command in
            command.options.filter { $0.type != nil }.map { option in
                let label = "\(command.name) --\(option.name)".singleQuoted
                return "    \(label)) \(Self.offer(option.candidates) ?? "true") ;;"
            }
        }.joined(separator: "\n")
    }

    private static func offer(_ candidates: Candidates) -> String? {
        switch candidates {
        case .none: nil
        case .words(let words): "_fanfare_words \(list(words))"
        case .files(let endings): "_fanfare_files \(list(endings))".trimmed
        }
    }

    private static func list(_ words: [String]) -> String {
        words.map(\.onOneLine.singleQuoted).joined(separator: " ")
    }
}
