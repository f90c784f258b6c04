import Fanfare
import FanfareSystem

/// Checks that no output of a command is a file that it reads, or another output.
///
/// It compares the files, not their names: links do not mislead it. It does so before anything is
/// opened.
package enum OutputProtection {
    /// The options that name a file to be written; all other options of files are read.
    static let outputs =
        [
            Options.report.name, Options.unregistered.name, Options.retryRows.name,
            Options.summary.name, Options.html.name, Options.log.name,
            Options.Generate.output.name, Options.Simulate.writeCA.name,
            Options.Simulate.writeServiceAccount.name, Options.control.name,
            Options.metricsFile.name, Options.Bench.out.name,
        ]
    /// The commands whose words are files.
    private static let readers = ["send", "check", "report"]

    private struct Use {
        /// The option that uses it; `nil` for the words of the command line.
        var option: String?
        /// `-` is standard input, which may be a file.
        var path: String

        /// Returns true if the input is this file.
        func isRead(from file: String) -> Bool {
            path == "-"
                ? FileDescriptor.isStandardInput(file) : OutputProtection.areSame(path, file)
        }

        /// The input's name, in words.
        var name: String { path == "-" ? "the file on standard input" : path }
    }

    /// - Throws: `UsageError` that names both options.
    package static func check(_ arguments: ParsedArguments) throws(UsageError) {
        let reads = inputs(of: arguments)
        var written: [Use] = []
        for name in outputs {
            guard let option = arguments.command.option(named: name), option.form == .file,
                let path = arguments.text(option).map(ValueReader.outputFile), path != "-"
            else { continue }
            for file in files(besides: path, option, arguments) {
                if let input = reads.first(where: { $0.isRead(from: file) }) {
                    let reader = input.option.map { "--\($0) reads" } ?? "is read"
                    throw arguments.error(
                        option, "would replace \(input.name), which \(reader); name another file")
                }
                if let other = written.first(where: { areOneOutput($0.path, file) }) {
                    throw arguments.error(
                        "--\(other.option ?? "") and --\(name) name the same file, \(file)")
                }
            }
            written += files(besides: path, option, arguments).map { Use(option: name, path: $0) }
        }
        try checkParts(arguments, reads + written)
    }

    private static func inputs(of arguments: ParsedArguments) -> [Use] {
        var uses: [Use] = []
        if readers.contains(arguments.command.name) {
            uses += arguments.positionals.flatMap {
                DatabaseFiles.isDatabase($0) ? database($0, nil) : [Use(option: nil, path: $0)]
            }
            // Rows come from standard input where nothing else is named.
            if uses.isEmpty, arguments.command.name != "report", !arguments.has(Options.fromSQLite)
            {
                uses.append(Use(option: nil, path: "-"))
            }
        }
        for option in arguments.command.options {
            guard !outputs.contains(option.name) else { continue }
            let paths = arguments.texts(option).flatMap { option.form?.paths(in: $0) ?? [] }
            uses +=
                option.name == Options.fromSQLite.name
                ? paths.flatMap { database($0, option.name) }
                : paths.map { Use(option: option.name, path: $0) }
        }
        return uses
    }

    /// Returns a database's files, including those beside it: the newest rows may be there.
    private static func database(_ path: String, _ option: String?) -> [Use] {
        ([path] + DatabaseFiles.beside(path)).map { Use(option: option, path: $0) }
    }

    /// Returns the files whose names derive from an output's.
    private static func files(
        besides path: String, _ option: OptionSpec, _ arguments: ParsedArguments
    ) -> [String] {
        switch option.name {
        case Options.report.name: break
        case Options.control.name: return [path, LocalSocket.lockPath(of: path)]
        case Options.Report.output.name
        where arguments.command.name == "report" && !arguments.has(Options.Report.outputFormat):
            return [path] + ReportOptions.filesBeside(database: path)
        default: return [path]
        }
        var endings = [".checkpoint", ".cluster"]
        // A worker writes its file under this name first.
        if arguments[ifOffered: Options.cluster] != nil { endings.append(".cluster.new") }
        if arguments[ifOffered: Options.ordered] { endings.append(".ordered") }
        if ReportOptions.isDatabase(path) { endings += [".csv", ".csv.checkpoint"] }
        return [path] + endings.map { path + $0 } + ReportOptions.filesBeside(database: path)
    }

    /// The parts of a report that is split have names of their own.
    private static func checkParts(
        _ arguments: ParsedArguments, _ uses: [Use]
    ) throws(UsageError) {
        guard arguments[ifOffered: Options.reportSplit] != nil,
            let report = arguments[Options.report],
            let path = ReportParts(report).firstPart(among: uses.map(\.path)),
            let use = uses.first(where: { $0.path == path })
        else { return }
        throw arguments.error(
            Options.report,
            "\(use.name) is a part of the report, or has the name of one; name another file")
    }

    /// True if two paths name one file, or would if it existed.
    private static func areSame(_ first: String, _ second: String) -> Bool {
        if FileDescriptor.areSame(first, second) { return true }
        guard !FileDescriptor.exists(first), !FileDescriptor.exists(second) else { return false }
        return FileDescriptor.place(of: first) == FileDescriptor.place(of: second)
    }

    /// True if writing to one path would destroy what the other path gets.
    private static func areOneOutput(_ first: String, _ second: String) -> Bool {
        FileDescriptor.areOneOutput(first, second)
            || (!FileDescriptor.exists(first) && areSame(first, second))
    }
}
