import FanfareBase
import FanfareHTTP2
import Testing

@testable import Fanfare
@testable import FanfareCore

/// The end of a lane's patience with its provider, and the things that keep it patient.
///
/// A request started at 0 s and had no answer by 30 s, so that trouble has lasted since then; a provider
/// that has never answered is given up after `Limits.patienceAtStart`, 60 s, another one after 900 s.
@Suite struct ProviderWatchTests {
    /// A world with a batch to take, and with what other lanes have heard.
    private final class World: QuietEnvironment {
        var now = Instant(nanoseconds: 0)
        var hasRows = true
        var lastAnswerElsewhere: Instant?
        var lastAnswerOfOtherRoutes: Instant?
        var isInputExhausted: Bool { !hasRows }

        func hasBatch(now: Instant) -> Bool { hasRows }
        func submit(_ block: ReportBlock) {}
    }

    /// The parts of a lane that has waited in vain for one answer.
    private struct Parts: ~Copyable {
        // The parts do not hold it.
        let world: World
        var books: LaneBooks
        var supply: RowSupply
        var watch: ProviderWatch

        init(_ world: World) {
            self.world = world
            var dispatch = DispatchSettings(
                connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
                timeout: .seconds(30), retry: RetryPolicy(attemptsMax: 1))
            dispatch.patience = .seconds(900)
            let settings = LaneSettings(
                dispatch: dispatch,
                preparation: PreparationSettings(
                    schema: RowSchema(), template: nil, report: ReportFormat(.csv),
                    hasReport: true, carriedSlots: [], validates: true),
                connection: ConnectionSettings(
                    session: ClientSessionConfiguration(streamCapacity: 10),
                    service: APNs.sample))
            books = LaneBooks(settings, world, seed: 1)
            supply = RowSupply(settings, world)
            watch = ProviderWatch(settings, world)
        }

        /// The result of the lane's turn at a moment.
        mutating func look(at moment: Int64) -> JobStop? {
            watch.endPatience(&books, &supply, now: seconds(moment))
            return books.course.stop
        }

        mutating func hearNothing() {
            books.dispatcher.patience.unanswered(since: seconds(0), now: seconds(30))
        }

        func deadline(at moment: Int64) -> Instant? {
            watch.deadline(books, now: seconds(moment))
        }
    }

    @Test func `without trouble there is no end to wait for`() {
        let world = World()
        var parts = Parts(world)
        let (deadline, stop) = (parts.deadline(at: 30), parts.look(at: 10_000))
        #expect(deadline == nil && stop == nil)
    }

    @Test func `a provider that never answered is given up when its time is over`() {
        let world = World()
        var parts = Parts(world)
        parts.hearNothing()
        let (deadline, before, then) = (
            parts.deadline(at: 30), parts.look(at: 59), parts.look(at: 60)
        )
        #expect(deadline == seconds(60) && before == nil)
        #expect(then?.kind == .refused)
        #expect(then?.message.hasPrefix("no answer from the provider for 1 min") == true)
    }

    @Test func `one that has answered another lane has the longer time, from then on`() {
        let world = World()
        world.lastAnswerElsewhere = seconds(20)
        var parts = Parts(world)
        parts.hearNothing()
        let early = parts.look(at: 60)
        let (deadline, before, then) = (
            parts.deadline(at: 60), parts.look(at: 919), parts.look(at: 920)
        )
        #expect(early == nil && deadline == seconds(920) && before == nil)
        #expect(then?.kind == .refused)
    }

    @Test func `rows of another provider that go on hold it up`() {
        let world = World()
        world.lastAnswerOfOtherRoutes = seconds(50)
        var parts = Parts(world)
        parts.hearNothing()
        let (deadline, before, then) = (
            parts.deadline(at: 60), parts.look(at: 109), parts.look(at: 110)
        )
        #expect(deadline == seconds(110) && before == nil)
        #expect(then?.kind == .refused)
    }

    @Test func `a host that sits out waits for its dial, until others have its place`() {
        let world = World()
        var parts = Parts(world)
        parts.hearNothing()
        parts.books.course.sitOut(until: seconds(40))
        let waiting = parts.look(at: 39)
        // From 40 s on it waits for others.
        let without = (parts.look(at: 40), parts.look(at: 90))
        parts.books.course.sitOut(until: nil)
        let (before, then) = (parts.look(at: 91), (parts.look(at: 110), parts.look(at: 112)))
        #expect(waiting == nil && without.0 == nil && without.1 == nil && before == nil)
        #expect(then.0 == nil && then.1?.kind == .refused)
    }

    @Test func `a pause and an empty input do not count against it`() {
        let world = World()
        var parts = Parts(world)
        parts.hearNothing()
        parts.books.course.pause(true)
        let paused = (parts.look(at: 30), parts.look(at: 100))
        parts.books.course.pause(false)
        world.hasRows = false
        let idle = parts.look(at: 200)
        world.hasRows = true
        // 30 s have counted before the pause, so that 30 are left.
        let (before, then) = (parts.look(at: 201), (parts.look(at: 230), parts.look(at: 231)))
        #expect(paused.0 == nil && paused.1 == nil && idle == nil && before == nil)
        #expect(then.0 == nil && then.1?.kind == .refused)
    }

    @Test func `a job that has stopped waits for no end`() {
        let world = World()
        var parts = Parts(world)
        parts.hearNothing()
        parts.books.course.drain(JobStop(.interrupted, "stopped"))
        let deadline = parts.deadline(at: 30)
        #expect(deadline == nil)
    }

    @Test func `a reset is serious only if it is not for calm`() {
        for isCalm in [false, true] {
            let world = World()
            var parts = Parts(world)
            let attempt = Attempt.unanswered(.reset, because: "CANCEL")
            var isSerious = false
            for _ in 0..<Limits.resetsBeforeProbes {
                isSerious = parts.watch.troubled(
                    by: attempt, on: 0, isCalm: isCalm, &parts.books, now: seconds(1))
            }
            #expect(isSerious == !isCalm)
        }
    }
}

private func seconds(_ value: Int64) -> Instant { Instant(nanoseconds: value * 1_000_000_000) }
