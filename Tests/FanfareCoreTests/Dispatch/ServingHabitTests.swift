import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct ServingHabitTests {
    private func seconds(_ seconds: Int) -> Instant {
        Instant(nanoseconds: Int64(seconds) * 1_000_000_000)
    }

    /// Cuts connections one after another, each dialed behind the end of the one before.
    private func habit(after answers: [Int]) -> ServingHabit {
        var habit = ServingHabit()
        for (index, count) in answers.enumerated() {
            habit.cut(after: count, dialled: seconds(2 * index), now: seconds(2 * index + 1))
        }
        return habit
    }

    @Test(arguments: [1, 5, 100])
    func `the same number twice is a habit`(_ number: Int) {
        #expect(habit(after: [number]).limit == nil)
        #expect(habit(after: [number, number]).limit == number)
    }

    @Test func `nearly the same number three times is a habit, and the least one counts`() {
        #expect(habit(after: [100, 97]).limit == nil)
        #expect(habit(after: [100, 97, 99]).limit == 97)
    }

    @Test func `ends without a pattern are none`() {
        #expect(habit(after: [3, 70, 12, 150, 31, 8, 1, 2, 40]).limit == nil)
    }

    @Test func `connections that are cut together are cut once`() {
        var habit = ServingHabit()
        for _ in 0..<4 { habit.cut(after: 7, dialled: seconds(0), now: seconds(5)) }
        #expect(habit.limit == nil)
    }

    @Test func `a trial comes ever more rarely while it is cut`() {
        var habit = habit(after: [5, 5])
        var trials: [Int] = []
        for number in 0..<1000 {
            let allowance = habit.allowance()
            if allowance > 5 {
                trials.append(number)
                habit.cut(after: 5, dialled: seconds(100 + number), now: seconds(101 + number))
            } else {
                habit.kept(allowance)
            }
        }
        // Behind 64 connections, then 128, 256 and 512 more, each without those that were trials.
        #expect(trials == [64, 193, 450, 963])
        #expect(habit.limit == 5)
    }

    @Test func `a trial that is answered ends the habit`() {
        var habit = habit(after: [1, 1])
        for _ in 0..<64 { habit.kept(habit.allowance()) }
        #expect(habit.allowance() == 2)
        habit.kept(2)
        #expect(habit.limit == nil)
        #expect(habit.allowance() == .max)
    }

    @Test func `a smaller number takes its place`() {
        var habit = habit(after: [10, 10])
        habit.cut(after: 4, dialled: seconds(10), now: seconds(11))
        habit.cut(after: 4, dialled: seconds(12), now: seconds(13))
        #expect(habit.limit == 4)
    }

    @Test func `rows that look like a number are found out`() {
        // Each hundredth row has its connection cut: the number is 99, and then none.
        var habit = habit(after: [99, 99])
        #expect(habit.limit == 99)
        for number in 0..<3 {
            #expect(habit.limit == 99)
            habit.kept(habit.allowance())
            habit.cut(after: 0, dialled: seconds(10 + number), now: seconds(11 + number))
        }
        #expect(habit.limit == nil)
        // The next one is believed behind four cuts.
        for number in 0..<4 {
            #expect(habit.limit == nil)
            habit.cut(after: 99, dialled: seconds(20 + number), now: seconds(21 + number))
        }
        #expect(habit.limit == 99)
    }

    @Test func `a few cuts before the number do not end a habit`() {
        var habit = habit(after: [5, 5])
        for number in 0..<300 {
            habit.kept(5)
            if number % 20 == 10 {
                habit.cut(
                    after: number % 5, dialled: seconds(10 + 2 * number),
                    now: seconds(11 + 2 * number))
            }
        }
        #expect(habit.limit == 5)
    }

    // MARK: The dispatcher

    /// Runs a server that answers so many requests on a connection and then cuts it, though it has taken
    /// `ahead` more.
    private func lost(_ rows: Int, answers: Int, streams: Int, isSerial: Bool) -> (Int, Int) {
        let settings = DispatchSettings(
            connections: 1, streamsPerConnection: streams, firstRequestAlone: false,
            timeout: .seconds(30), retry: RetryPolicy())
        var dispatcher = Dispatcher(settings: settings, seed: 1)
        var (left, lost, dials) = (rows, 0, 0)
        var now = seconds(1)
        while left > 0 {
            now = now.advanced(by: .seconds(1))
            guard let connection = dispatcher.nextDial(now: now) else { continue }
            dials += 1
            dispatcher.connected(connection, isSerial: isSerial, now: now)
            dispatcher.settingsReceived(on: connection, maxConcurrentStreams: .max)
            var answered = 0
            var inFlight: [RequestID] = []
            func refill() {
                while left > 0, dispatcher.room(on: connection) > 0 {
                    let id = dispatcher.takeUp()
                    dispatcher.started(id, on: connection, now: now)
                    inFlight.append(id)
                    left -= 1
                }
            }
            refill()
            while answered < answers, !inFlight.isEmpty {
                let id = inFlight.removeFirst()
                now = now.advanced(by: .milliseconds(1))
                _ = dispatcher.attemptEnded(id, .answeredFinally, now: now)
                dispatcher.finished(id)
                answered += 1
                refill()
            }
            let isCut = !inFlight.isEmpty
            for id in inFlight {
                _ = dispatcher.attemptEnded(id, .inDoubt, now: now)
                dispatcher.finished(id)
                lost += 1
            }
            _ = dispatcher.retire(connection)
            _ = dispatcher.lost(connection, isFailure: true, isCut: isCut, now: now)
        }
        return (lost, dials)
    }

    @Test func `a server that closes after each answer costs two rows and a few trials`() {
        let (lost, dials) = lost(20_000, answers: 1, streams: 100, isSerial: true)
        // Trials behind 64 · 2ⁿ connections: 64 · (2⁹ - 1) = 32,704 are more than there are.
        #expect(lost <= 2 + 8)
        #expect((19_980...20_000).contains(dials))
    }

    @Test func `a server of HTTP/2 that closes after a hundred answers costs two flights`() {
        let (lost, dials) = lost(20_000, answers: 100, streams: 50, isSerial: false)
        #expect(lost <= 2 * 50 + 3)
        #expect(dials <= 203)
    }

    @Test func `the next connection is dialed while the last request is on its way`() {
        let settings = DispatchSettings(
            connections: 1, streamsPerConnection: 100, firstRequestAlone: false,
            timeout: .seconds(30), retry: RetryPolicy())
        var dispatcher = Dispatcher(settings: settings, seed: 1)
        for second in 1...2 {
            let now = seconds(2 * second)
            let connection = dispatcher.nextDial(now: now)!
            dispatcher.connected(connection, isSerial: true, now: now)
            for isAnswer in [true, false] {
                let id = dispatcher.takeUp()
                dispatcher.started(id, on: connection, now: now)
                _ = dispatcher.attemptEnded(id, isAnswer ? .answeredFinally : .inDoubt, now: now)
                dispatcher.finished(id)
            }
            _ = dispatcher.lost(
                connection, isFailure: true, isCut: true, now: now.advanced(by: .seconds(1)))
        }
        let connection = dispatcher.nextDial(now: seconds(10))!
        dispatcher.connected(connection, isSerial: true, now: seconds(10))
        #expect(dispatcher.nextDial(now: seconds(11)) == nil)
        let id = dispatcher.takeUp()
        dispatcher.started(id, on: connection, now: seconds(11))
        #expect(dispatcher.nextDial(now: seconds(11)) != nil)
        #expect(dispatcher.nextToRetire(hasLoad: true, now: seconds(11)) == connection)
        #expect(dispatcher.retire(connection) == .drain)
        let (_, action) = dispatcher.attemptEnded(id, .answeredFinally, now: seconds(12))
        #expect(action == .close)
    }
}
