import Fanfare
import FanfareTestSupport
import Synchronization
import Testing

/// A gateway that serves one connection at a time, and a job with two lanes.
@Suite struct OneConnectionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The other lane gives up after four dials, a second or two, if nothing else counts.
    @Test(arguments: [false, true])
    func `a lane that gets no connection does not stop one that is answered`(
        speaksFirst: Bool
    ) throws {
        let isServing = Atomic(false)
        let peer = try ScriptedPeer { talk in
            let (isFirst, _) = isServing.compareExchange(
                expected: false, desired: true, ordering: .relaxed)
            guard isFirst else {
                // Without room for a stream: a row that starts before the end is in doubt, or this lane's to send.
                if speaksFirst { talk.say(.settings([(3, 0)])) }
                return talk.resetsAtEnd()
            }
            talk.beKind()
            isServing.store(false, ordering: .relaxed)
        }
        let job = try TestJob(rows: Rows.csv(1_500), provider: peer.provider, folder: folder) {
            $0.engine.lanes = 2
            $0.engine.connections = 2
            $0.engine.rate = SendingRate(500)
            $0.engine.giveUpAfter = .seconds(2)
        }
        job.expectAccounted(1_500)
        #expect(job.report.outcomes == ["accepted": 1_500])
        #expect(job.result.exitCode == 0, "\(job.result.stopMessage ?? "")")
    }

    /// Runs a job of two lanes that takes more than two seconds on one connection.
    ///
    /// The peer opens no window: 65,535 bytes are 2,978 bodies of 22. RFC 9113 §6.9.2
    private func run(_ peer: ScriptedPeer) throws -> TestJob {
        let job = try TestJob(rows: Rows.csv(2_500), provider: peer.provider, folder: folder) {
            $0.engine.lanes = 2
            $0.engine.connections = 2
            $0.engine.rate = SendingRate(1_000)
            $0.engine.giveUpAfter = .seconds(2)
        }
        job.expectAccounted(2_500)
        #expect(job.result.stopMessage == nil)
        return job
    }

    enum Refusal: CaseIterable {
        case closes, allowsNoStreams
    }

    /// Rows that the lane without a connection had taken from the queue would never be sent.
    @Test(arguments: Refusal.allCases)
    func `a server that serves one connection ever gets all rows there`(
        refusal: Refusal
    ) throws {
        let connections = Atomic(0)
        let peer = try ScriptedPeer { talk in
            connections.add(1, ordering: .relaxed)
            guard talk.number > 1 else { return talk.beKind() }
            switch refusal {
            case .closes: break
            case .allowsNoStreams:
                // MAX_CONCURRENT_STREAMS (3) is 0. RFC 9113 §6.5.2
                talk.say(.settings([(3, 0)]))
                talk.wait()
            }
        }
        let job = try run(peer)
        #expect(job.report.outcomes == ["accepted": 2_500])
        // Dials are 5 to 10 s apart after a few; without pauses there were a hundred.
        #expect(connections.load(ordering: .relaxed) < 30)
    }

    @Test func `a lane that loses its connection for good leaves its rows to the other`() throws {
        let peer = try ScriptedPeer { talk in
            if talk.number == 1 { return talk.beKind() }
            guard talk.number == 2 else { return }
            // One request at a time, so that one row at most is in doubt.
            talk.say(.settings([(3, 1)]))
            for _ in 0..<10 {
                guard let stream = talk.requests(1).first else { return }
                talk.say(.headers(stream, [(":status", "200")], ends: true))
            }
        }
        let job = try run(peer)
        #expect(job.report.outcomes["accepted", default: 0] >= 2_499)
    }
}
