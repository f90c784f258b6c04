import FanfareBase
import FanfareHTTP2
import Testing

@testable import Fanfare
@testable import FanfareCore

/// Rows about which the reader has decided, in a lane that sends nothing any more.
@Suite struct RowVerdictReportTests {
    private static let token = String(repeating: "b2", count: 32)

    /// A lane after its first turn, at which the time for its rows is over.
    private static func turn(
        of world: RowsAlone, _ preparation: PreparationSettings
    ) -> LaneEngine {
        var lane = LaneSettings(
            dispatch: DispatchSettings(
                connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
                timeout: .seconds(1), retry: RetryPolicy(attemptsMax: 1)),
            preparation: preparation,
            connection: ConnectionSettings(
                session: ClientSessionConfiguration(streamCapacity: 10), service: APNs.sample))
        lane.untilMilliseconds = 1
        var engine = LaneEngine(settings: lane, environment: world, seed: 1)
        engine.turn(now: world.now)
        return engine
    }

    @Test
    func `a row without a route says so, and not that its token breaks another provider's rules`()
        throws
    {
        let schema = RowSchema(extra: ["provider"])
        let settings = PreparationSettings(
            schema: schema, template: nil, report: ReportFormat(.csv, provider: .apns),
            hasReport: true,
            carriedSlots: [], validates: true, providerSlot: schema.slot(named: "provider"))
        let verdicts: [(row: String, RowBatch.Verdict, reason: String)] = [
            ("APA91b,Nokia,{}", .providerUnknown, "line 2: provider is unknown: Nokia"),
            (
                "\(Self.token),web,", .providerNotInJob,
                "line 3: the job does not send to this provider: web"
            ),
            (
                "\(Self.token),,{}", .providerNotInJob,
                "line 4: the job does not send to this provider: apns"
            ),
            ("APA91b,,{}", .tokenOfNoProvider, "line 5: token fits no provider of this job"),
            ("APA91b,ios,{}", .none, "line 6: token is not hexadecimal"),
            ("\(Self.token),ios,{}", .none, "deadline has passed"),
            ("\(Self.token),ios,{}", .none, "line 8: not UTF-8"),
        ]
        let text = "token,provider,payload\n" + verdicts.map { $0.row + "\n" }.joined()
        let batch = RowBatch(slotCount: schema.slotCount)
        let isRead = try RowReader(.text(text), InputSpec(schema: schema)).fill(batch)
        try #require(isRead && batch.rowCount == verdicts.count)
        batch.verdicts = verdicts.map(\.1)
        batch.rows[6].fault = RowFault(.invalidUTF8)
        let world = RowsAlone([batch])
        let engine = Self.turn(of: world, settings)
        let (tally, isFinished) = (engine.books.report.tally, engine.isFinished)
        #expect(isFinished && tally.rowsRead == 7)
        #expect(tally.count(.invalid) == 6 && tally.count(.skipped) == 1)
        let reasons = world.lines.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(
            verdicts.allSatisfy { verdict in reasons.contains { $0.contains("\(verdict.reason)") } }
        )
        // A row of no provider has none, and so has one that cannot be read: it may be for any of them.
        let providers = Dictionary(
            uniqueKeysWithValues: reasons.map { ("\($0[0])", "\($0[3])") })
        #expect(
            (1...7).map { providers["\($0)"] } == ["", "", "", "", "apns", "apns", ""])
        // A counted refusal has nothing of the row in it.
        #expect(
            tally.reasons.first { $0.reason == "the job does not send to this provider" }?.count
                == 2)
    }

    /// Its own worker may have sent it, and have a line of it.
    @Test func `a row that was written off for another worker is not for this one to send again`()
        throws
    {
        let schema = RowSchema()
        let row = "\(Self.token),{}\n"
        let batch = RowBatch(slotCount: schema.slotCount)
        let isRead = try RowReader(.text("token,payload\n" + row + row), InputSpec(schema: schema))
            .fill(batch)
        try #require(isRead && batch.rowCount == 2)
        batch.verdicts = [.workerLost, .inDoubtHeld]
        let world = RowsAlone([batch])
        var preparation = PreparationSettings(
            schema: schema, template: nil, report: ReportFormat(.csv), hasReport: true,
            carriedSlots: [], validates: true)
        preparation.keepsText = true
        let engine = Self.turn(of: world, preparation)
        let tally = engine.books.report.tally
        #expect(world.lines.contains(",unknown,,worker lost,"))
        #expect(world.lines.contains(",unknown,,interrupted,"))
        #expect(tally.count(.unknown) == 2 && tally.writtenOff == 1 && tally.toSendAgain == 1)
        #expect(world.retryRows == row)
    }

    @Test func `rows that no provider is asked about are passed some at a time`() throws {
        let schema = RowSchema()
        let count = Limits.rowsPassedAtOnce + 3
        let rows = (0..<count).map { $0 == 1 ? "xyz,{}\n" : "\(Self.token),{}\n" }.joined()
        let reader = try RowReader(.text("token,payload\n" + rows), InputSpec(schema: schema))
        var batches: [RowBatch] = []
        while true {
            let batch = RowBatch(slotCount: schema.slotCount)
            guard try reader.fill(batch) else { break }
            batches.append(batch)
        }
        let world = RowsAlone(batches)
        var service = APNs.sample.settings
        service.validatesOnly = true
        var lane = LaneSettings(
            dispatch: DispatchSettings(
                connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
                timeout: .seconds(1), retry: RetryPolicy(attemptsMax: 1)),
            preparation: PreparationSettings(
                schema: schema, template: nil, report: ReportFormat(.csv), hasReport: true,
                carriedSlots: [], validates: true),
            connection: ConnectionSettings(
                session: ClientSessionConfiguration(streamCapacity: 10), service: APNs(service)))
        // One of two, which keeps its rows though no connection answers: what it handed back would be gone here.
        lane.dispatch.lanes = 2
        var engine = LaneEngine(settings: lane, environment: world, seed: 1)
        engine.pause(true)
        engine.turn(now: world.now)
        let paused = engine.books.report.tally.finished
        engine.pause(false)
        engine.turn(now: world.now)
        // A row that is invalid has its outcome on the way to the next good one.
        let (first, next) = (engine.books.report.tally.valid, engine.nextDeadline(now: world.now))
        let isFinished = engine.isFinished
        #expect(paused == 0 && first == UInt64(Limits.rowsPassedAtOnce) && !isFinished)
        #expect(next == world.now)
        engine.turn(now: world.now)
        let (tally, isOver) = (engine.books.report.tally, engine.isFinished)
        #expect(isOver && tally.finished == UInt64(count) && tally.rowsRead == UInt64(count))
        #expect(tally.valid == UInt64(count - 1) && tally.count(.invalid) == 1)
        #expect(world.dials == 0 && tally.attempts == 0)
    }
}
