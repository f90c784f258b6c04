import FanfareBase
import FanfareCore
import FanfareTLS
import FanfareTestSupport
import Testing

/// Workers that come to a job which runs, and are not like the others.
///
/// Jobs have far more rows than they send at their rate until all has happened, however busy the machine is.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterJoinTests {
    private let tool: CommandLineTool
    private let engine: PostgresServer

    init() throws {
        tool = try CommandLineTool()
        engine = try PostgresServer()
        try tool.run("cluster", "init", engine.address).expect(0)
    }

    private func start(
        _ worker: String, at provider: NotingProvider, _ options: [String] = []
    ) throws -> CommandLineTool.Run {
        try tool.start(
            [
                "send", "rows.csv", "--cluster", engine.address, "--job", "july", "--worker",
                worker, "--endpoint", provider.endpoint, "--topic", "com.example.app", "--alert",
                "hi", "--connections", "2", "--rate", "400/s", "--report", "\(worker).csv",
                "--progress", "none",
            ] + options)
    }

    private func waitUntilProved() {
        let isRunning = Poll.until(seconds: 30) {
            (try? engine.query("SELECT state FROM fanfare.jobs")) == "running"
        }
        #expect(isRunning)
    }

    private func order(_ words: String...) throws {
        try tool.run(["cluster"] + words + ["--job", "july"]).expect(0)
    }

    @Test func `a worker with another list is refused, and the job goes on`() throws {
        let count = 20_000
        try tool.folder.write(Rows.csv(count), to: "rows.csv")
        let left = (1...count).filter { $0 % 7 == 0 }
        try tool.folder.write(
            "token\n" + left.map { Rows.token($0) + "\n" }.joined(), to: "out.csv")
        try tool.folder.write(
            left.reversed().map { Rows.token($0).uppercased() + "\n" }.joined(), to: "same.csv")
        let provider = try NotingProvider(in: tool.folder)
        let first = try start("a", at: provider, ["--suppress", "out.csv"])
        waitUntilProved()
        let without = try start("b", at: provider).end(seconds: 30)
        without.expect(2, says: "(--suppress is missing here)", "--new-settings")
        try start("b", at: provider, ["--suppress", "out.csv", "--stop-if", "failed>1"])
            .end(seconds: 30).expect(2, says: "(--stop-if")
        // The same people in another order and spelling.
        let second = try start("c", at: provider, ["--suppress", "same.csv", "--rate", "1/s"])
        let isThere = Poll.until(seconds: 30) {
            (try? engine.query("SELECT count(*) FROM fanfare.workers")) == "2"
        }
        #expect(isThere)
        let early = try tool.run(
            "cluster", "resume", engine.address, "--job", "july", "--new-settings")
        early.expect(2, says: "was stopped")
        try order("rate", engine.address, "1000000/s")
        first.end(seconds: 60).expect(0)
        second.end(seconds: 60).expect(0, says: "july has a rate of 400/s", "cluster rate")
        let requests = try provider.requests()
        #expect(requests.values.allSatisfy { $0 == 1 } && requests.count == count - left.count)
        #expect(requests.keys.allSatisfy { $0 % 7 != 0 })

        // Once more, with and without a report: there is nothing left to do.
        for worker in ["a", "d"] {
            try start(worker, at: provider, ["--suppress", "out.csv"]).end(seconds: 30)
                .expect(0, says: "july is finished")
        }
        try start("d", at: provider, ["--suppress", "out.csv", "--priority", "5"]).end(seconds: 30)
            .expect(2, says: "july is finished", "--priority is given here alone")
        #expect(try engine.query("SELECT count(*) FROM fanfare.workers") == "2")
        #expect(!tool.folder.exists("d.csv"))
    }

    @Test func `a new list counts for all once the job goes on with it`() throws {
        let count = 20_000
        try tool.folder.write(Rows.csv(count), to: "rows.csv")
        try tool.folder.write("token\n\(Rows.token(count))\n", to: "out.csv")
        let provider = try NotingProvider(in: tool.folder)
        try tool.run("cluster", "pause", engine.address, "--job", "july", "--new-settings")
            .expect(2, says: "pause takes no --new-settings, which is for resume")
        let first = try start("a", at: provider)
        waitUntilProved()
        try order("stop", engine.address)
        first.end(seconds: 30).expect(130)
        // Without the word for it the list of before still counts, which was none.
        try order("resume", engine.address)
        try start("a", at: provider, ["--suppress", "out.csv"]).end(seconds: 30)
            .expect(2, says: "(--suppress is given here alone)")
        try order("stop", engine.address)
        // Of a job that was restored from a backup all workers have to be there first.
        try order("pause", engine.address)
        try order("resume", engine.address, "--new-settings")
        #expect(try engine.query("SELECT state, is_paused FROM fanfare.jobs") == "running|t")
        let again = try start("a", at: provider, ["--suppress", "out.csv"])
        let isAgreed = Poll.until(seconds: 30) {
            (try? engine.query("SELECT policy IS NOT NULL FROM fanfare.jobs")) == "t"
        }
        #expect(isAgreed)
        try start("b", at: provider).end(seconds: 30)
            .expect(2, says: "(--suppress is missing here)")
        try order("resume", engine.address)
        try order("rate", engine.address, "1000000/s")
        again.end(seconds: 60).expect(0)
        let requests = try provider.requests()
        #expect(requests.values.allSatisfy { $0 == 1 } && requests.count == count - 1)
        #expect(requests[count] == nil)
    }

    @Test func `a worker with a wrong key leaves, and the job goes on`() throws {
        let count = 20_000
        try tool.folder.write(Rows.csv(count), to: "rows.csv")
        for name in ["right.p8", "wrong.p8"] {
            try SelfSignedAuthority(names: ["localhost"]).identity
                .writePEM(to: tool.folder.path(name))
        }
        let signer = try ProviderTokenSigner(
            keyFile: tool.folder.path("right.p8"), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        let provider = try NotingProvider(
            in: tool.folder, verifier: ProviderTokenVerifier(signer: signer))
        func key(_ name: String) -> [String] {
            ["--key", name, "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ"]
        }
        let right = try start("a", at: provider, key("right.p8"))
        waitUntilProved()
        let wrong = try start("b", at: provider, key("wrong.p8")).end(seconds: 30)
        wrong.expect(3, says: "InvalidProviderToken")
        #expect(try engine.query("SELECT state, verdict FROM fanfare.jobs") == "running|")
        #expect(
            try engine.query("SELECT name, state FROM fanfare.workers ORDER BY name")
                == "a|active\nb|left")
        try order("rate", engine.address, "1000000/s")
        // The row that was refused is sent by the other one.
        right.end(seconds: 60).expect(0)
        let lines = tool.folder.text(of: "a.csv").split(separator: "\n").dropFirst()
        #expect(lines.count == count && lines.allSatisfy { $0.contains(",accepted,200,") })
    }
}
