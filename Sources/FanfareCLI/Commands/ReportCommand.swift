import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareSystem

/// `fanfare report`: reads reports back.
enum ReportCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        let inputs = try inputs(of: arguments)
        try checkColumns(arguments)
        if arguments[Options.Report.compare] { return try compare(inputs, arguments) }
        if let worker = arguments[Options.Report.lost] {
            return try writeLines(ofLost: worker, inputs, arguments)
        }
        if arguments.has(Options.Report.of), arguments.has(Options.Report.output) {
            throw arguments.fault(
                Options.Report.of, "is for totals; with --output it takes --lost as well")
        }
        if arguments.has(Options.Report.select) || arguments.has(Options.Report.fields)
            || arguments.has(Options.Report.output) || arguments.has(Options.Report.outputFormat)
            || arguments[Options.Report.ordered] || arguments[Options.Report.spreadsheet]
        {
            return try extract(inputs, arguments)
        }
        let html = arguments[Options.html]
        guard html != "-" || !arguments[Options.Report.json] else {
            throw arguments.fault(
                Options.html, "standard output takes one thing; --html FILE names a file")
        }
        do throws(FanfareError) {
            if let html { try ResultOutput(html: html).prepare(reading: inputs) }
            let digest = try ReportDigest.reading(
                inputs, keepsSeries: html != nil, by: arguments[Options.Report.by],
                wantsJobs: arguments[Options.Report.of] != nil)
            let hasCheckpoint = inputs.contains(where: hasCheckpoint)
            if let html {
                let page = digest.page(
                    hasCheckpoint: hasCheckpoint, naming: .commandLine
                ) {
                    ShellCommand.listing(
                        CommandLine.arguments[0], of: arguments.positionals, $0, columns: $1)
                }
                try ResultOutput.write(page.render(), to: html)
            }
            if html != "-" {
                Terminal.print(
                    arguments[Options.Report.json]
                        ? digest.json()
                        : digest.table(
                            hasCheckpoint: hasCheckpoint,
                            usesColor: Terminal.usesColor(onError: false)))
            }
            let address = arguments[Options.Report.of]
            warn(of: digest.files, isShared: address != nil)
            warn(of: digest, hasCheckpoint: hasCheckpoint, isShared: address != nil)
            warnOfParts(inputs)
            if let address { try audit(digest, address, arguments) }
            return ExitStatus.success.rawValue
        } catch {
            throw .job(error)
        }
    }

    /// True if a report's job can be carried on.
    private static func hasCheckpoint(_ input: RowInput) -> Bool {
        guard case .file(let path) = input else { return false }
        // A database is made of a log, from which its job is carried on.
        return Job.isUnfinished(report: ReportOptions.isDatabase(path) ? path + ".csv" : path)
    }

    /// Says which workers' reports are missing.
    private static func audit(
        _ digest: ReportDigest, _ address: ClusterJobAddress, _ arguments: ParsedArguments
    ) throws(FanfareError) {
        let audit = try ClusterControl(address.server).audit(digest, of: address.job)
        guard !audit.isWhole else {
            Terminal.error("fanfare: each of the \(audit.jobRows) rows of \(audit.job) has a line")
            return
        }
        var faults = audit.faults
        if audit.strangers.isEmpty,
            let gap = audit.gaps.first(where: { $0.toldRows > 0 && !$0.isAlive })
        {
            let rows = ShellCommand.rowsPlace
            faults.append(
                "If the report of \(ClusterControl.shown(gap.worker)) is lost for good, do not send its rows again as if they "
                    + "were new: they were sent. Have lines written for them, with the files of the job's rows, as send got "
                    + "them, in place of \(rows) (one --rows for each). Without --rows the lines have no tokens, so nobody can send to these or leave them out:\n  "
                    + ShellCommand.writingLost(
                        CommandLine.arguments[0], of: arguments.positionals,
                        job: arguments.text(Options.Report.of) ?? "", worker: gap.word))
        }
        throw FanfareError(.input, message: faults.joined(separator: "\n"))
    }

    /// Writes lines for the rows of a worker whose report is lost.
    private static func writeLines(
        ofLost worker: String, _ inputs: [RowInput], _ arguments: ParsedArguments
    ) throws(CommandError) -> Int32 {
        // The table of options sees to both.
        guard let address = arguments[Options.Report.of] else { return 0 }
        let path = arguments[Options.Report.output]
        var options = RowOptions()
        try options.readColumns(arguments)
        do throws(FanfareError) {
            let digest = try ReportDigest.reading(inputs, wantsJobs: true)
            warn(of: digest.files, isShared: true)
            let lost = try ClusterControl(address.server)
                .lostReport(of: worker, digest, in: address.job)
            let files = arguments[Options.Report.rows].map { RowInput.file($0) }
            // Files that are not the job's are refused before anything is written.
            let rows = files.isEmpty ? nil : try lost.rows(in: files, options)
            let count = try LostLines.write(
                lost.rows, without: lost.reported, to: path,
                overwrites: arguments[Options.Report.overwrite], reading: rows.map { $0.read })
            Terminal.error(
                "fanfare: wrote \(NumberText.grouped(count)) lines for rows that \(lost.worker) had, whose report "
                    + "(\(lost.report)) is lost: unknown, report lost. Name "
                    + (path == "-" ? "the file that they go to" : path)
                    + " with the other reports; these rows were sent, so do not send them again as if they were new"
                    + remark(onTokens: rows?.tokenlessCount))
            return ExitStatus.success.rawValue
        } catch {
            throw .job(error)
        }
    }

    /// Says which lines of a lost report have no tokens.
    /// - Parameter tokenless: The number of those whose rows have none; `nil` if no rows were read.
    /// - Returns: The words behind the sentence about the lines; empty if all have tokens.
    static func remark(onTokens tokenless: UInt64?) -> String {
        guard let tokenless else {
            return
                ". The lines have no tokens, which --rows would give them: they are no list for --suppress"
        }
        guard tokenless > 0 else { return "" }
        return tokenless == 1
            ? ". One of the lines has no token, as its row has none: it is of no use to --suppress"
            : ". \(NumberText.grouped(tokenless)) of the lines have no tokens, as their rows have none: they are no list for "
                + "--suppress"
    }

    /// Refuses names of columns without rows: a user may mean the columns of lines.
    private static func checkColumns(_ arguments: ParsedArguments) throws(CommandError) {
        guard arguments.has(Options.Report.columns) else { return }
        guard arguments.has(Options.Report.rows) else {
            throw arguments.fault(
                Options.Report.columns,
                "names the fields of the files of --rows; to choose columns of reports write --fields"
            )
        }
        guard arguments[Options.Report.noHeader] else {
            throw arguments.fault(Options.Report.columns, "needs --no-header as well")
        }
    }

    // MARK: Comparison

    private static func compare(
        _ inputs: [RowInput], _ arguments: ParsedArguments
    ) throws(CommandError) -> Int32 {
        guard inputs.count == 2 else {
            throw arguments.fault(
                "--compare takes two reports, the earlier one first; there "
                    + (inputs.count == 1 ? "is one" : "are \(inputs.count)"))
        }
        do throws(FanfareError) {
            let comparison = try ReportComparison.reading(
                inputs[0], inputs[1], by: arguments[Options.Report.match],
                listedMax: arguments[Options.Report.changed])
            Terminal.print(
                arguments[Options.Report.json]
                    ? comparison.json()
                    : comparison.table(
                        usesColor: Terminal.usesColor(onError: false), naming: .commandLine))
            warn(of: comparison.before.files + comparison.after.files)
            return ExitStatus.success.rawValue
        } catch {
            throw .job(error)
        }
    }

    // MARK: Lines

    private static func extract(
        _ inputs: [RowInput], _ arguments: ParsedArguments
    ) throws(CommandError) -> Int32 {
        guard !arguments[Options.Report.json] else {
            throw arguments.fault(
                Options.Report.json,
                "is for totals; for lines as JSON write --output-format ndjson")
        }
        guard !arguments.has(Options.html) else {
            throw arguments.fault(Options.html, "is for totals; write it without --select")
        }
        var settings = ReportExtract.Settings()
        settings.filters = arguments[Options.Report.select]
        settings.columns = arguments[Options.Report.fields]
        settings.format = arguments[Options.Report.outputFormat]
        settings.isOrdered = arguments[Options.Report.ordered]
        settings.path = arguments[Options.Report.output]
        settings.overwrites = arguments[Options.Report.overwrite]
        settings.isForSpreadsheets = arguments[Options.Report.spreadsheet]
        do throws(ReportExtract.Failure) {
            warn(of: try ReportExtract.write(inputs, settings))
            return ExitStatus.success.rawValue
        } catch {
            switch error {
            case .readerGone: return ExitStatus.success.rawValue
            case .failed(let error): throw .job(error)
            case .unknownColumn(let column, let name, let known):
                throw .job(FanfareError(.configuration, message: unknown(column, name, known)))
            }
        }
    }

    private static func unknown(_ column: String, _ name: String, _ known: [String]) -> String {
        let near = Suggestion.nearest(to: column, among: known)
        let advice =
            Suggestion.question(near.map(\.quotedForMessage))
            ?? "its columns: \(known.map(\.quotedForMessage).joined(separator: ", "))"
        return "\(name) has no column \(column.quotedForMessage); \(advice)"
    }

    private static func inputs(of arguments: ParsedArguments) throws(CommandError) -> [RowInput] {
        let inputs = arguments.positionals.map { $0 == "-" ? RowInput.standardInput : .file($0) }
        guard inputs.count(where: { $0 == .standardInput }) < 2 else {
            throw arguments.fault("standard input can be read only once; write - only once")
        }
        return inputs
    }

    /// Says which reports are not whole.
    /// - Parameters:
    ///   - files: The reports.
    ///   - isShared: True if they are known to be those of workers that share a job.
    private static func warn(of files: [ReportDigest.File], isShared: Bool = false) {
        for file in files {
            guard let torn = file.torn else { continue }
            Terminal.error("fanfare: \(file.name): \(torn); \(advice(ofTorn: file, isShared))")
        }
    }

    /// Returns what to do about a report that is not whole.
    static func advice(ofTorn file: ReportDigest.File, _ isShared: Bool) -> String {
        if isShared || ClusterControl.isWorkers(report: file.name) {
            return
                "copy it again from its machine when its worker has ended. If it is so there, too, the worker was killed: "
                + "the row of this line gets one when the worker is started again with this report, or from the worker that "
                + "writes it off"
        }
        return Self.hasCheckpoint(.file(file.name))
            ? "the job may have ended in the middle of it, and send --resume writes it anew"
            : "it may be a copy from while it was written, or the beginning of one: copy it again. Where its checkpoint is, "
                + "send --resume writes the line anew. For a job of several machines add --of, which says what is missing"
    }

    /// A report that was split goes on in other files.
    private static func warnOfParts(_ inputs: [RowInput]) {
        for case .file(let path) in inputs {
            let next = ReportParts(path).path(of: 2)
            guard FileDescriptor.isRegularFile(next),
                !inputs.contains(where: { FileDescriptor.areSame($0.name, next) })
            else { continue }
            Terminal.error(
                "fanfare: \(next) may be the second part of \(path); to read a report that was "
                    + "split (--report-split), name all its parts")
        }
    }

    /// Warns of facts that the totals do not show by themselves.
    private static func warn(of digest: ReportDigest, hasCheckpoint: Bool, isShared: Bool) {
        if digest.doubledLines > 0 {
            Terminal.error(
                "fanfare: \(NumberText.grouped(digest.doubledLines)) lines are for rows that "
                    + "have another one: the reports are of several jobs, or rows were sent twice")
        } else if digest.repeatedLines > 0 {
            // Only of a pipe, which cannot be read again to see which one counts.
            Terminal.error(
                "fanfare: \(NumberText.grouped(digest.repeatedLines)) rows of lost workers have two "
                    + "lines, and both are counted here; of a file one of them is")
        }
        // Of a shared job its server says which rows have no line.
        if digest.missingRows > 0, !isShared {
            Terminal.error(
                "fanfare: \(NumberText.grouped(digest.missingRows)) rows up to the highest one "
                    + "have no line: "
                    + (hasCheckpoint
                        ? "the job is not finished, or a report is missing"
                        : "--where has excluded them, or a report or its checkpoint is missing"))
        }
    }
}
