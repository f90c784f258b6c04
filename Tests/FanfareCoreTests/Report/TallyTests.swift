import FanfareCore
import FanfareTestSupport
import Testing

@Suite struct TallyTests {
    @Test func `rows are counted by outcome, attempts and retries`() {
        let tally = TallySample.hundredRows()
        #expect(tally.count(.accepted) == 90)
        #expect(tally.count(.unregistered) == 4)
        #expect(tally.count(.failed) == 2)
        #expect(tally.count(.throttled) == 0)
        #expect(tally.finished == 100)
        #expect(tally.indefinite == 3)
        #expect(tally.attempts == 90 + 4 + 10 + 1)
        #expect(tally.retries == 8)
    }

    @Test func `reasons are listed by outcome, the most frequent first`() {
        let expected: [Tally.ReasonCount] = [
            .init(outcome: .accepted, status: 200, reason: "", count: 90),
            .init(outcome: .unregistered, status: 410, reason: "Unregistered", count: 3),
            .init(outcome: .unregistered, status: 410, reason: "ExpiredToken", count: 1),
            .init(outcome: .failed, status: 502, reason: "", count: 1),
            .init(outcome: .failed, status: 503, reason: "ServiceUnavailable", count: 1),
            .init(outcome: .unknown, status: 0, reason: "connection lost", count: 1),
            .init(outcome: .invalid, status: 0, reason: "token is empty", count: 2),
            .init(outcome: .skipped, status: 0, reason: "token is a duplicate", count: 1),
        ]
        #expect(TallySample.hundredRows().reasons == expected)
    }

    @Test func `merged lanes are as one`() {
        var whole = TallySample.hundredRows()
        whole.bytesSent = 10
        var other = TallySample.hundredRows()
        TallySample.record(&other, .rejected, 400, "NeverSeenBefore")
        other.rowsRead += 1
        other.bytesSent = 5
        other.connectionsOpened = 2
        whole.merge(other)
        #expect(whole.rowsRead == 201 && whole.finished == 201)
        #expect(whole.attempts == 211 && whole.retries == 16)
        #expect(whole.bytesSent == 15 && whole.connectionsOpened == 2)
        let counts = whole.reasons
        #expect(counts.count == 9)
        #expect(counts.reduce(0) { $0 + $1.count } == 201)
        #expect(counts.contains { $0.reason == "connection lost" && $0.count == 2 })
        #expect(counts.contains { $0.reason == "NeverSeenBefore" && $0.count == 1 })
    }

    /// A resumed job knows rows of its earlier run by their text alone.
    @Test func `a reason that is known by its text and by its place in the table is one`() {
        var tally = Tally()
        let accepted = ResponseClass.of(
            status: 200, reason: UnsafeBufferPointer(start: nil, count: 0), bodyIsJSON: true)
        for index in [accepted.reasonIndex, .unlisted, accepted.reasonIndex] {
            tally.record(
                .unregistered, status: 200, reason: UnsafeBufferPointer(start: nil, count: 0),
                index: index, attempts: 1)
        }
        #expect(
            tally.reasons
                == [.init(outcome: .unregistered, status: 200, reason: "", count: 3)])
    }

    @Test func `unlisted reasons are bounded, and nothing is lost`() {
        var tally = Tally()
        for number in 0..<1000 {
            TallySample.record(
                &tally, number.isMultiple(of: 2) ? .rejected : .failed, 400, "r\(number)")
        }
        TallySample.record(&tally, .rejected, 400, "r0")
        var other = Tally()
        TallySample.record(&other, .rejected, 400, "new")
        tally.merge(other)
        let reasons = tally.reasons
        #expect(reasons.count == 64 + 2)
        #expect(reasons.reduce(0) { $0 + $1.count } == 1002)
        #expect(reasons.contains { $0.reason == "r0" && $0.count == 2 })
        let others = reasons.filter { $0.reason == "other" }
        #expect(others.map(\.outcome) == [.rejected, .failed])
        #expect(others.map(\.count) == [469, 468])
    }

    @Test func `the same reason for another outcome or status is another reason`() {
        var tally = Tally()
        TallySample.record(&tally, .rejected, 400, "x")
        TallySample.record(&tally, .rejected, 404, "x")
        TallySample.record(&tally, .failed, 400, "x")
        #expect(tally.reasons.count == 3)
    }

    @Test func `the identity holds exactly when all rows read have an outcome`() {
        var tally = TallySample.hundredRows()
        #expect(tally.identityViolation() == nil)
        tally.rowsRead = 101
        let violation = tally.identityViolation()
        #expect(
            violation
                == "101 rows were read, but 100 have an outcome (accepted 90, unregistered 4, "
                + "suspect 0, rejected 0, throttled 0, failed 2, unknown 1, invalid 2, skipped 1)")
        tally.rowsRead = 99
        #expect(tally.identityViolation() != nil)
    }
}

