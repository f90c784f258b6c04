import FanfareBase
import FanfareSimulator
import Testing

@Suite struct SimulatedProjectTests {
    private func project(quota: UInt64?) -> SimulatedProject {
        var configuration = FCMConfiguration()
        configuration.quotaPerMinute = quota
        return SimulatedProject(configuration)
    }

    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `the quota is full again a minute after the first request`() {
        let project = project(quota: 2)
        // Not aligned with any clock: the first request begins the minute.
        #expect(project.spend(now: at(17_500)))
        #expect(project.spend(now: at(17_500)))
        #expect(!project.spend(now: at(17_501)))
        #expect(project.secondsToQuota(now: at(17_501)) == 60)
        #expect(project.secondsToQuota(now: at(18_500)) == 59)
        #expect(!project.spend(now: at(77_499)))
        #expect(project.secondsToQuota(now: at(77_499)) == 1)
        #expect(project.spend(now: at(77_500)))
        #expect(project.spend(now: at(77_600)))
        #expect(!project.spend(now: at(77_700)))
    }

    @Test func `a minute without a request adds nothing to the next`() {
        let project = project(quota: 1)
        #expect(project.spend(now: at(0)))
        // In the fourth minute, of which ten seconds are over.
        #expect(project.spend(now: at(190_000)))
        #expect(!project.spend(now: at(190_000)))
        #expect(project.secondsToQuota(now: at(190_000)) == 50)
        #expect(project.spend(now: at(240_000)))
    }

    @Test func `without a quota there is no end`() {
        let project = project(quota: nil)
        for _ in 0..<1000 { #expect(project.spend(now: at(0))) }
    }

    @Test func `an account is made when it is asked for, and once`() throws {
        let project = project(quota: nil)
        #expect(project.account == nil)
        let first = try project.makeAccount()
        #expect(first.projectID == "fanfare-simulator")
        #expect(try project.makeAccount().keyID == first.keyID)
        #expect(project.account?.keyID == first.keyID)
    }
}
