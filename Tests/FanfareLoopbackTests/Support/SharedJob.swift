import FanfareTestSupport
import Testing

/// A job that workers share over a server of its own, and the provider to which they send.
struct SharedJob {
    let tool: CommandLineTool
    let engine: PostgresServer
    let provider: NotingProvider

    init(rowCount: Int) throws {
        tool = try CommandLineTool()
        engine = try PostgresServer()
        provider = try NotingProvider(in: tool.folder)
        try tool.run("cluster", "init", engine.address).expect(0)
        try tool.folder.write(Rows.csv(rowCount), to: "rows.csv")
    }

    /// Starts a worker, which has a report of its own name.
    func start(
        _ worker: String, rate: String, job: String = "july", _ options: [String] = []
    ) throws -> CommandLineTool.Run {
        try tool.start(
            [
                "send", "rows.csv", "--cluster", engine.address, "--job", job, "--worker",
                worker, "--endpoint", provider.endpoint, "--topic", "com.example.app", "--alert",
                "hi", "--connections", "2", "--rate", rate, "--report", "\(worker).csv",
                "--progress", "none",
            ] + options)
    }

    /// Gives an order, or asks.
    func cluster(_ word: String, _ more: String...) throws -> CommandLineTool.Result {
        try tool.run(["cluster", word, engine.address] + more + ["--job", "july"])
    }

    /// Waits until the server's records fulfill a condition.
    func wait(until condition: String, seconds: Double = 40) {
        let isSo = Poll.until(seconds: seconds) {
            (try? engine.query("SELECT \(condition)")) == "t"
        }
        #expect(isSo, "never \(condition)")
    }
}
