import Fanfare

extension ParsedArguments {
    /// Holds the number of arguments against the table.
    func checkPositionals() throws(UsageError) {
        guard let positional = command.positional else {
            guard let first = positionals.first else { return }
            throw UsageError(
                command: command.name,
                "\(first.quotedForMessage) is too much; the command takes options only")
        }
        if positionals.count < positional.countMin {
            throw UsageError(
                command: command.name,
                "\(positional.noun) is missing; write fanfare \(command.name) "
                    + "\(positional.placeholder)")
        }
    }

    /// Checks the options against the `needs` and `excludes` of the table.
    ///
    /// An option that would be without effect is refused, because its writer believes that it has
    /// one.
    func checkCombinations() throws(UsageError) {
        for option in command.options where isInForce(option) {
            for excluded in option.excludes where isForAll(option) && isMet(excluded) {
                throw UsageError(
                    command: command.name,
                    "\(label(option.name)) and \(label(excluded)) exclude each other; "
                        + "write one of them")
            }
            let missing = option.needs.filter { !isMet($0) }
            if !missing.isEmpty {
                let list = missing.map(Self.label).joined(last: " and ")
                throw UsageError(
                    command: command.name, "\(label(option.name)) needs \(list) as well")
            }
        }
        try checkInsecure()
    }

    /// Holds the one rule that looks into a value: no command skips the check of a certificate on a
    /// way that others can listen to.
    private func checkInsecure() throws(UsageError) {
        guard self[ifOffered: Options.insecure] else { return }
        let endpoints = self[ifOffered: Options.endpoint]
        let isForeign = (Provider.allCases + endpoints.providers).contains { provider in
            guard let endpoint = endpoints[provider] else { return false }
            return !HostPort(host: endpoint.host, port: endpoint.port).isLoopback
        }
        guard isForeign else { return }
        throw error(
            Options.insecure,
            "only for an --endpoint on a loopback address; give its certificate with --ca-file")
    }

    /// True if an option is set for all providers, and not only for one of them by a file.
    private func isForAll(_ option: OptionSpec) -> Bool {
        option.form != .routeFile
            || texts(option).contains { RouteLead.split($0).provider == nil }
    }

    func isInForce(_ option: OptionSpec) -> Bool {
        setting(option)?.isInForce == true
    }

    /// True if a condition of the form `name` or `name=value` holds.
    func isMet(_ condition: String) -> Bool {
        let parts = condition.split(separator: "=", maxSplits: 1).map(String.init)
        guard let option = command.option(named: parts[0]), isInForce(option) else { return false }
        guard parts.count == 2 else { return true }
        // Of a list one word is enough.
        return text(option)?.split(separator: ",").contains { $0 == parts[1] } ?? false
    }

    /// Returns the name of an option or a condition `name=value` as its origin writes it.
    private func label(_ condition: String) -> String {
        let parts = condition.split(separator: "=", maxSplits: 1).map(String.init)
        guard let option = command.option(named: parts[0]), origin(of: option) != .commandLine
        else {
            return "--\(condition)"
        }
        return origin(of: option).label(option.name)
    }

    /// Returns a condition as a command line writes it.
    private static func label(_ condition: String) -> String {
        let parts = condition.split(separator: "=", maxSplits: 1)
        return "--" + parts.joined(separator: " ")
    }
}
