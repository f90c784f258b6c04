import FanfareBase
import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Foundation
import Synchronization
import Testing

@testable import Fanfare

/// Rows that wait for their windows, on a clock that the test sets.
@Suite struct HoursGateTests {
    /// Milliseconds of UNIX time, as the test wants them.
    private final class Clock: Sendable {
        private let milliseconds: Mutex<Int64>

        init(_ text: String) throws { milliseconds = Mutex(try Self.moment(text)) }

        var now: Int64 { milliseconds.withLock { $0 } }

        func set(_ text: String) throws {
            let moment = try Self.moment(text)
            milliseconds.withLock { $0 = moment }
        }

        static func moment(_ text: String) throws -> Int64 {
            Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1000
        }
    }

    private let folder: TemporaryFolder
    private static let schema = RowSchema(extra: ["name", "tz"])

    init() throws { folder = try TemporaryFolder() }

    private func gate(
        _ clock: Clock, zone: String? = nil, skips: Bool = false, until: Int64? = nil
    ) -> HoursGate {
        HoursGate(
            WindowSettings(
                window: Hours(opensMinute: 9 * 60, closesMinute: 20 * 60), zone: zone,
                slot: Self.schema.slot(named: "tz"), skips: skips, untilMilliseconds: until,
                folder: folder.path),
            clock: { clock.now })
    }

    private func source(_ inputs: [RowInput]) -> RowSource {
        RowSource(
            inputs, InputSpec(schema: Self.schema, required: [("token", "every row needs")]))
    }

    private func batch(rows: Int = 64) -> RowBatch {
        RowBatch(inputCapacity: 4096, rowCapacity: rows, slotCount: Self.schema.slotCount)
    }

    /// All that a lane sees of a row.
    private func seen(_ batch: RowBatch, _ index: Int) -> [String] {
        let fields = (0..<batch.slotCount).map { slot in
            let field = batch.field(row: index, slot: slot)
            return "\(field.kind) \(String(decoding: batch.value(field), as: UTF8.self))"
        }
        return fields + [
            String(decoding: batch.rawRow(index), as: UTF8.self),
            "\(batch.number(of: index)) \(batch.rows[index].line) \(batch.hasJSONStrings)",
            "\(batch.hasCarriageReturn(index))",
        ]
    }

    @Test func `rows come back as they were, and in the order of their windows`() throws {
        var csv = "token,name,tz\r\n"
        var ndjson = ""
        // India opens at 03:30 UTC, Berlin at 08:00 in winter: more than a block of each.
        for number in 1...1500 {
            let zone = number % 3 == 0 ? "Asia/Kolkata" : "Europe/Berlin"
            let name = number % 5 == 0 ? "\"a \"\"\(number)\"\"\nb\"" : "n\(number)"
            csv +=
                "aa\(number),\(name)\(String(repeating: "x", count: 100)),\(zone)\r\n"
                .replacing("b\"x", with: "b\",\(zone)\r\n#").split(separator: "#")[0]
            ndjson +=
                #"{"token":"bb","name":"\u00e4\n\#(number)","payload":{"a":[1]},"tz":"\#(zone)"}"#
            ndjson += "\n"
        }
        let clock = try Clock("2026-01-10T01:00:00Z")
        let gate = gate(clock)
        let source = source([.text(csv), .text(ndjson)])
        var expected: [String: [[String]]] = [:]
        let batch = batch()
        while try source.fill(batch) {
            for index in 0..<batch.rowCount {
                let isIndia = seen(batch, index)[10].contains("Kolkata")
                expected[isIndia ? "India" : "Berlin", default: []].append(seen(batch, index))
            }
            let isWanted = try gate.sort(batch, loopNow: Instant(nanoseconds: 0))
            #expect(!isWanted && batch.verdicts.allSatisfy { $0 == .waiting })
        }
        #expect(gate.waitingCount == 3000)
        #expect(try FileDescriptor.names(inFolder: folder.path).isEmpty)
        for (text, name) in [
            ("2026-01-10T03:30:00Z", "India"), ("2026-01-10T08:00:00Z", "Berlin"),
        ] {
            #expect(gate.nextMilliseconds == (try Clock.moment(text)))
            var isEarly = try gate.fill(batch)
            #expect(!isEarly)
            try clock.set(text)
            var found: [[String]] = []
            while try gate.fill(batch) {
                isEarly = try !gate.sort(batch, loopNow: Instant(nanoseconds: 0))
                #expect(!isEarly && batch.verdicts.allSatisfy { $0 == .none })
                for index in 0..<batch.rowCount { found.append(seen(batch, index)) }
            }
            #expect(found == expected[name])
        }
        #expect(gate.waitingCount == 0 && gate.nextMilliseconds == nil)
    }

