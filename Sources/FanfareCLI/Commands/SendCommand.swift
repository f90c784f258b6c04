import Fanfare
import FanfareCore
import FanfareLoop
import FanfareSimulator

/// `fanfare send`: rows in, notifications out, one outcome per row.
enum SendCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        var configuration = try Configuration(rowsOf: arguments)
        try configuration.readEngine(arguments)
        try configuration.readProvider(arguments)
        return try send(configuration, arguments, strict: arguments.flag("strict") ?? false)
    }

    /// Sends, with the simulator inside the process if that is the provider.
    static func send(
        _ configuration: Configuration, _ arguments: ParsedArguments, strict: Bool
    ) throws(CommandError) -> Int32 {
        var configuration = configuration
        let simulator = try InProcessSimulator(arguments, &configuration)
        defer { simulator?.stop() }
        do throws(FanfareError) {
            let job = try Job(configuration, strict: strict)
            let work = JobRunner.Work(
                run: {
                    do throws(FanfareError) {
                        return .success(try job.run())
                    } catch {
                        return .failure(error)
                    }
                },
                stop: { $0 ? job.terminate() : job.interrupt() }, progress: { job.progress })
            let result = try JobRunner.run(
                work, display: ProgressDisplay(arguments.text("progress")))
            return try ResultOutput.show(result, arguments)
        } catch {
            throw .job(error)
        }
    }
}

/// What is said and written about a job at its end.
enum ResultOutput {
    /// - Returns: The exit code.
    static func show(
        _ result: JobResult, _ arguments: ParsedArguments
    ) throws(FanfareError) -> Int32 {
        if arguments.text("progress") != "none" || result.stopMessage != nil {
            Terminal.show(result.table(usesColor: Terminal.usesColour(onError: true)))
        }
        if !result.unreportedRows.isEmpty {
            Terminal.error(
                "fanfare: these rows have an outcome that the report could not take: "
                    + result.unreportedRows)
        }
        if let path = arguments.text("summary") { try write(result.summaryJSON, to: path) }
        return result.exitCode
    }

    private static func write(_ text: String, to path: String) throws(FanfareError) {
        do throws(FileError) {
            let file: FileDescriptor =
                path == "-" ? .standardOutput : try .writing(path, existing: .truncate)
            var bytes = ByteBuffer()
            bytes.append(text)
            unsafe try file.writeAll(UnsafeRawBufferPointer(bytes.bytes))
            try file.close()
        } catch {
            throw FanfareError(.output, "\(path) cannot be written: \(error.reason)")
        }
    }
}
