import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

/// The paces of a job with several routes: one for the whole job, and one for each route.
@Suite struct RoutePaceTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func moment(_ milliseconds: Int64) -> Instant {
        start.advanced(byNanoseconds: milliseconds * 1_000_000)
    }

    /// A permit each so many milliseconds, and none ahead but one.
    private func pace(_ milliseconds: Int64, burst: Int64 = 1, lanes: Int = 2) -> JobPace {
        JobPace(
            PaceSettings(count: 1, period: milliseconds * 1_000_000, burst: burst), lanes: lanes)
    }

    /// Starts all that may be started at a moment.
    private func starts(_ lane: inout LanePace, at now: Instant, wanted: Int = .max) -> Int {
        var count = 0
        while count < wanted, lane.permits > 0 || lane.ask(now: now) {
            lane.started()
            count += 1
        }
        lane.settle(now: now)
        return count
    }

    @Test func `the slower of two paces counts`() {
        let job = pace(10)
        var slowRoute = LanePace(job: job, route: pace(100), lane: 0)
        var fastRoute = LanePace(job: job, route: pace(1), lane: 1)
        var (slow, fast) = (0, 0)
        for millisecond in Int64(0)..<1000 {
            slow += starts(&slowRoute, at: moment(millisecond))
            fast += starts(&fastRoute, at: moment(millisecond))
        }
        // One at once, and one each 100 ms; the job's 100 but for its first one are 99, and one more.
        #expect(slow == 10)
        #expect(slow + fast == 100)
    }

    @Test func `a lane that waits for its route's pace keeps no lane of another route waiting`() {
        let job = pace(10)
        var waiting = LanePace(job: job, route: pace(100_000), lane: 0)
        var other = LanePace(job: job, route: nil, lane: 1)
        #expect(starts(&waiting, at: moment(0)) == 1)
        #expect(starts(&waiting, at: moment(10)) == 0)
        #expect(waiting.next == moment(100_000))
        #expect(starts(&other, at: moment(20)) == 1)
    }

    @Test func `a lane that waits for the job's pace keeps no lane of its route waiting`() {
        let route = pace(10)
        let job = pace(100_000)
        var waiting = LanePace(job: job, route: route, lane: 0)
        #expect(starts(&waiting, at: moment(0)) == 1)
        #expect(starts(&waiting, at: moment(10)) == 0)
        #expect(waiting.next == moment(100_000))
        var other = LanePace(job: nil, route: route, lane: 1)
        #expect(starts(&other, at: moment(20)) == 1)
    }

    @Test func `what one pace has no room for goes back to the other`() {
        let route = pace(1, burst: 64)
        let job = pace(1, burst: 3, lanes: 2)
        var lane = LanePace(job: job, route: route, lane: 0)
        // Both begin with one permit; then 64 ms fill the one, and three are all of the other.
        #expect(starts(&lane, at: moment(0)) == 1)
        #expect(starts(&lane, at: moment(100)) == 3)
        var other = LanePace(job: nil, route: route, lane: 1)
        #expect(starts(&other, at: moment(100)) == 61)
    }

    @Test func `permits that are left go back to both`() throws {
        let (route, job) = (pace(1, burst: 10), pace(1, burst: 10))
        var lane = LanePace(job: job, route: route, lane: 0)
        #expect(starts(&lane, at: moment(0)) == 1)
        #expect(starts(&lane, at: moment(100), wanted: 4) == 4)
        #expect(lane.permits == 0 && lane.next == nil)
        var other = LanePace(job: job, route: nil, lane: 1)
        #expect(starts(&other, at: moment(100), wanted: 5) == 5)
        #expect(starts(&lane, at: moment(100)) == 1)
        // One for each millisecond since.
        let next = try #require(lane.next)
        #expect(starts(&lane, at: next) == next.nanoseconds(since: moment(100)) / 1_000_000)
    }

    @Test func `of two routes each has its own pace, and FCM has its quota`() throws {
        var configuration = Preparation.configuration("token\naa\n", payload: #"{"aps":{}}"#)
        configuration.engine.lanes = 2
        configuration.engine.rate = SendingRate(50_000)
        configuration.routes[0].rate = SendingRate(300)
        configuration.routes.append(.fcm)
        configuration.routes[1].project = "p"
        configuration.routes[1].payload = .template(#"{"message":{"data":{}}}"#)
        let lanes = try PreparedJob(configuration, identity: Preparation.identity).laneSettings()
        #expect(lanes.count == 4)
        #expect(lanes.allSatisfy { $0.pace.job === lanes[0].pace.job })
        #expect(lanes[0].pace.route === lanes[1].pace.route)
        #expect(lanes[2].pace.route === lanes[3].pace.route)
        #expect(lanes[0].pace.route !== lanes[2].pace.route)
        let rates = [lanes[0], lanes[2]].map { lane in
            lane.pace.route?.withPacer { $0.settings } ?? nil
        }
        #expect(rates[0]?.count == 300)
        // 600,000 a minute, over a minute from nothing.
        #expect(rates[1]?.count == 10_000 && rates[1]?.period == 1_000_000_000)
        #expect(rates[1]?.ramp == 60_000_000_000)
    }
}