    @Test func `a row outside is skipped if that is wanted, and one without a zone is invalid`()
        throws
    {
        let text = "token,tz\na,UTC\nb,Asia/Tokyo\nc,Mars/Base\nd,../etc/passwd\ne,\nf\n"
        let clock = try Clock("2026-01-10T10:00:00Z")
        for (zone, last) in [(nil, .zoneUnknown), ("UTC", .none)] as [(String?, RowBatch.Verdict)] {
            let batch = batch()
            let isRead = try source([.text(text)]).fill(batch)
            try #require(isRead)
            let gate = gate(clock, zone: zone, skips: true)
            let isWanted = try gate.sort(batch, loopNow: Instant(nanoseconds: 7))
            // Tokyo closes at 11:00 UTC. The last row cannot be read, and says so itself.
            #expect(isWanted)
            #expect(batch.verdicts == [.none, .none, .zoneUnknown, .zoneUnknown, last, .none])
            #expect(batch.closes == Instant(nanoseconds: 7).advanced(by: .seconds(3600)))
            try clock.set("2026-01-10T11:00:00Z")
            _ = try gate.sort(batch, loopNow: Instant(nanoseconds: 7))
            #expect(batch.verdicts[1] == .outsideWindow && gate.waitingCount == 0)
            try clock.set("2026-01-10T10:00:00Z")
        }
    }

    @Test func `behind the deadline nothing waits any more`() throws {
        let clock = try Clock("2026-01-10T05:00:00Z")
        let gate = gate(clock, zone: "UTC", until: try Clock.moment("2026-01-10T06:00:00Z"))
        let batch = batch()
        let isRead = try source([.text("token\na\nb\n")]).fill(batch)
        var isWanted = try gate.sort(batch, loopNow: Instant(nanoseconds: 0))
        #expect(isRead && !isWanted && gate.waitingCount == 2)
        #expect(gate.nextMilliseconds == (try Clock.moment("2026-01-10T06:00:00Z")))
        try clock.set("2026-01-10T06:00:00Z")
        let hasRows = try gate.fill(batch)
        isWanted = try gate.sort(batch, loopNow: Instant(nanoseconds: 0))
        #expect(hasRows && isWanted && batch.verdicts == [.late, .late])
        #expect(batch.number(of: 1) == 2)
    }

