import FanfareCore
import Foundation
import Testing

@testable import Fanfare
@testable import FanfareCLI

/// The words of `fanfare cluster` about a job, and about a rate.
@Suite struct ClusterStatusTests {
    /// - Parameters:
    ///   - rate: The job's rate in starts per second; `nil` for none.
    ///   - state: The job's state.
    /// - Returns: The job with two workers.
    private static func status(
        rate: Int64? = 1500, state: ClusterJobState = .running
    ) -> ClusterControl.Status {
        var job = ClusterJob(
            terms: ClusterTerms(
                fingerprint: 1, protocolVersion: 1, rate: rate.map { $0 * ShareRule.unitsPerStart }),
            prover: nil, cutter: nil,
            generation: ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0))
        job.state = state
        job.cutRows = 900
        job.isAllCut = true
        job.holds = [.none, ProviderHold(milliseconds: 11_001), .longest]
        return ClusterControl.Status(
            name: "july", job: job,
            workers: [
                .init(
                    name: "web3", state: .active, rows: 480, share: 750 * ShareRule.unitsPerStart,
                    silentSeconds: 0.7),
                // A third of a start per second.
                .init(name: "web4", state: .lost, rows: 0, share: 333_333, silentSeconds: 20),
            ], waitingRows: 300, grantedRows: 120, doubtfulRows: 0)
    }

    @Test func `holds are shown with the time that is left`() {
        #expect(
            Self.status().table == """
                july: running, 480 rows have an outcome of 900
                waiting 300, granted 120, in doubt 0
                provider 2 wants nothing for 12 s
                provider 3 wants nothing for 60 s
                rate 1500/s
                  web3: active, 480 rows, share 750/s, heard of 0 s ago
                  web4: lost, 0 rows, share 0.33/s, heard of 20 s ago

                """)
    }

    @Test func `a name from the tables does nothing to a terminal, and scripts get it whole`()
        throws
    {
        let name = "w\u{1B}]0;title\u{7}\u{1B}[2J\u{9B}1m\u{202E}\r\n  w1: done"
        let status = ClusterControl.Status(
            name: "july", job: Self.status().job,
            workers: [
                .init(name: name, state: .active, rows: 1, share: 0, silentSeconds: 0)
            ], waitingRows: 0, grantedRows: 0, doubtfulRows: 0)
        let lines = status.table.split(separator: "\n").map(String.init)
        #expect(lines.count == 6)
        let shown =
            "w\u{FFFD}]0;title\u{FFFD}\u{FFFD}[2J\u{FFFD}1m\u{FFFD}\u{FFFD}\u{FFFD}  w1: done"
        #expect(lines.last == "  \(shown): active, 1 rows, share 0/s, heard of 0 s ago")
        let workers = try #require(try Self.object(status)["workers"] as? [[String: Any]])
        #expect(workers.map { $0["name"] as? String } == [name])
    }

    private static func object(_ status: ClusterControl.Status) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(status.json.utf8)) as? [String: Any])
    }

    @Test func `scripts get them, too`() throws {
        let holds = try #require(try Self.object(Self.status())["holds"] as? [[String: Int]])
        #expect(holds == [["provider": 2, "seconds": 12], ["provider": 3, "seconds": 60]])
    }

    // MARK: The rate

    @Test func `scripts get the rate and each worker's share of it`() throws {
        let object = try Self.object(Self.status())
        #expect(object["rate"] as? Double == 1500)
        let workers = try #require(object["workers"] as? [[String: Any]])
        #expect(workers.map { $0["share"] as? Double } == [750, 0.333])
    }

    @Test(arguments: [(nil as Int64?, ClusterJobState.running), (1500, .finished)])
    func `a worker without a part of a rate has no share`(
        rate: Int64?, state: ClusterJobState
    ) throws {
        let status = Self.status(rate: rate, state: state)
        #expect(!status.table.contains("share"))
        #expect(status.table.contains("rate") == (rate != nil))
        let object = try Self.object(status)
        #expect(object["rate"] as? Double == rate.map(Double.init))
        let workers = try #require(object["workers"] as? [[String: Any]])
        #expect(workers.map { $0["share"] is NSNull } == [true, true])
    }

    @Test(arguments: [
        ([ClusterDecision.setRate(2_000_000_000)], "july is running, its rate 2000/s"),
        ([.setRate(250_000)], "july is running, its rate 0.25/s"),
        ([.pause(true)], "july is paused"),
        ([.pause(false), .goOn], "july is running"),
    ])
    func `an order is answered with what has changed`(
        decisions: [ClusterDecision], text: String
    ) throws {
        var job = try #require(Self.status().job)
        for decision in decisions {
            if case .setRate(let rate) = decision { job.terms.rate = rate }
            if case .pause(let pauses) = decision { job.isPaused = pauses }
        }
        #expect(ClusterCommand.text(of: job, named: "july", after: decisions) == text)
    }

    @Test(arguments: [
        ("fast", "'fast' is not a rate; write for example rate SERVER 5000/s"),
        (
            "20/1",
            "'20/1' has a time behind its slash that has no unit; write for example rate SERVER 20/s"
        ),
    ])
    func `a wrong rate is refused with a right one`(rate: String, text: String) throws {
        let words = ["cluster", "rate", "postgresql://db.example/push", rate, "--job", "july"]
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            Issue.record("no command")
            return
        }
        let error = #expect(throws: CommandError.self) { try ClusterCommand.run(arguments) }
        guard case .usage(let usage) = error else {
            Issue.record("another error")
            return
        }
        #expect(usage.message == text)
    }
}
