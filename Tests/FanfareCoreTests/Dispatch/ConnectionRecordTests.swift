import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct ConnectionRecordTests {
    private let settings = DispatchSettings(
        connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
        timeout: .seconds(60), retry: RetryPolicy())

    private func seconds(_ value: Int) -> Instant {
        Instant(nanoseconds: Int64(value) * 1_000_000_000)
    }

    /// One that was dialled at 1 s, and is up.
    private func open(isSerial: Bool = false) -> ConnectionRecord {
        var record = ConnectionRecord(cap: 10)
        record.dialStarted(now: seconds(1))
        record.connected(
            startsAlone: false, calm: nil, capacity: nil, isSerial: isSerial,
            age: .init(replacement: seconds(1000), end: seconds(2000)))
        return record
    }

    @Test func `while it is set up only that has a clock`() {
        var record = ConnectionRecord(cap: 10)
        #expect(record.deadline(oldest: nil, settings) == .distantFuture)
        record.dialStarted(now: seconds(1))
        #expect(record.deadline(oldest: nil, settings) == seconds(11))
        #expect(!record.takesRequests && !record.isUp)
    }

    @Test func `age asks for a replacement first, and later for an end`() {
        var record = open()
        #expect(record.deadline(oldest: nil, settings) == seconds(1000))
        if case .goOn = record.look(atAge: seconds(999)) {} else { Issue.record("too early") }
        if case .leave = record.look(atAge: seconds(1000)) {} else { Issue.record("stays") }
        record.leave()
        #expect(record.takesRequests)
        #expect(record.deadline(oldest: nil, settings) == seconds(2000))
        if case .retire = record.look(atAge: seconds(2000)) {} else { Issue.record("stays") }
        #expect(record.retire() == .close)
        #expect(record.deadline(oldest: nil, settings) == .distantFuture)
    }

    @Test func `what cannot leave has the time of an attempt from when that began`() {
        var record = open()
        record.blocked(isFull: false, isHeld: true, now: seconds(5))
        record.blocked(isFull: false, isHeld: true, now: seconds(9))
        #expect(record.blockedEnd(timeoutNanoseconds: 60_000_000_000) == seconds(65))
        #expect(record.deadline(oldest: nil, settings) == seconds(65))
        record.blocked(isFull: true, isHeld: true, now: seconds(10))
        record.blocked(isFull: true, isHeld: false, now: seconds(11))
        #expect(record.blockedEnd(timeoutNanoseconds: 60_000_000_000) == seconds(70))
        record.blocked(isFull: false, isHeld: false, now: seconds(12))
        #expect(record.blockedEnd(timeoutNanoseconds: 60_000_000_000) == nil)
    }

    @Test func `no streams for half a minute while rows wait is of no use`() {
        var record = open()
        record.settingsReceived(maxConcurrentStreams: 0)
        #expect(record.isShut)
        let looks = [(10, true), (39, true), (39, false), (50, true)].map {
            record.isUseless(keepsRows: $0.1, now: seconds($0.0))
        }
        #expect(looks == [false, false, false, false])
        #expect(record.deadline(oldest: nil, settings) == seconds(80))
        let isUseless = record.isUseless(keepsRows: true, now: seconds(80))
        #expect(isUseless)
        record.settingsReceived(maxConcurrentStreams: 1)
        #expect(!record.isShut)
    }

    @Test func `silence is counted from the oldest request, and ends with a byte`() {
        var record = open()
        record.received(now: seconds(2))
        #expect(record.lookAtSilence(oldest: seconds(20), now: seconds(29)) == .wait)
        #expect(record.deadline(oldest: seconds(20), settings) == seconds(30))
        #expect(record.lookAtSilence(oldest: seconds(20), now: seconds(30)) == .ping)
        #expect(record.deadline(oldest: seconds(20), settings) == seconds(40))
        record.received(now: seconds(31))
        #expect(record.lookAtSilence(oldest: seconds(20), now: seconds(40)) == .wait)
    }

    @Test func `of HTTP 1 it has one request at a time, and is not asked for a sign of life`() {
        var record = open(isSerial: true)
        #expect(record.room == 1 && record.window.isProven && !record.window.isCut)
        record.requestStarted()
        #expect(record.room == 0)
        // The time for the answer, 60 s, ends it, and no silence before.
        #expect(record.deadline(oldest: seconds(20), settings) == seconds(80))
        for time in [30, 40, 79] {
            #expect(record.lookAtSilence(oldest: seconds(20), now: seconds(time)) == .wait)
        }
        #expect(record.requestEnded(answeredAt: seconds(50)) == .goOn)
        #expect(record.room == 1)
        // The next one in its place may be another.
        _ = record.retire()
        record.lost()
        record.dialStarted(now: seconds(60))
        record.connected(
            startsAlone: false, calm: nil, capacity: nil,
            age: .init(replacement: seconds(1000), end: seconds(2000)))
        record.settingsReceived(maxConcurrentStreams: 100)
        #expect(record.room == 10)
    }

    @Test func `the lowest id of all GOAWAYs counts`() {
        var record = open()
        #expect(!record.isDismissed)
        for last in [Int32.max, 7, 9] { record.goAwayReceived(last: last) }
        #expect(record.isDismissed && record.lastGoAway == 7)
        _ = record.retire()
        record.lost()
        record.dialStarted(now: seconds(50))
        #expect(!record.isDismissed)
    }

    @Test func `one that ends idle after its trial was none`() {
        var record = open()
        record.settingsReceived(maxConcurrentStreams: 10)
        #expect(record.wasTried(now: seconds(1)))
        #expect(!record.wasTried(now: seconds(500)))
        // One stream is room for a request, and none is not.
        record.settingsReceived(maxConcurrentStreams: 1)
        #expect(!record.wasTried(now: seconds(500)))
        record.settingsReceived(maxConcurrentStreams: 0)
        #expect(record.wasTried(now: seconds(500)))
        record.settingsReceived(maxConcurrentStreams: 10)
        record.requestStarted()
        #expect(record.requestEnded(answeredAt: nil) == .goOn)
        #expect(record.wasTried(now: seconds(500)) && !record.hasAnswered)
    }
}
