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
                if speaksFirst { talk.say(.settings()) }
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
}
