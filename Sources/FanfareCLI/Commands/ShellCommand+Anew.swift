import FanfareBase

/// The commands of a new job that leaves out those whom an earlier one has reached.
extension ShellCommand {
    /// The outcomes of those who have a message, or may have it, or can have none.
    private static let reached = "outcome=accepted,unregistered,unknown"

    /// Returns the commands that list whom an earlier job has reached, and send to all others.
    /// - Parameters:
    ///   - program: The name that the program was called by.
    ///   - arguments: The arguments that it received.
    ///   - report: The report of the earlier job.
    /// - Returns: The commands in their order; none if the job is shared with other machines, which have
    ///   reports of their own.
    static func beginningAnew(
        _ program: String, _ arguments: ParsedArguments, besides report: String
    ) -> [String] {
        let options = arguments.command.options
        guard !options.contains(where: { shared.contains($0.name) && arguments.has($0) })
        else { return [] }
        let list = reachedList(of: report)
        var words = [program, arguments.command.name] + arguments.positionals.map(withoutDash)
        for option in options {
            if [Options.resume.name, Options.overwrite.name].contains(option.name) { continue }
            if written.contains(option.name) {
                appendAgain(option, arguments, to: &words)
            } else if option.name == Options.suppress.name
                || arguments.origin(of: option) == .commandLine || isToBeSaid(option, arguments)
            {
                // A list that is said takes the place of those that a file of options says.
                append(option, arguments.setting(option), to: &words)
            }
        }
        append(Options.suppress.name, list, to: &words)
        let listing = listing(program, of: [report], reached, columns: ["token"])
        return [
            listing + " --output " + list.quotedForShell,
            withoutAddresses(words).map(\.quotedForShell).joined(separator: " "),
        ]
    }

    /// A name beside the report: `day-reached.csv` for `day.csv.gz`.
    private static func reachedList(of report: String) -> String {
        var path = report
        for ending in [".gz", ".zst", ".csv", ".ndjson"] where path.hasSuffix(ending) {
            path.removeLast(ending.count)
        }
        return withoutDash(path + "-reached.csv")
    }
}
