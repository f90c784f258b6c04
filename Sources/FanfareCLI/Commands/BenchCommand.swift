import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// `fanfare bench`: a load test.
enum BenchCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        var configuration = try Configuration(benchOf: arguments)
        configuration.naming = .commandLine
        var options = try LoadOptions(arguments)
        let output = try BenchOutput(arguments)
        let simulator = try InProcessSimulator(arguments, &configuration)
        defer { simulator?.stop() }
        if simulator != nil { options.serviceName = "simulator" }
        do throws(FanfareError) {
            try output.prepare()
            let test = try LoadTest(configuration, options)
            if let baseline = output.baseline { try test.check(baseline) }
            let work = JobRunner.Work<LoadTestResult>(
                run: {
                    do throws(FanfareError) {
                        return .success(try test.run())
                    } catch {
                        return .failure(error)
                    }
                },
                stop: { test.stop($0) }, progress: { test.progress })
            let result = try JobRunner.run(
                work, display: ProgressDisplay(arguments.progress, stage: { test.stage }))
            return try output.show(result)
        } catch {
            throw .job(error)
        }
    }
}

/// The text and files about a load test at its end.
struct BenchOutput {
    private let summary: String?
    private let html: String?
    /// The earlier result to compare with.
    let baseline: LoadBaseline?
    private let regressionMax: Double
    /// True if a good result is not shown.
    private let isQuiet: Bool

    init(_ arguments: ParsedArguments) throws(CommandError) {
        summary = arguments[Options.Bench.summary]
        html = arguments[Options.Bench.html]
        regressionMax = arguments[Options.Bench.maxRegression]
        isQuiet = arguments[Options.quiet]
        for option in [Options.Bench.summary, Options.Bench.html] {
            guard let path = arguments[Options.Bench.baseline], let file = arguments[option],
                path == file || FileDescriptor.areSame(path, file)
            else { continue }
            throw .usage(
                arguments.error(
                    option, "would replace the baseline in every case; name another file"))
        }
        baseline = try arguments[Options.Bench.baseline].map { path throws(CommandError) in
            try Self.readBaseline(path)
        }
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
        if let summary, let html, FileDescriptor.areOneOutput(summary, html) {
            throw FanfareError(
                .configuration,
                message: "--summary and --html name the same file, "
                    + (summary == "-" ? "standard output" : summary))
        }
        for path in [summary, html].compactMap(\.self) where path != "-" {
            do throws(FileError) {
                try FileDescriptor.checkWritable(path, isPublic: true)
            } catch {
                throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
            }
        }
    }

    /// - Returns: The exit code.
    func show(_ result: LoadTestResult) throws(FanfareError) -> Int32 {
        let isExpected = result.exitCode == ExitStatus.success.rawValue
        if !isQuiet || !isExpected {
            Terminal.show(result.table(usesColor: Terminal.usesColor(onError: true)))
        }
        if let summary { try write(Array(result.json.utf8), to: summary) }
        if let html { try write(result.html, to: html) }
        guard let baseline,
            let verdict = result.compared(with: baseline, regressionMax: regressionMax)
        else { return result.exitCode }
        if isQuiet, isExpected, !verdict.hasRegressed { return result.exitCode }
        Terminal.show("\n" + verdict.table(usesColor: Terminal.usesColor(onError: true)))
        // A run without a result of its own has nothing to compare.
        guard verdict.hasRegressed, result.exitCode != ExitStatus.bug.rawValue else {
            return result.exitCode
        }
        return ExitStatus.thresholdCrossed.rawValue
    }

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
