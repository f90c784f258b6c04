/// `fanfare completions`: a script that makes a shell complete our command lines.
enum CompletionsCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        let names = Shell.allCases.map(\.rawValue)
        guard arguments.positionals.count == 1 else {
            throw arguments.fault("one shell at a time; write \(names.joined(last: " or "))")
        }
        let name = arguments.positionals[0]
        guard let shell = Shell(rawValue: name) else {
            let advice = Suggestion.question(name, among: names).map { "; \($0)" } ?? ""
            throw arguments.fault(
                "\(name.quotedForMessage) is none of \(names.joined(last: " and "))\(advice)")
        }
        Terminal.print(shell.script())
        return 0
    }
}