@Suite struct ExitStatusTests {
    /// The testing library has a type of this name, too.
    typealias ExitStatus = FanfareCore.ExitStatus

    static func tally(_ counts: [Outcome: Int], unread: Int = 0) -> Tally {
        var tally = Tally()
        for (outcome, count) in counts {
            for _ in 0..<count { TallySample.record(&tally, outcome) }
        }
        tally.rowsRead = tally.finished + UInt64(unread)
        return tally
    }

    @Test func `the numbers are those of the manual`() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 70, 129, 130, 143])
    }

    static let finished: [([Outcome: Int], Bool, Bool, ExitStatus)] = [
        ([:], false, false, .success),
        ([:], true, false, .success),
        ([.accepted: 3], true, false, .success),
        ([.accepted: 3, .unregistered: 1, .suspect: 1, .rejected: 1], false, false, .success),
        ([.accepted: 3, .invalid: 1, .skipped: 1], false, false, .success),
        ([.accepted: 3, .skipped: 1], true, false, .incomplete),
        ([.accepted: 3, .unregistered: 1], true, false, .incomplete),
        ([.accepted: 3, .throttled: 1], false, false, .incomplete),
        ([.accepted: 3, .failed: 1], false, false, .incomplete),
        ([.accepted: 3, .unknown: 1], false, false, .incomplete),
        ([.accepted: 3], false, true, .thresholdCrossed),
        ([.accepted: 3, .failed: 1], true, true, .thresholdCrossed),
        ([.invalid: 3], false, false, .incomplete),
        ([.suspect: 3], false, false, .incomplete),
        ([.unregistered: 2, .rejected: 1], false, false, .incomplete),
        ([.skipped: 3], false, false, .incomplete),
        ([.skipped: 3], false, true, .thresholdCrossed),
    ]

    @Test(arguments: finished)
    func `a finished job's status follows from its outcomes`(
        counts: [Outcome: Int], strict: Bool, crossed: Bool, expected: ExitStatus
    ) {
        let status = ExitStatus.of(
            tally: Self.tally(counts), strict: strict, thresholdCrossed: crossed, stop: nil)
        #expect(status == expected)
    }

    @Test(
        arguments: [
            (JobStop.Kind.refused, Int32(3)), (.inputOutput, 4), (.bug, 70), (.interrupted, 130),
            (.terminated, 143), (.hungUp, 129),
        ])
    func `a stopped job's status is its cause's, with any rows`(
        stop: JobStop.Kind, number: Int32
    ) {
        let tally = Self.tally([.accepted: 1, .failed: 1], unread: 5)
        let status = ExitStatus.of(
            tally: tally, strict: true, thresholdCrossed: true, stop: stop)
        #expect(status.rawValue == number)
    }

    @Test func `a finished job with rows unaccounted for is a bug`() {
        let status = ExitStatus.of(
            tally: Self.tally([.accepted: 1], unread: 1), strict: false, thresholdCrossed: true,
            stop: nil)
        #expect(status == .bug)
    }
}
