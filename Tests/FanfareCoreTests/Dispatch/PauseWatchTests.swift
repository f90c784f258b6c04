import FanfareBase
import Testing

@testable import FanfareCore

/// The beginning and the end of a lane's pause.
@Suite struct PauseWatchTests {
    private var watch = PauseWatch()

    private static func seconds(_ value: Double) -> Instant {
        Instant(nanoseconds: Int64(value * 1e9))
    }

    private mutating func hear(_ status: UInt16, _ reason: String = "") {
        Array(reason.utf8).withUnsafeBufferPointer { watch.refused(status, $0) }
    }

    private mutating func look(
        until: Double? = nil, rows: Int = 4, isQuota: Bool = false, isAtRest: Bool = false,
        verdicts: UInt64 = 7, at moment: Double
    ) -> PauseWatch.News {
        watch.look(
            until.map { .init(until: Self.seconds($0), rows: rows, isQuota: isQuota) },
            isAtRest: isAtRest, verdicts: verdicts, now: Self.seconds(moment))
    }

    @Test mutating func `it begins when the next start is a second away`() {
        hear(503, "UNAVAILABLE")
        let (short, long) = (look(until: 1.9, at: 1), look(until: 2, at: 1))
        let pause = ProviderPause(
            .answer("503 UNAVAILABLE"), until: Self.seconds(2), rows: 4)
        #expect(short == .none && long == .began(pause) && watch.pause == pause)
    }

    @Test mutating func `a try that is refused as well goes on with it`() {
        hear(503)
        _ = look(until: 11, at: 1)
        let trying = look(at: 11)
        #expect(trying == .none && watch.pause?.until == Self.seconds(11))
        hear(429, "QUOTA")
        let refused = look(until: 31, rows: 3, at: 11.1)
        #expect(refused == .none)
        #expect(
            watch.pause
                == ProviderPause(.answer("429 QUOTA"), until: Self.seconds(31), rows: 3))
    }

    @Test mutating func `a verdict ends it, and the end of the rows does so unsaid`() {
        hear(503)
        _ = look(until: 11, at: 1)
        let verdict = look(verdicts: 8, at: 12)
        #expect(verdict == .ended(11_000_000_000) && watch.pause == nil)
        _ = look(until: 31, verdicts: 8, at: 12)
        let rest = look(isAtRest: true, verdicts: 8, at: 32)
        #expect(rest == .none && watch.pause == nil)
    }

    @Test mutating func `words that are none are left out, and there may be none at all`() {
        _ = look(until: 11, at: 1)
        #expect(watch.pause?.cause == .noAnswer)
        hear(503, "token a1b2c3")
        _ = look(until: 12, at: 2)
        #expect(watch.pause?.cause == .answer("503"))
        _ = look(until: 13, isQuota: true, at: 3)
        #expect(watch.pause?.cause == .quota)
    }

    @Test func `lanes of one provider are one, with the first next try`() {
        var sum = ProviderPause(.answer("503"), until: Self.seconds(9), rows: 2)
        sum += ProviderPause(.answer("429"), until: Self.seconds(5), rows: 3)
        sum += ProviderPause(.quota, until: Self.seconds(7), rows: 1)
        #expect(sum == ProviderPause(.answer("429"), until: Self.seconds(5), rows: 6))
    }
}
