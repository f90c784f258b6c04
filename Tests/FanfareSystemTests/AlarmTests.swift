import FanfareBase
import Testing

@testable import FanfareSystem

/// A thread that sleeps until it is wanted.
@Suite struct AlarmTests {
    private static let never = Instant.distantFuture

    @Test func `a ring before the sleep ends it, once`() {
        let alarm = Alarm()
        alarm.ring()
        alarm.ring()
        #expect(alarm.sleep(until: Self.never))
        // Nothing rings any more: the moment does it.
        #expect(alarm.sleep(until: Instant(nanoseconds: 0)))
        #expect(!alarm.hasEnded)
    }

    @Test func `another thread wakes it, and ends it`() throws {
        let alarm = Alarm()
        let ringer = try WorkerThread(name: "ringer") { alarm.ring() }
        #expect(alarm.sleep(until: Self.never))
        ringer.join()
        let ender = try WorkerThread(name: "ender") { alarm.end() }
        #expect(!alarm.sleep(until: Self.never))
        ender.join()
        #expect(alarm.hasEnded && !alarm.sleep(until: Self.never))
    }
}
