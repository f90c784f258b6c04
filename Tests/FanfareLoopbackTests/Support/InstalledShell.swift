import FanfareCLI
import FanfareTestSupport
import Foundation
import Testing

/// A shell of the system that completes command lines with our script.
struct InstalledShell: Sendable {
    let shell: Shell
    let folder: TemporaryFolder

    init(_ shell: Shell, script: String) throws {
        self.shell = shell
        folder = try TemporaryFolder()
        try folder.write(script, to: "fanfare.\(shell.rawValue)")
        try folder.write(Self.drivers[shell] ?? "", to: "driver")
        try folder.write(Self.inner, to: "inner")
    }

    /// True if a shell can be tested; see `ServerProcess.Program`.
    static func isAvailable(_ shell: Shell) -> Bool {
        Executable.path(shell.rawValue) != nil
            || ProcessInfo.processInfo.environment["FANFARE_REQUIRE_SERVERS"] == "1"
    }

    /// The shell's offers at the end of a line, without descriptions and quotes.
    ///
    /// bash gets the line in the words that it would break it into.
    func offers(_ line: String) throws -> Set<String> {
        Set(try lines(line).map { String($0.prefix { $0 != "\t" }) })
    }

    /// The same, each with a tab and its description behind it where the shell shows one.
    func lines(_ line: String) throws -> [String] {
        let program = Executable.path(shell.rawValue) ?? shell.rawValue
        let name = UUID().uuidString
        let plain = shell == .bash ? ["--norc"] : shell == .zsh ? ["-f"] : ["--no-config"]
        let process = try ChildProcess(
            program, plain + ["driver"] + (shell == .bash ? Self.words(line) : [line]),
            output: folder.path(name + ".out"), errors: folder.path(name + ".err"),
            directory: folder.path)
        let status = process.waitUntilExit()
        #expect(status == 0, "\(shell) says: \(folder.text(of: name + ".err"))")
        #expect(folder.text(of: name + ".err") == "")
        // A terminal ends its lines in its own way, and folders have a slash in some shells.
        let text = folder.text(of: name + ".out").replacing("\r\n", with: "\n")
        return text.split(separator: "\n").map {
            String($0).replacing(/\/(?=\t|$)/, with: "").replacing(#"\ "#, with: " ")
        }
    }

    /// readline breaks at blanks and before and behind an equals sign.
    private static func words(_ line: String) -> [String] {
        line.split(separator: " ", omittingEmptySubsequences: false).flatMap { word -> [String] in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 1 { return [String(word)] }
            return parts[1].isEmpty
                ? [String(parts[0]), "="] : [String(parts[0]), "=", String(parts[1])]
        }
    }

    private static let drivers: [Shell: String] = [
        .bash: """
        source ./fanfare.bash || exit
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _fanfare
        printf '%s\\n' "${COMPREPLY[@]}"
        """,
        .fish: """
        source ./fanfare.fish; or exit
        complete -C $argv[1]
        """,
        // zsh completes only while a line is edited, so there is a terminal, and an interactive shell
        // in it whose compadd tells what it is given.
        .zsh: #"""
        zmodload zsh/zpty || exit
        zpty -b editor zsh -f -i
        zpty -w editor 'source ./inner; print rea''dy'
        zpty -r -m editor line '*ready*' || exit
        zpty -w -n editor "$1"$'\t'
        zpty -r -m editor line $'*<offers>*</offers>*' || exit
        line=${line#*<offers>} line=${line%%</offers>*}
        print -r -- "$line"
        zpty -d editor
        """#,
    ]

    /// The commands that the inner zsh of the driver runs first.
    private static let inner = #"""
        PROMPT= PROMPT2= RPROMPT=
        unsetopt prompt_cr prompt_sp
        # A description is cut off at the width, and stands apart where two are the same.
        stty cols 500 rows 100
        zstyle ':completion:*' list-grouped no
        autoload -U compinit && compinit -u -C -d ./dump
        source ./fanfare.zsh
        bindkey '^I' complete-word
        compprefuncs=( begin-offers ) comppostfuncs=( end-offers )
        begin-offers() { print -rn -- '<offers>' }
        end-offers() { print -rn -- '</offers>' }
        compadd() {
            # Those that only fill an array are passed on.
            if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
                builtin compadd "$@"
                return
            fi
            typeset -a hits texts given
            if (( $@[(I)-d] )); then
                given=${@[$[${@[(i)-d]}+1]]}
                if [[ $given == \(* ]]; then eval "texts=$given"; else texts=( "${(@P)given}" ); fi
            fi
            builtin compadd -A hits -D texts "$@"
            local index
            for index in {1..$#hits}; do
                (( $#hits )) || break
                print -r -- "$IPREFIX$hits[index]"$'\t'"$texts[index]"
            done
            builtin compadd "$@"
        }
        """#
}
