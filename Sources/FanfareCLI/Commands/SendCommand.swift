import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareSimulator
import FanfareSystem

/// `fanfare send`: rows in, notifications out, one outcome per row.
enum SendCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        try JobEnding.telling(arguments) { ending throws(CommandError) in
            try run(arguments, ending)
        }
    }

    private static func run(
        _ arguments: ParsedArguments, _ ending: JobEnding
    ) throws(CommandError) -> Int32 {
        var configuration = try Configuration(rowsOf: arguments)
        try configuration.readEngine(arguments)
        try configuration.readProvider(arguments)
        configuration.readSteering(arguments)
        try configuration.readSeeds(arguments)
        configuration.readSample(arguments[Options.sampleShare], arguments)
        guard SendQuestion.isAgreed(configuration, arguments) else {
            Terminal.error("fanfare send: nothing was sent; --yes sends without asking")
            return ExitStatus.interrupted.rawValue
        }
        configuration.mayGoOn = SendQuestion.aboutInvalidRows(configuration, arguments)
        return try send(
            configuration, arguments, strict: arguments[Options.strict],
            output: ResultOutput(arguments), ending: ending)
    }

    /// Sends rows, with the simulator inside the process if that is the provider.
    /// - Parameters:
    ///   - configuration: The job.
    ///   - arguments: The arguments of the command.
    ///   - strict: True if a row that was not accepted makes the exit code 1.
    ///   - isCheck: True if a warning about payloads then does so, too.
    ///   - output: The text and files about the job.
    ///   - ending: The acts when it is over; `nil` for none.
    ///   - outcomes: A further receiver of the rows' outcomes; `nil` for none.
    ///   - onExchange: Called for each exchange.
    /// - Returns: The exit code.
    /// - Throws: The error that kept the job from being made.
    static func send(
        _ configuration: Configuration, _ arguments: ParsedArguments, strict: Bool,
        isCheck: Bool = false, output: ResultOutput, ending: JobEnding? = nil,
        outcomes: OutcomeFeed? = nil,
        onExchange: (@Sendable (Exchange) -> Void)? = nil
    ) throws(CommandError) -> Int32 {
        var configuration = configuration
        configuration.naming = .commandLine
        let simulator = try InProcessSimulator(arguments, &configuration)
        defer { simulator?.stop() }
        var made: [String] = []
        do throws(FanfareError) {
            made = try output.prepare(configuration)
            // Before the job, which would make its report in vain; `push` has none.
            let socket = try ControlSocket.wished(arguments)
            let servers = try JobServers(arguments)
            configuration.report.keepsSeries = output.html != nil || servers?.hasPage == true
            let job = try Job(
                configuration, strict: strict,
                resumeCommand: ShellCommand.resuming(CommandLine.arguments, arguments),
                restCommand: ShellCommand.sendingRest(CommandLine.arguments, arguments),
                retryCommand: ShellCommand.retrying(CommandLine.arguments[0], arguments),
                deadTokensCommand: {
                    ShellCommand.listingDeadTokens(CommandLine.arguments[0], of: $0)
                },
                outcomes: outcomes, onExchange: onExchange, onEvents: servers?.listener)
            let warnings = job.warnings
            output.show(
                notices: job.notices,
                warnings: SecretFiles.warnings(arguments, configuration)
                    + JobRegistration.warnings(arguments) + warnings)
            servers?.show(job, canSteer: arguments[ifOffered: Options.pageControl])
            ending?.metricsFile?.show(job)
            let registration = JobRegistration(job, arguments, socket: socket)
            let work = JobRunner.Work(
                run: { () throws(FanfareError) in try job.run() },
                stop: { job.stop($0) }, progress: { job.progress },
                isStopping: { job.isStopping }, control: { job.perform($0, $1) },
                ending: { $0.ending }, finalPage: { $0.html },
                giveUp: { job.giveUp($0) })
            let result = try JobRunner.run(
                work, display: output.display(besideReport: configuration.report.path),
                registration: registration, servers: servers, metricsFile: ending?.metricsFile)
            registration?.end(result)
            if let problem = job.logProblem { Terminal.error("fanfare: the log: \(problem)") }
            return try conclude(
                result, output, isWarned: isCheck && strict && !warnings.isEmpty, ending)
        } catch {
            ResultOutput.removeEmpty(made)
            throw .job(error)
        }
    }

    /// Shows a result, writes it where it is wanted, and tells of the end.
    /// - Returns: The exit code.
    private static func conclude(
        _ result: JobResult, _ output: ResultOutput, isWarned: Bool, _ ending: JobEnding?
    ) throws(FanfareError) -> Int32 {
        do throws(FanfareError) {
            let shown = try output.show(result)
            let code = shown == 0 && isWarned ? ExitStatus.incomplete.rawValue : shown
            ending?.tell(JobEnd(result, exitCode: code))
            return code
        } catch {
            ending?.tell(
                JobEnd(
                    result, exitCode: ExitStatus(error.code).rawValue,
                    problem: error.statement.text(.commandLine)))
            throw error
        }
    }
}

