import FanfareBase

/// The command that sends the rows again that a job has given up.
extension ShellCommand {
    /// Options of this job that those rows do not need: they carry it on, share it with other machines, say how its inputs are
    /// read, or choose rows for a canary.
    private static let left =
        ([
            Options.resume, Options.overwrite, Options.encoding, Options.seedList,
            Options.seedWait, Options.seedFailures, Options.fromSQLite, Options.query,
            Options.table,
        ] as [any AnyOption]).map(\.name) + canary + shared

    /// Options of a job that is shared with other machines.
    static let shared =
        ([Options.cluster, Options.clusterJob, Options.workerName] as [any AnyOption]).map(\.name)

    /// Files that the next job would write over.
    static let written = [
        Options.report, Options.unregistered, Options.retryRows, Options.summary, Options.html,
    ].map(\.name)

    /// Returns the command for the rows in the file of `--retry-rows`.
    ///
    /// It repeats the command line with other output files. A file of options and most of the environment apply again by
    /// themselves.
    /// - Parameters:
    ///   - program: The name that the program was called by.
    ///   - arguments: The arguments that it received.
    /// - Returns: The command; nil if there is no such file, or if the next job would be shared by what the
    ///   environment or a file of options says.
    static func retrying(_ program: String, _ arguments: ParsedArguments) -> String? {
        guard let rows = arguments[ifOffered: Options.retryRows], rows != "-" else { return nil }
        let isSharedElsewhere = arguments.command.options.contains { option in
            shared.contains(option.name) && arguments.has(option)
                && arguments.origin(of: option) != .commandLine
        }
        guard !isSharedElsewhere else { return nil }
        var words = [program, arguments.command.name, withoutDash(rows)]
        // Rows of a seed list were sent whether they fit or not, and all that are in the file are to be sent again.
        let isForAll = arguments[ifOffered: Options.seedList] != nil
        for option in arguments.command.options where !left.contains(option.name) {
            if isForAll, option.name == Options.whereRows.name { continue }
            if written.contains(option.name) {
                appendAgain(option, arguments, to: &words)
            } else if arguments.origin(of: option) == .commandLine || isToBeSaid(option, arguments)
            {
                append(option, arguments.setting(option), to: &words)
            }
        }
        return withoutAddresses(words).map(\.quotedForShell).joined(separator: " ")
    }

    /// Appends another name for a file that the next job would write over.
    static func appendAgain(
        _ option: OptionSpec, _ arguments: ParsedArguments, to words: inout [String]
    ) {
        let isReport = option.name == Options.report.name
        guard let path = arguments.text(option) ?? (isReport ? option.defaultText : nil) else {
            return
        }
        let isSplit = isReport && arguments[Options.reportSplit] != nil
        append(option.name, again(path, isSplit: isSplit), to: &words)
    }

    static func append(
        _ option: OptionSpec, _ setting: OptionSetting?, to words: inout [String]
    ) {
        switch setting {
        case nil, .some(.none): break
        case .flag(true): words.append("--" + option.name)
        case .flag(false):
            let isNegative = option.name.hasPrefix("no-")
            words.append(
                "--" + (isNegative ? String(option.name.dropFirst(3)) : "no-" + option.name))
        case .values(let values):
            for value in values { append(option.name, value.text, to: &words) }
        }
    }

    static func append(_ name: String, _ value: String, to words: inout [String]) {
        // A value that begins with a dash could be taken for another option.
        words += value.hasPrefix("-") ? ["--\(name)=\(value)"] : ["--" + name, value]
    }

    /// Returns a name for the same file of the next job: `again-2.csv.gz` for `again.csv.gz`.
    /// - Parameters:
    ///   - path: The file.
    ///   - isSplit: True if the file is split, so that a number behind its name is that of a part.
    /// - Returns: The other name.
    static func again(_ path: String, isSplit: Bool = false) -> String {
        guard path != "-", !path.hasPrefix("/dev/") else { return path }
        let folder = path[..<path.nameIndex]
        var name = path[folder.endIndex...]
        var ending = ""
        for known in [
            ".gz", ".zst", ".csv", ".ndjson", ".json", ".html", ".sqlite3", ".sqlite", ".db",
        ]
        where name.hasSuffix(known) && name.utf8.count > known.utf8.count {
            name = name.dropLast(known.count)
            ending = known + ending
        }
        if isSplit { return folder + name + "-again" + ending }
        if let dash = name.lastIndex(of: "-"), let number = Int(name[name.index(after: dash)...]),
            (2..<1000).contains(number)
        {
            return folder + name[...dash] + "\(number + 1)" + ending
        }
        return folder + name + "-2" + ending
    }
}