    @Test func `the reader hands out what is open, takes back what closes, and sleeps`() throws {
        let clock = try Clock("2026-01-10T10:00:00Z")
        let control = JobControl()
        let flow = RowFlow(batches: 3, slotCount: Self.schema.slotCount, control: control)
        let source = source([.text("token,tz\na,UTC\nb,America/New_York\nc,UTC\nd,UTC\n")])
        let gate = gate(clock)
        nonisolated(unsafe) let (source_, gate_) = (source, gate)
        let reader = try WorkerThread(name: "rows") { flow.read(from: source_, gate: gate_) }
        func next() throws -> RowBatch { try #require(flow.queue.waitForBatch()) }
        func numbers(_ batch: RowBatch) -> [UInt64] {
            (batch.cursor..<batch.rowCount).filter { batch.verdicts[$0] == .none }
                .map(batch.number(of:))
        }
        let first = try next()
        #expect(numbers(first) == [1, 3, 4])
        // One is taken up, then the window closes: the others wait for the next morning.
        first.cursor = 1
        try clock.set("2026-01-10T20:00:00Z")
        flow.queue.recycle(first)
        let second = try next()
        #expect(numbers(second) == [2])
        second.cursor = second.rowCount
        flow.queue.recycle(second)
        try clock.set("2026-01-11T08:59:59Z")
        flow.alarm.ring()
        #expect(flow.queue.rowCount == nil)
        try clock.set("2026-01-11T09:00:00Z")
        flow.alarm.ring()
        let third = try next()
        #expect(numbers(third) == [3, 4])
        third.cursor = third.rowCount
        flow.queue.recycle(third)
        #expect(flow.queue.waitForBatch() == nil)
        reader.join()
        #expect(flow.queue.rowCount == 4 && control.finalStop == nil && control.waiting == nil)
    }

    /// In the time of the pacer's clock that passes until a window has opened.
    @Test func `a pace has no late starts while all rows wait for their windows`() throws {
        let clock = try Clock("2026-01-10T00:00:00Z")
        // Every nanosecond one start, and no more than one at once.
        let pace = JobPace(PaceSettings(count: 1, period: 1, burst: 1), lanes: 1)
        let control = JobControl()
        let flow = RowFlow(
            batches: 3, slotCount: Self.schema.slotCount, control: control, paces: [pace])
        let source = source([.text("token\na\n")])
        nonisolated(unsafe) let (source_, gate_) = (source, gate(clock, zone: "UTC"))
        let reader = try WorkerThread(name: "rows") { flow.read(from: source_, gate: gate_) }
        #expect(Poll.until(seconds: 60) { flow.queue.isAsleep })
        let before = pace.withPacer { pacer in
            pacer.settle(lane: 0, used: 0, unused: 0, keepsPlace: false, now: MachineClock.now)
            return pacer.lateStarts
        }
        let after = pace.withPacer { pacer in
            pacer.settle(
                lane: 0, used: 0, unused: 0, keepsPlace: false,
                now: MachineClock.now.advanced(by: .seconds(3600)))
            return pacer.lateStarts
        }
        #expect(before == after)
        flow.close()
        reader.join()
    }

    @Test func `a reader that sleeps ends with the job`() throws {
        let clock = try Clock("2026-01-10T00:00:00Z")
        let flow = RowFlow(
            batches: 3, slotCount: Self.schema.slotCount, control: JobControl())
        let source = source([.text("token\na\n")])
        nonisolated(unsafe) let (source_, gate_) = (source, gate(clock, zone: "UTC"))
        let reader = try WorkerThread(name: "rows") { flow.read(from: source_, gate: gate_) }
        flow.close()
        reader.join()
        #expect(flow.queue.waitForBatch() == nil)
    }

    @Test func `rows that all have to wait are not read on when the job has ended`() throws {
        let clock = try Clock("2026-01-10T00:00:00Z")
        let flow = RowFlow(
            batches: 3, slotCount: Self.schema.slotCount, control: JobControl())
        let rows = String(repeating: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", count: 100_000)
        let source = source([.text("token\n" + rows)])
        flow.close()
        flow.read(from: source, gate: gate(clock, zone: "UTC"))
        #expect(source.rowCount == 0)
    }

    @Test func `a rehearsal counts the rows of each zone and says when they may go`() throws {
        let now = try Clock("2026-10-24T22:30:00Z").now / 1000
        let terms = HoursPlan.Terms(hours: Hours(opensMinute: 9 * 60, closesMinute: 20 * 60))
        // In Auckland it is half past eleven, in Berlin the night of the change.
        let counts =
            ["Europe/Berlin": [2], "Pacific/Auckland": [1], "UTC": [4]] as [String: [UInt64]]
        #expect(
            HoursPlan(counts, terms, rates: RouteRates(whole: nil, routes: [nil]), now: now)
                .lines == [
                    "Pacific/Auckland: 1 row, from 2026-10-25 11:30 to 2026-10-25 20:00 local time",
                    "Europe/Berlin: 2 rows, from 2026-10-25 09:00 to 2026-10-25 20:00 local time",
                    "UTC: 4 rows, from 2026-10-25 09:00 to 2026-10-25 20:00 local time",
                ])
    }

    @Test func `a rehearsal finds the zones that are unknown`() throws {
        let token = String(repeating: "ab", count: 32)
        var configuration = Preparation.configuration("")
        configuration.inputs = [
            .text("token,tz\n\(token),UTC\n\(token),Mars/Base\n\(token),\n\(token),UTC\n")
        ]
        configuration.report.path = folder.path("r.csv")
        configuration.window = HoursOptions(opensMinute: 0, closesMinute: 1440)
        configuration.window?.timezoneColumn = "tz"
        let result = try Rehearsal(configuration).run()
        #expect(result.windows.count == 1)
        #expect(result.windows.first?.hasPrefix("UTC: 2 rows, from ") == true)
        let lines = try folder.reportLines("r.csv")
        #expect(
            (1...4).map { lines[$0]?[6] } == [
                "valid", "line 3: time zone is unknown: tz 'Mars/Base'",
                "line 4: time zone is missing: tz",
                "valid",
            ])
    }