/// The text and files about a job at its end.
struct ResultOutput {
    /// The value of `--progress`.
    ///
    /// With `none`, and with `json`, which programs read, the table appears only for a job that was
    /// stopped.
    var progress = ProgressChoice.auto
    /// True if the table includes the engine's work.
    var isDetailed = false
    /// True if the command can carry a stopped job on.
    var mayResume = true
    /// True if the simulator stands in for the provider.
    var isSimulated = false
    /// The file of the summary, `-` for standard output; `nil` for none.
    var summary: String?
    /// The file of the page, `-` for standard output; `nil` for none.
    var html: String?

    /// Checks that summary and page can be written, before anything is sent.
    /// - Parameter configuration: The job.
    /// - Returns: The files that were made by that.
    /// - Throws: `FanfareError` about a file.
    func prepare(_ configuration: Configuration) throws(FanfareError) -> [String] {
        let report = configuration.report
        let outputs = [
            report.path, report.unregisteredPath, report.retryRowsPath, configuration.log?.path,
        ]
        var taken = configuration.inputs.map(\.name) + outputs.compactMap(\.self)
        var made: [String] = []
        for (noun, option, path) in [("summary", "--summary", summary), ("page", "--html", html)] {
            guard let path else { continue }
            let isNew = path != "-" && !FileDescriptor.exists(path)
            do throws(FanfareError) {
                try Self.prepare(path, noun, option, taken: taken)
            } catch {
                Self.removeEmpty(made)
                throw error
            }
            if isNew { made.append(path) }
            taken.append(path)
        }
        return made
    }

    /// Removes files that a start has made in vain.
    static func removeEmpty(_ made: [String]) {
        for path in made where (try? SmallFile.read(path, bytesMax: 0))?.isEmpty == true {
            try? FileDescriptor.removeIfThere(path)
        }
    }

    /// The same where reports are all that is read.
    func prepare(reading inputs: [RowInput]) throws(FanfareError) {
        guard let html else { return }
        try Self.prepare(
            html, "page", "--html", taken: inputs.filter { $0 != .standardInput }.map(\.name))
    }

    private static func prepare(
        _ path: String, _ noun: String, _ option: String, taken: [String]
    ) throws(FanfareError) {
        if let other = taken.first(where: { FileDescriptor.areOneOutput($0, path) }) {
            throw FanfareError(
                .configuration,
                path == "-"
                    ? "standard output takes one thing; \(option) FILE names a file"
                    : "the \(noun) would replace \(other); \(option) FILE names another file")
        }
        guard path != "-" else { return }
        do throws(FileError) {
            try FileDescriptor.checkWritable(path)
        } catch {
            throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
        }
    }

    /// Shows, before the job begins, notices about the reading of rows, and warnings about the
    /// payloads and files.
    func show(notices: [Statement], warnings: [String]) {
        for line in lines(notices: notices, warnings: warnings) { Terminal.error(line) }
    }

    /// Returns the lines of notices and warnings that are wanted.
    func lines(notices: [Statement], warnings: [String]) -> [String] {
        // Programs read the lines of JSON, and nothing between them.
        guard progress != .json else { return [] }
        let lines = warnings.map { "fanfare: warning: \($0)" }
        guard progress != .none else { return lines }
        return lines + notices.map { "fanfare: \($0.text(.commandLine))" }
    }

    /// Returns the display of the job's progress.
    ///
    /// A report's lines on the same terminal would run into a live display.
    func display(besideReport path: String) -> ProgressDisplay? {
        ProgressDisplay(progress, mayDraw: path != "-" || !Terminal.isOutputInteractive)
    }

    /// - Returns: The exit code.
    func show(_ result: JobResult) throws(FanfareError) -> Int32 {
        if ![.none, .json].contains(progress) || result.stopMessage != nil {
            Terminal.show(
                result.table(
                    usesColor: Terminal.usesColor(onError: true), isDetailed: isDetailed))
            let advice = result.summary.stop?.answer.flatMap {
                Explanation.advice(on: $0, mayResume: mayResume && !result.summary.leavesNothing)
            }
            if let advice {
                Terminal.show(PlainText.wrapped("To do: \(advice)", PlainText.width) + "\n")
            }
            for hint in result.hints { Terminal.error("fanfare: \(hint.text(.commandLine))") }
            if isSimulated, result.tokensOfFCM > 0 {
                Terminal.error(
                    "fanfare: the simulator stands in for both with --provider "
                        + (Provider.allCases.map(\.rawValue) + [ProviderChoices.simulator])
                        .joined(separator: ","))
            }
        }
        if !result.unreportedRows.isEmpty {
            Terminal.error(
                "fanfare: these rows have an outcome that the report could not take: "
                    + result.unreportedRows)
        }
        if let summary { try Self.write(Array(result.summaryJSON.utf8), to: summary) }
        if let html { try Self.write(result.html, to: html) }
        return result.exitCode
    }

    static func write(_ bytes: [UInt8], to path: String) throws(FanfareError) {
        do throws(FileError) {
            try SmallFile.write(bytes, to: path)
        } catch {
            throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
        }
    }
}

extension ResultOutput {
    /// Creates the output that a command line requests, for commands with these options.
    init(_ arguments: ParsedArguments) {
        progress = arguments.progress
        isDetailed = arguments[Options.details]
        isSimulated = arguments[ifOffered: Options.provider].isSimulated
        summary = arguments[Options.summary]
        html = arguments[ifOffered: Options.html]
    }
}
