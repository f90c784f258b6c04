import Foundation
import Testing

/// The end of a job that the system's limits leave too little room for.
@Suite struct SystemLimitRunTests {
    private let tool: CommandLineTool
    private let rowCount = 300

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(rowCount), to: "rows.csv")
    }

    /// Runs a command line in a shell that has set a limit; code 99 where it may not.
    private func run(_ limit: String, _ arguments: [String]) throws -> CommandLineTool.Result {
        let (output, errors) = (UUID().uuidString, UUID().uuidString)
        // Nothing of the tests' own takes a place: other tests beside this one have many, and only bash can close those
        // of more than one digit. Before the limit: the shell may want a place of its own for a redirection.
        let closing = """
            for place in /proc/$$/fd/*; do place=${place##*/}; [ $place -le 2 ] || eval "exec $place>&-"; done
            """
        let script = "\(closing); \(limit) || exit 99; exec \"$0\" \"$@\""
        let process = try ChildProcess(
            "/bin/bash", ["-c", script, CommandLineTool.path] + arguments,
            output: tool.folder.path(output), errors: tool.folder.path(errors),
            directory: tool.folder.url.path)
        return .init(
            exitCode: process.waitUntilExit(), output: tool.folder.text(of: output),
            errors: tool.folder.text(of: errors))
    }

    @Test func `lanes that find no descriptors stop the job, which is carried on with more`() throws
    {
        // Rows enough that no lane ends for want of them before the last one begins.
        let rowCount = 20_000
        try tool.folder.write(Rows.csv(rowCount), to: "many.csv")
        let command = ["send", "many.csv"] + CommandLineTool.simulator
        let result = try run(
            "ulimit -n 64", command + ["--lanes", "48", "--rate", "1000/s"])
        result.expect(
            4, says: "create an event loop: too many open files (EMFILE)", "ulimit -n", "--lanes")
        try tool.run(command + ["--resume"]).expect(0)
        try tool.report().expectEveryRowOnce(rowCount)
    }

    @Test func `a job ends in order, however few descriptors there are`() throws {
        let command = ["send", "rows.csv", "--lanes", "1"] + CommandLineTool.simulator
        for count in 5...24 {
            let result = try run("ulimit -n \(count)", command + ["--report", "r\(count).csv"])
            // A connection that finds none is one that cannot be made, which is 3.
            let code = try #require(result.exitCode)
            #expect([0, 3, 4].contains(code), "\(count): \(result.errors)")
        }
    }

    @Test(arguments: [["check", "--alert", "hi", "--topic", "a.b"], ["send"]])
    func `a thread that cannot be had is told, with what to do`(words: [String]) throws {
        let more = words == ["send"] ? CommandLineTool.simulator : []
        // The stack of each thread is larger than what there are addresses for.
        let result = try run("ulimit -s 274877906944", words + ["rows.csv"] + more)
        guard result.exitCode != 99 else { return }
        result.expect(4, says: "start the thread", "ulimit -u")
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }
}
