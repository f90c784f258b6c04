import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// The built `fanfare`, run as a process in a folder of its own.
struct CommandLineTool {
    let folder: TemporaryFolder
    /// Its jobs are found by its own commands alone.
    let runtime: TemporaryFolder

    /// The place where the build put it: beside the test bundle.
    static let path: String = {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: own).deletingLastPathComponent().appending(path: "fanfare").path
    }()

    init() throws {
        folder = try TemporaryFolder()
        runtime = try TemporaryFolder()
        try #require(access(Self.path, X_OK) == 0, "fanfare is not built: \(Self.path)")
    }

    /// The results of a run.
    struct Result {
        let exitCode: Int32?
        let output: String
        let errors: String
    }

    /// A run that has not ended yet.
    final class Run {
        let process: ChildProcess
        private let folder: TemporaryFolder
        private let name: String
        private let runtime: TemporaryFolder

        init(
            _ arguments: [String], folder: TemporaryFolder,
            runtime: TemporaryFolder = ChildProcess.runtime, input: String = "/dev/null",
            inputDescriptor: Int32? = nil, outputDescriptor: Int32? = nil
        ) throws {
            self.folder = folder
            self.runtime = runtime
            name = UUID().uuidString
            process = try ChildProcess(
                CommandLineTool.path, arguments, input: input, inputDescriptor: inputDescriptor,
                output: folder.path(name + ".out"), outputDescriptor: outputDescriptor,
                errors: folder.path(name + ".err"), directory: folder.url.path,
                runtime: runtime)
        }

        var output: String { folder.text(of: name + ".out") }
        var errors: String { folder.text(of: name + ".err") }

        func end(seconds: Double = 60) -> Result {
            let exitCode = process.waitUntilExit(seconds: seconds)
            return Result(exitCode: exitCode, output: output, errors: errors)
        }
    }

    func start(
        _ arguments: [String], inputDescriptor: Int32? = nil, outputDescriptor: Int32? = nil
    ) throws -> Run {
        try Run(
            arguments, folder: folder, runtime: runtime, inputDescriptor: inputDescriptor,
            outputDescriptor: outputDescriptor)
    }

    /// Runs it to its end, with this text on standard input.
    func run(_ arguments: String..., input: String? = nil) throws -> Result {
        try run(arguments, input: input)
    }

    func run(_ arguments: [String], input: String? = nil) throws -> Result {
        let file = try input.map { try folder.write($0, to: "stdin") }
        return try Run(arguments, folder: folder, runtime: runtime, input: file ?? "/dev/null")
            .end()
    }

    /// Sends rows to the simulator inside the process.
    func send(_ arguments: String..., input: String? = nil) throws -> Result {
        try run(["send"] + arguments + Self.simulator, input: input)
    }

    static let simulator = [
        "--provider", "simulator", "--alert", "hi", "--topic", "com.example.app", "--progress",
        "plain",
    ]

    func report(_ name: String = "fanfare-report.csv") throws -> Report {
        try Report(csv: folder.text(of: name))
    }
}

extension CommandLineTool.Result {
    /// Checks the exit code and that the message says all of these.
    func expect(
        _ exitCode: Int32, says parts: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.exitCode == exitCode, "\(errors)", sourceLocation: sourceLocation)
        // The table at the end of a job breaks its lines between words.
        let text = errors.replacing("\n", with: " ")
        for part in parts {
            #expect(
                text.contains(part), "'\(part)' is not said in:\n\(errors)",
                sourceLocation: sourceLocation)
        }
    }
}
