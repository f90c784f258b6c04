import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareSystem

/// `fanfare bench`: a load test.
enum BenchCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        try JobEnding.telling(arguments) { ending throws(CommandError) in
            try run(arguments, ending)
        }
    }

    private static func run(
        _ arguments: ParsedArguments, _ ending: JobEnding
    ) throws(CommandError) -> Int32 {
        var configuration = try Configuration(benchOf: arguments)
        configuration.naming = .commandLine
        var options = try LoadOptions(arguments)
        var output = try BenchOutput(arguments, failIf: options.failIf)
        let simulator = try InProcessSimulator(arguments, &configuration)
        defer { simulator?.stop() }
        if simulator != nil { options.serviceName = "simulator" }
        do throws(FanfareError) {
            let test = try LoadTest(configuration, options)
            ResultOutput(progress: arguments.progress)
                .show(notices: [], warnings: SecretFiles.warnings(arguments, configuration))
            if let baseline = output.baseline { try test.check(baseline) }
            for warning in try output.history?.read(for: test) ?? [] {
                Terminal.error("fanfare: \(warning)")
            }
            // Last, so that a bad option leaves the files of an earlier test as they were.
            try output.prepare()
            let servers = try JobServers(arguments)
            let place = options.serviceName ?? configuration.provider.endpoint.description
            servers?.show(test, of: place, configuration)
            let work = JobRunner.Work<LoadTestResult>(
                run: { () throws(FanfareError) in try test.run() },
                stop: { test.stop($0) }, progress: { test.progress },
                isStopping: { test.isStopping }, ending: { $0.ending },
                finalPage: { [output] in output.judged($0).result.html })
            let result = try JobRunner.run(
                work, display: ProgressDisplay(arguments.progress, stage: { test.stage }),
                servers: servers)
            let code = try output.show(result)
            ending.tell(JobEnd(result, exitCode: code))
            return code
        } catch {
            throw .job(error)
        }
    }
}

/// The text and files about a load test at its end.
struct BenchOutput: Sendable {
    private let summary: String?
    private let html: String?
    private let out: String?
    /// The earlier result to compare with.
    let baseline: LoadBaseline?
    /// The folder of earlier results, and these.
    var history: BenchHistory?
    private let regressionMax: Double
    /// True if a good result is not shown.
    private let isQuiet: Bool

    /// - Parameters:
    ///   - arguments: The command line.
    ///   - failIf: The conditions that make the result a failure.
    /// - Throws: `CommandError` for options that contradict each other, or a baseline that is none.
    init(_ arguments: ParsedArguments, failIf: [LoadCondition]) throws(CommandError) {
        summary = arguments[Options.Bench.summary]
        html = arguments[Options.Bench.html]
        out = arguments[Options.Bench.out]
        regressionMax = try Self.regressionMax(arguments, failIf)
        isQuiet = arguments[Options.quiet]
        history = BenchHistory(arguments)
        for option in [Options.Bench.summary, Options.Bench.html, Options.Bench.out] {
            guard let path = arguments[Options.Bench.baseline], let file = arguments[option],
                path == file || FileDescriptor.areSame(path, file)
            else { continue }
            throw arguments.fault(
                option, "would replace the baseline in every case; name another file")
        }
        baseline = try arguments[Options.Bench.baseline].map { path throws(CommandError) in
            try Self.readBaseline(path)
        }
    }

    /// The share by which a figure may be worse: that of a condition, if one says so.
    ///
    /// Two bounds on the same comparison could contradict each other.
    private static func regressionMax(
        _ arguments: ParsedArguments, _ failIf: [LoadCondition]
    ) throws(CommandError) -> Double {
        let conditions = failIf.filter { $0.regressionMax != nil }
        let compares = arguments.has(Options.Bench.baseline) || arguments.has(Options.Bench.history)
        guard let condition = conditions.first, let share = condition.regressionMax else {
            guard compares || !arguments.has(Options.Bench.maxRegression) else {
                throw arguments.fault("--max-regression needs --baseline or --history as well")
            }
            return arguments[Options.Bench.maxRegression]
        }
        func fail(_ why: String) -> CommandError {
            arguments.fault(Options.Bench.failIf, "\(condition) \(why)")
        }
        guard compares else {
            throw fail("needs --baseline, the earlier result to compare with, or --history")
        }
        guard !arguments.has(Options.Bench.maxRegression) else {
            throw fail("and --max-regression say the same; give one of them")
        }
        guard conditions.count == 1 else {
            throw fail("is one of \(conditions.count) bounds on regression; give one")
        }
        return share
    }

