import FanfareBase
import Testing

@testable import Fanfare
@testable import FanfareCore

@Suite struct ReportDeskTests {
    private static func seconds(_ value: Int) -> Instant {
        Instant(nanoseconds: Int64(value) * 1_000_000_000)
    }

    private func desk(_ world: Writer) -> ReportDesk {
        ReportDesk(
            PreparationSettings(
                schema: RowSchema(), template: nil, report: ReportFormat(.csv), hasReport: true,
                carriedSlots: [], validates: true),
            world, WallTime(world))
    }

    /// The outcome of a row with one attempt, whose request started then.
    private func line(startedAt: Instant?) throws -> [Substring] {
        let world = Writer()
        var desk = desk(world)
        var row = PreparedRow.sample()
        row.number = 7
        var request = Request()
        request.attempts = 1
        if let startedAt { request.startedAt = startedAt }
        var attempt = Attempt()
        attempt.class = ResponseClass(.failed)
        attempt.status = 503
        desk.ended(row, request, attempt, now: startedAt ?? .distantPast)
        desk.submit()
        let lines = try #require(world.submitted.first)
        return lines.split(separator: ",", omittingEmptySubsequences: false)
    }

    @Test func `a row has the moment of its last attempt`() throws {
        // The engine's clock began at this moment.
        #expect(try line(startedAt: Self.seconds(3)).last == "2023-11-14T22:13:23.000Z\n")
    }

    @Test func `a row that an earlier run has sent, and this one has not, has no moment`() throws {
        #expect(try line(startedAt: nil).last == "\n")
    }

    @Test(
        arguments: [
            (1_700_000_000_123, false, "2023-11-14T22:13:20.123Z"), (nil, false, ""),
            (nil, true, "2023-11-14T22:13:23.000Z"),
        ] as [(Int64?, Bool, String)])
    func `a dead token has the provider's time, or that of sending where it names none`(
        timestamp: Int64?, isDeadWhenSent: Bool, text: String
    ) throws {
        let world = Writer()
        var desk = desk(world)
        var request = Request()
        request.attempts = 1
        request.startedAt = Self.seconds(3)
        var attempt = Attempt()
        attempt.class = ResponseClass(.unregistered)
        attempt.status = 404
        attempt.timestamp = timestamp
        attempt.isDeadWhenSent = isDeadWhenSent
        desk.ended(PreparedRow.sample(), request, attempt, now: Self.seconds(4))
        // Of no other outcome there is such a time.
        attempt.class = ResponseClass(.suspect)
        desk.ended(PreparedRow.sample(), request, attempt, now: Self.seconds(4))
        desk.submit()
        let lines = try #require(world.submitted.first).split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(lines.map { $0[$0.count - 2] } == [text[...], ""])
    }

    @Test func `lines wait a tenth of a second at most, and nothing is handed over without one`() {
        let world = Writer()
        var desk = desk(world)
        desk.submit()
        var deadlines = [desk.deadline]
        #expect(world.submitted.isEmpty)
        desk.skipped(PreparedRow.sample(), .tokenDuplicate, now: Self.seconds(1))
        deadlines.append(desk.deadline)
        desk.submitIfOld(now: Instant(nanoseconds: 1_099_999_999))
        #expect(world.submitted.isEmpty)
        desk.submitIfOld(now: Instant(nanoseconds: 1_100_000_000))
        deadlines.append(desk.deadline)
        #expect(deadlines == [nil, Instant(nanoseconds: 1_100_000_000), nil])
        #expect(world.submitted.count == 1)
        let skipped = desk.tally.outcomes[.skipped]
        #expect(skipped == 1)
    }

    @Test(arguments: [ReportFormat.Kind.csv, .ndjson])
    func `outcomes come as values up to the row that they are wanted to`(
        kind: ReportFormat.Kind
    ) throws {
        let schema = RowSchema(extra: ["say"])
        let settings = PreparationSettings(
            schema: schema, template: nil,
            report: ReportFormat(kind, carriedNames: ["say"], provider: .fcm),
            hasReport: true, carriedSlots: [try #require(schema.slot(named: "say"))],
            validates: true, outcomesUpTo: 2)
        let text = "token,id,say,payload\naabb,u3,\"a\nb\",{}\nno token,,,{}\nccdd,u4,x,{}\n"
        let reader = try RowReader(.text(text), InputSpec(schema: schema))
        let batch = RowBatch(slotCount: schema.slotCount)
        #expect(try reader.fill(batch) && batch.rowCount == 3)
        let world = Writer()
        var desk = ReportDesk(settings, world, WallTime(world))
        var preparer = RowPreparer(settings, APNs.sample)
        var row = PreparedRow()
        let reason: StaticString = "Unregistered"
        let messageID: StaticString = "9D2A"
        var request = Request()
        request.attempts = 2
        request.startedAt = Self.seconds(3)
        var attempt = Attempt()
        attempt.class = ResponseClass(.unregistered)
        attempt.status = 410
        attempt.timestamp = 1_700_000_000_123
        attempt.reason = reason.bytes
        attempt.messageID = messageID.bytes
        for index in 0..<3 {
            if preparer.prepare(batch, index, into: &row) {
                let now = Self.seconds(3).advanced(byNanoseconds: 12_345_400)
                desk.ended(row, request, attempt, now: now)
            } else {
                desk.invalid(row, preparer, now: Self.seconds(3))
            }
        }
        desk.submit()
        #expect(
            world.outcomes == [
                RowOutcome(
                    row: 1, outcome: .unregistered, status: 410, attempts: 2,
                    latencyNanoseconds: 12_345_000, unregisteredAtMilliseconds: 1_700_000_000_123,
                    sentAtMilliseconds: 1_700_000_003_000, reason: "Unregistered",
                    messageID: "9D2A",
                    id: "u3", token: "aabb", provider: .fcm, carried: ["a\nb"]),
                RowOutcome(
                    row: 2, outcome: .invalid, status: 0, attempts: 0, latencyNanoseconds: -1,
                    reason: "line 4: token is not hexadecimal", token: "no token", provider: .fcm,
                    carried: [""]),
            ])
        // The third row has nothing but its line.
        #expect(world.submitted.first?.contains("ccdd") == true)
    }

    @Test func `whether the writer is behind is asked with each block`() {
        let world = Writer()
        var desk = desk(world)
        world.isReportBehind = true
        var isBehind = [desk.isBehind]
        desk.skipped(PreparedRow.sample(), .tokenDuplicate, now: Self.seconds(1))
        desk.submit()
        isBehind.append(desk.isBehind)
        #expect(isBehind == [false, true])
    }
}

/// A writer, and a world without anything else.
private final class Writer: QuietEnvironment {
    var submitted: [String] = []
    var outcomes: [RowOutcome] = []
    var isReportBehind = false

    let now = Instant(nanoseconds: 0)
    let isInputExhausted = true
    func submit(_ block: ReportBlock) {
        submitted.append(String(decoding: block.bytes(of: .report), as: UTF8.self))
        outcomes += block.outcomes.all
    }
}
