import FanfareCore
import Testing

@Suite struct LoadScheduleTests {
    private static let second: Int64 = 1_000_000_000

    @Test(arguments: [1.0, 3, 1000, 90_000.0 / 60, 1_000_000, 1.0 / 3600])
    func `the n-th request is due after n times its share of a second`(rate: Double) {
        let schedule = LoadSchedule(
            .open(from: rate, to: rate), duration: .seconds(86_400))
        for number: Int64 in [0, 1, 2, 3, 10, 999, 1000, 1_000_000] {
            let exact = Double(number) * 1e9 / rate
            #expect(abs(Double(schedule.due(number)) - exact) <= max(1, exact * 1e-15))
        }
    }

    /// With r₀ = 100/s and r₁ = 300/s over 10 s, 100 t + 10 t² are due until t.
    @Test func `a rate that rises in a line starts as many as the area under it`() {
        let schedule = LoadSchedule(.open(from: 100, to: 300), duration: .seconds(10))
        for time: Int64 in 0...10 {
            let number = 100 * time + 10 * time * time
            #expect(abs(schedule.due(number) - time * Self.second) <= 1)
        }
        #expect(schedule.count(before: 10 * Self.second) == 2000)
        #expect(schedule.count(before: .max) == 2000)
    }

    /// A million a second for a day are 8.64 × 10¹⁰: one by one they would take minutes.
    @Test func `many are counted at once, also behind a warm-up`() {
        let schedule = LoadSchedule(
            .open(from: 1e6, to: 1e6), warmUp: .seconds(1), duration: .seconds(86_399))
        #expect(schedule.count(before: .max) == 86_400_000_000)
    }

    @Test func `a rate may fall`() {
        let schedule = LoadSchedule(.open(from: 300, to: 100), duration: .seconds(10))
        #expect(schedule.count(before: 5 * Self.second) == 1250)
        #expect(schedule.count(before: .max) == 2000)
        // 300² ÷ (2 × 20) would be due before it fell to nothing.
        #expect(schedule.due(2251) == .max)
    }

    @Test func `a warm-up has the rate of the beginning`() {
        let schedule = LoadSchedule(
            .open(from: 100, to: 300), warmUp: .seconds(2), duration: .seconds(10))
        #expect(schedule.due(200) == 2 * Self.second)
        #expect(abs(schedule.due(2200) - 12 * Self.second) <= 1)
        #expect(schedule.count(before: 2 * Self.second) == 200)
        #expect(!schedule.isMeasured(2 * Self.second - 1))
        #expect(schedule.isMeasured(2 * Self.second))
        #expect(!schedule.isMeasured(12 * Self.second))
    }

    @Test func `counts are those of the moments, one by one`() {
        let schedules = [
            LoadSchedule(.open(from: 7, to: 7), duration: .seconds(3)),
            LoadSchedule(
                .open(from: 13, to: 1), warmUp: .milliseconds(333), duration: .seconds(3)),
            LoadSchedule(.open(from: 0.5, to: 40), duration: .seconds(5)),
            LoadSchedule(.open(from: 11, to: 11), count: 9),
        ]
        for schedule in schedules {
            for moment in stride(from: Int64(0), through: 6 * Self.second, by: 7_654_321) {
                var count: Int64 = 0
                let end = min(moment, schedule.length)
                while count < schedule.countMax, schedule.due(count) < end { count += 1 }
                #expect(schedule.count(before: moment) == count)
            }
        }
    }

    @Test func `what is due at the end may still start a moment later`() {
        let open = LoadSchedule(.open(from: 5, to: 5), duration: .seconds(1))
        #expect(open.lastStart == Self.second + 10_000_000)
        #expect(LoadSchedule(.closed, duration: .seconds(1)).lastStart == Self.second)
        #expect(LoadSchedule(.open(from: 5, to: 5), count: 1).lastStart == .max)
    }
}