    private static func readBaseline(_ path: String) throws(CommandError) -> LoadBaseline {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(path, bytesMax: Limits.loadResultBytesMax)
        } catch {
            throw .job(
                FanfareError(.configuration, "--baseline \(path) cannot be read: \(error.reason)"))
        }
        do throws(FanfareError) {
            return try LoadBaseline(json: bytes, name: path)
        } catch {
            throw .job(error)
        }
    }

    /// Checks that the result can be written, before anything is sent.
    func prepare() throws(FanfareError) {
        let named = [("--summary", summary), ("--html", html), ("--out", out)]
        for (index, (option, path)) in named.enumerated() {
            guard let path else { continue }
            for (other, file) in named[..<index] {
                guard let file, FileDescriptor.areOneOutput(path, file) else { continue }
                throw FanfareError(
                    .configuration,
                    message: "\(other) and \(option) name the same file, "
                        + (path == "-" ? "standard output" : path))
            }
        }
        for path in [summary, html, out].compactMap(\.self) where path != "-" {
            do throws(FileError) {
                try FileDescriptor.checkWritable(path, isPublic: true)
            } catch {
                throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
            }
        }
    }

    /// Returns a result with the earlier ones beside it, and with its conditions judged.
    func judged(
        _ measured: LoadTestResult
    ) -> (result: LoadTestResult, verdict: LoadComparison?) {
        let verdict =
            baseline.flatMap { measured.compared(with: $0, regressionMax: regressionMax) }
            ?? history.flatMap {
                measured.compared(with: $0.runs, regressionMax: regressionMax)
            }
        return (measured.judged(against: verdict), verdict)
    }

    /// - Returns: The exit code.
    func show(_ measured: LoadTestResult) throws(FanfareError) -> Int32 {
        let (result, verdict) = judged(measured)
        let isExpected = result.exitCode == ExitStatus.success.rawValue
        if !isQuiet || !isExpected {
            Terminal.show(result.table(usesColor: usesColor))
        }
        if let summary { try write(Array(result.json.utf8), to: summary) }
        if let html { try write(result.html, to: html) }
        try history?.keep(result)
        if let lacking = history?.lacking, !isQuiet, result.stopMessage == nil {
            Terminal.show("\n\(lacking)\n")
        }
        var code = result.exitCode
        if let verdict {
            if !isQuiet || !isExpected || verdict.hasRegressed {
                Terminal.show("\n" + verdict.render(usesColor: usesColor))
            }
            // Sums that do not add up are no result to compare.
            if verdict.hasRegressed, code != ExitStatus.bug.rawValue {
                code = ExitStatus.thresholdCrossed.rawValue
            }
        }
        code = tell(of: measured.requests) ?? code
        // The last lines are those that a reader of a build's log sees first.
        let crossings = result.crossings(usesColor: usesColor)
        if !crossings.isEmpty { Terminal.show(crossings) }
        return code
    }

    /// Says which requests are not in their file.
    /// - Returns: The exit code of a file that could not be written; `nil` for none.
    private func tell(of requests: RecordedRequests?) -> Int32? {
        guard let requests, requests.dropped > 0 else { return nil }
        let count = NumberText.grouped(requests.dropped)
        guard let problem = requests.problem else {
            Terminal.error(
                "fanfare: \(count) requests are not in \(requests.path), which was too slow to write"
            )
            return nil
        }
        Terminal.error(
            "fanfare: \(requests.path) cannot be written: \(problem); \(count) requests are not in it"
        )
        return ExitStatus.inputOutput.rawValue
    }

    private var usesColor: Bool { Terminal.usesColor(onError: true) }

    private func write(_ bytes: [UInt8], to path: String) throws(FanfareError) {
        do throws(FileError) {
            try SmallFile.write(bytes, to: path, isPublic: true)
        } catch {
            throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
        }
    }
}

extension Limits {
    /// The largest result that is read for a comparison.
    ///
    /// A thousand steps of a minute have some 8 MB; each value takes about 100 bytes once read.
    static let loadResultBytesMax = 16 * 1024 * 1024
}
