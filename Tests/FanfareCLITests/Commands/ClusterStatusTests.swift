import FanfareCore
import Foundation
import Testing

@testable import Fanfare
@testable import FanfareCLI

/// The words of `fanfare cluster status` about a job.
@Suite struct ClusterStatusTests {
    private static var status: ClusterControl.Status {
        var job = ClusterJob(
            terms: ClusterTerms(
                fingerprint: 1, protocolVersion: 1, rate: 1500 * ShareRule.unitsPerStart),
            prover: nil, cutter: nil,
            generation: ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0))
        job.state = .running
        job.cutRows = 900
        job.isAllCut = true
        job.holds = [.none, ProviderHold(milliseconds: 11_001), .longest]
        return ClusterControl.Status(
            name: "july", job: job,
            workers: [
                .init(
                    name: "web3", state: .active, rows: 480, share: 750 * ShareRule.unitsPerStart,
                    silentSeconds: 0.7)
            ], waitingRows: 300, grantedRows: 120, doubtfulRows: 0)
    }

    @Test func `holds are shown with the time that is left`() {
        #expect(
            Self.status.table == """
                july: running, 480 rows have an outcome of 900
                waiting 300, granted 120, in doubt 0
                provider 2 wants nothing for 12 s
                provider 3 wants nothing for 60 s
                rate 1500/s
                  web3: active, 480 rows, share 750/s, heard of 0 s ago

                """)
    }

    @Test func `scripts get them, too`() throws {
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(Self.status.json.utf8)) as? [String: Any])
        let holds = try #require(object["holds"] as? [[String: Int]])
        #expect(holds == [["provider": 2, "seconds": 12], ["provider": 3, "seconds": 60]])
    }
}
