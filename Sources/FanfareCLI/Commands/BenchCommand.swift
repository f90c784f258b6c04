import Fanfare
import FanfareCore
import FanfareLoop

/// `fanfare bench`: a load test.
enum BenchCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        var configuration = try Configuration(benchOf: arguments)
        var options = try LoadOptions(arguments)
        let output = BenchOutput(arguments)
        let simulator = try InProcessSimulator(arguments, &configuration)
        defer { simulator?.stop() }
        if simulator != nil { options.serviceName = "simulator" }
        do throws(FanfareError) {
            try output.prepare()
            let test = try LoadTest(configuration, options)
            let work = JobRunner.Work<LoadTestResult>(
                run: {
                    do throws(FanfareError) {
                        return .success(try test.run())
                    } catch {
                        return .failure(error)
                    }
                },
                stop: { $0 ? test.terminate() : test.interrupt() }, progress: { test.progress })
            let result = try JobRunner.run(
                work, display: ProgressDisplay(arguments.text("progress")))
            return try output.show(result)
        } catch {
            throw .job(error)
        }
    }
}

/// What is said and written about a load test at its end.
struct BenchOutput {
    private let json: String?

    init(_ arguments: ParsedArguments) {
        json = arguments.outputFile("json")
    }

    /// Sees to it that the result can be written before anything is sent.
    func prepare() throws(FanfareError) {
        for path in [json].compactMap(\.self) where path != "-" {
            do throws(FileError) {
                try FileDescriptor.writing(path, existing: .keep).close()
            } catch {
                throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
            }
        }
    }

    /// - Returns: The exit code.
    func show(_ result: LoadTestResult) throws(FanfareError) -> Int32 {
        Terminal.show(result.table(usesColor: Terminal.usesColour(onError: true)))
        if let json { try write(result.json, to: json) }
        return result.exitCode
    }

    private func write(_ text: String, to path: String) throws(FanfareError) {
        do throws(FileError) {
            try SmallFile.write(text, to: path)
        } catch {
            throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
        }
    }
}
