/// Variables of the environment that are named as those of options are, and belong to none.
///
/// A mistyped one would leave a job at night without its rate. So one that resembles an option's is refused, as a
/// key of a file is, and any other is named: it may be of another program, which is called with this one.
enum UnknownVariables {
    private static let prefix = "FANFARE_"

    /// Variables that are ours, and set no option.
    private static let others = Set(JobEnd.variableNames + ["FANFARE_CORE_DUMPS"])

    /// Finds them.
    /// - Parameters:
    ///   - command: The command, whose options come first in advice.
    ///   - commands: All commands.
    ///   - surroundings: The environment.
    /// - Returns: Their names, in order.
    /// - Throws: `UsageError` about one that resembles the variable of an option.
    static func find(
        _ command: CommandSpec, among commands: [CommandSpec], in surroundings: Surroundings
    ) throws(UsageError) -> [String] {
        let own = variables(of: command.options)
        let all = own + variables(of: commands.flatMap(\.options))
        let known = others.union(all)
        let unknown = surroundings.names().filter { $0.hasPrefix(prefix) && !known.contains($0) }
            .sorted()
        for name in unknown {
            var near = nearest(to: name, among: own)
            if near.isEmpty { near = nearest(to: name, among: all) }
            guard let question = Suggestion.question(near) else { continue }
            throw UsageError(
                command: command.name, "\(name.shownInMessage) sets no option; \(question)")
        }
        return unknown
    }

    private static func nearest(to name: String, among variables: [String]) -> [String] {
        // The prefix, which all of them have, would make short names near to each other.
        let names = variables.map { String($0.dropFirst(prefix.count)) }
        return Suggestion.nearest(to: String(name.dropFirst(prefix.count)), among: names)
            .map { prefix + $0 }
    }

    private static func variables(of options: [OptionSpec]) -> [String] {
        var names: [String] = []
        for option in options where option.isFromEnvironment {
            names += ([option.name] + [option.negation].compactMap(\.self))
                .map(OptionOrigin.variable)
        }
        return names
    }
}