    @Test func `a rehearsal counts only the rows of a zone that would be sent`() throws {
        let tokens = (0..<4).map { String(repeating: "a\($0)", count: 32) }
        var configuration = Preparation.configuration("")
        configuration.inputs = [
            .text(
                """
                token,tz,expiration,kind
                \(tokens[0]),UTC,0,x
                \(tokens[0]),UTC,0,x
                \(tokens[1]),UTC,1000000000,x
                \(tokens[2]),UTC,0,x
                \(tokens[3]),UTC,0,y
                zz,UTC,0,x
                \(tokens[0]),Mars/Base,0,x

                """)
        ]
        configuration.report.path = folder.path("r.csv")
        configuration.rows.deduplication = .first
        configuration.rows.suppressions = [.text(tokens[2] + "\n")]
        configuration.rows.choice.conditions = [try RowCondition("kind=x")]
        configuration.window = HoursOptions(opensMinute: 0, closesMinute: 1440)
        configuration.window?.timezoneColumn = "tz"
        let result = try Rehearsal(configuration).run()
        #expect(result.windows.first?.hasPrefix("UTC: 1 row, from ") == true, "\(result.windows)")
        // As a job has it: a row that is left out needs no zone.
        #expect(try folder.reportLines("r.csv")[7]?[6] == "token is a duplicate")
    }

    @Test func `a rehearsal with an end tells the rows that do not fit`() throws {
        let token = String(repeating: "ab", count: 32)
        var configuration = Preparation.configuration("")
        configuration.inputs = [
            .text("token\n" + String(repeating: "\(token)\n", count: 100) + "zz\n")
        ]
        configuration.report.path = Rehearsal.noReport
        // Two rows a day: in 64 hours five and a third.
        configuration.engine.rate = SendingRate(1, per: .seconds(12 * 3600))
        configuration.engine.untilMilliseconds = WallClock.milliseconds + 64 * 3_600_000
        let all = try Rehearsal(configuration).run()
        #expect(all.plannedUnsent.map(\.rows) == [95] && all.windows.isEmpty)
        configuration.rows.choice.limit = 7
        #expect(try Rehearsal(configuration).run().plannedUnsent.map(\.rows) == [2])
        configuration.rows.choice.limit = 5
        #expect(try Rehearsal(configuration).run().plannedUnsent.isEmpty)
    }

    @Test func `what may have been sent is not sent again where its window is closed`() throws {
        let clock = try Clock("2026-01-10T05:00:00Z")
        let batch = batch()
        let isRead = try source([.text("token,tz\na,UTC\nb,Mars/Base\nc,Asia/Tokyo\n")]).fill(batch)
        batch.verdicts = [.inDoubt, .inDoubt, .inDoubt]
        let isWanted = try gate(clock, skips: true).sort(batch, loopNow: Instant(nanoseconds: 0))
        #expect(isRead && isWanted && batch.verdicts == [.inDoubtHeld, .inDoubtHeld, .inDoubt])
    }

    @Test func `that rows can be put aside is proved before anything is sent`() throws {
        try WaitingRows.prove(folder.path)
        #expect(try FileDescriptor.names(inFolder: folder.path).isEmpty)
        let nowhere = fanfareError { try WaitingRows.prove("/nowhere") }
        #expect(nowhere?.code == .output)
        #expect(nowhere?.message.contains("a file in /nowhere, where rows wait") == true)
    }
}
