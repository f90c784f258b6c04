import FanfareTestSupport
import Glibc
import Synchronization
import Testing

/// A process that does not run for a while: Ctrl-Z, a frozen container, a closed laptop.
@Suite struct StandstillTests {
    @Test func `answers that arrive while the process is stopped count`() throws {
        let tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(10), to: "rows.csv")
        let isHeard = Atomic(false)
        let isStopped = Atomic(false)
        let isAnswered = Atomic(false)
        let peer = try ScriptedPeer { talk in
            talk.say(.settings())
            // The first row asks for all.
            for stream in talk.requests(1) {
                talk.say(.headers(stream, [(":status", "200")], ends: true))
            }
            let streams = talk.requests(9)
            isHeard.store(true, ordering: .relaxed)
            _ = Poll.until(seconds: 30) { isStopped.load(ordering: .relaxed) }
            for stream in streams { talk.say(.headers(stream, [(":status", "200")], ends: true)) }
            isAnswered.store(true, ordering: .relaxed)
            talk.wait()
        }
        let clock = ContinuousClock()
        let run = try tool.start([
            "send", "rows.csv", "--endpoint", "\(peer.provider.endpoint)", "--topic", "com.example",
            "--alert", "Hi", "--timeout", "1s", "--connections", "1", "--report", "r.csv",
        ])
        #expect(Poll.until(seconds: 30) { isHeard.load(ordering: .relaxed) })
        let start = clock.now
        kill(run.process.id, SIGSTOP)
        isStopped.store(true, ordering: .relaxed)
        // Until the time of every request is over.
        let isOver = Poll.until(seconds: 30) {
            isAnswered.load(ordering: .relaxed) && clock.now - start > .milliseconds(1500)
        }
        #expect(isOver)
        kill(run.process.id, SIGCONT)
        #expect(run.process.waitUntilExit() == 0, "\(run.errors)")
        #expect(try Report(csv: tool.folder.text(of: "r.csv")).outcomes == ["accepted": 10])
    }
}
