import FanfareBase
import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Foundation
import Synchronization
import Testing

@testable import Fanfare

/// Rows of one input that go to several routes, step by step.
@Suite struct RouteReadingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func world(
        _ words: [String], routes: [ProviderKind] = [.apns, .fcm],
        past: RowHistory<MappedFile> = RowHistory()
    ) -> RouteWorld {
        RouteWorld(RouteWorld.input(words), folder: folder.path, routes: routes, past: past)
    }

    /// So many rows for two providers in turn.
    private static func inTurn(_ count: Int) -> [String] {
        (0..<count).map { $0 % 2 == 0 ? "ios" : "android" }
    }

    private static let odd: [UInt64] = Array(stride(from: 1, to: 2000, by: 2))
    private static let even: [UInt64] = Array(stride(from: 2, through: 2000, by: 2))

    private func isWaiting(_ step: RouteReading.Step, soon: Bool = false) -> Bool {
        if case .wait(let looksSoon) = step { looksSoon == soon } else { false }
    }

    @Test func `each route gets its rows, in their order`() throws {
        let world = world(Self.inTurn(2000))
        #expect(try world.deliver(to: 0, 1) == [Self.odd, Self.even])
        #expect(world.reading.endDone())
        #expect(world.flow.queues.map(\.rowCount) == [1000, 1000])
        #expect(world.flow.queues.allSatisfy { $0.isExhausted })
    }

    @Test func `a route whose lanes take nothing holds no other one up`() throws {
        let world = world(Self.inTurn(2000))
        #expect(try world.deliver(to: 1) == [[], Self.even])
        // Its lanes are done, and know it; the others have not had a row yet.
        #expect(world.reading.end != nil && !world.reading.endDone())
        #expect(world.flow.queues[1].rowCount == 1000 && world.flow.queues[1].isExhausted)
        #expect(world.flow.queues[0].rowCount == nil)
        #expect(world.reading.outboxes[0].hasWaiting && world.flow.queues[0].batchCount == 3)
        // Nothing is left of the file, also if the process is killed.
        #expect(try FileDescriptor.names(inFolder: folder.path).isEmpty)
        #expect(try world.deliver(to: 0) == [Self.odd, []])
        #expect(world.reading.endDone())
        #expect(world.flow.queues[0].rowCount == 1000)
    }

    @Test func `rows that came back are followed by later ones without a detour`() throws {
        let words = Self.inTurn(1000) + Array(repeating: "ios", count: 1000)
        let world = world(words)
        var rows: [UInt64] = []
        var batches: Set<ObjectIdentifier> = []
        // The second route is always ahead, until it has no more rows.
        while !world.reading.endDone() {
            _ = try world.readOn()
            _ = world.take(1)
            guard let batch = world.flow.queues[0].nextBatch() else { continue }
            batches.insert(ObjectIdentifier(batch))
            rows += RouteWorld.takeRows(of: batch)
            world.flow.queues[0].recycle(batch)
        }
        rows += world.take(0)
        let expected = words.indices.filter { words[$0] == "ios" }.map { UInt64($0 + 1) }
        #expect(rows == expected)
        #expect(batches.count <= 3)
    }

    @Test func `when no route has room nothing is read`() throws {
        let world = world(Self.inTurn(5000))
        #expect(isWaiting(try world.readOn()))
        // Three batches of each route, and what was at hand when the last of them was full.
        #expect(world.source.rowCount <= 2 * 3 * 65 + 65)
        let before = world.source.rowCount
        #expect(isWaiting(try world.readOn()) && world.source.rowCount == before)
    }

    @Test func `a few rows do not wait for those behind them`() throws {
        let world = world(["android"] + Array(repeating: "ios", count: 1000))
        for outbox in world.reading.outboxes { try outbox.moveOn(nil) }
        guard case .rows = try world.reading.next() else {
            Issue.record("nothing was read")
            return
        }
        #expect(world.take(1) == [1])
        #expect(try world.deliver(to: 1) == [[], []])
        // Its lanes wanted more, and know now that there is none.
        #expect(!world.reading.endDone() && world.flow.queues[1].rowCount == 1)
        #expect(try world.deliver(to: 0)[0].count == 1000)
    }

    @Test func `for lanes that take nothing the disk is not filled`() throws {
        let world = world(["android"] + Array(repeating: "ios", count: 5000))
        #expect(isWaiting(try world.readOn()))
        #expect(world.source.rowCount < 1000 && world.reading.end == nil)
    }

    @Test func `rows without a route are the first one's, and so are those that cannot be read`()
        throws
    {
        let hex = String(repeating: "ab", count: 32)
        let text = [
            "token,provider", "a,Nokia", "b,web", "c,ios", "d,ANDROID", "\(hex),", "e,", "f",
            "\(hex),gcm",
        ].joined(separator: "\n")
        let world = RouteWorld(.text(text), folder: folder.path)
        _ = try world.readOn()
        let first = try #require(world.flow.queues[0].nextBatch())
        let second = try #require(world.flow.queues[1].nextBatch())
        #expect((0..<first.rowCount).map(first.number(of:)) == [1, 2, 3, 5, 7])
        #expect(
            first.verdicts == [.providerUnknown, .providerNotInJob, .none, .none, .none])
        #expect(first.rows[4].fault.code == .tooFewFields)
        #expect((0..<second.rowCount).map(second.number(of:)) == [4, 6, 8])
        #expect(second.verdicts == [.none, .none, .none])
        #expect(world.reading.endDone())
        #expect(world.flow.queues.map(\.rowCount) == [5, 3])
    }

    @Test func `a token of none of the routes says so`() throws {
        let hex = String(repeating: "ab", count: 32)
        let world = RouteWorld(
            .text("token\nAPA91\n\(hex)\nhttps://push.example/1\n"), folder: folder.path,
            routes: [.webpush, .apns])
        _ = try world.readOn()
        let first = try #require(world.flow.queues[0].nextBatch())
        #expect(first.verdicts == [.tokenOfNoProvider, .none])
        #expect((0..<2).map(first.number(of:)) == [1, 3])
        #expect(world.take(1) == [2])
    }

    @Test func `a job that is carried on leaves out what is done, and keeps what is in doubt`()
        throws
    {
        let report =
            ReportFormat(.csv).header
            + [1, 2].map { "\($0),,aa,apns,accepted,200,,x,1,1.000,,2026-01-01T00:00:00.000Z\n" }
            .joined()
        let scan = try ReportScan(
            .text(report), format: ReportFormat(.csv), byteCount: report.utf8.count)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 65_536, alignment: 8)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 65_536)
        let marks = StartMarks(memory: memory)
        marks.set(4)
        marks.set(5)
        let past = RowHistory<MappedFile>(
            resumption: Resumption(scan, marks: marks, lastMarkedRow: 100))
        let world = world(["ios", "android", "ios", "android", "Nokia", "android"], past: past)
        _ = try world.readOn()
        let batches = try world.flow.queues.map { try #require($0.nextBatch()) }
        #expect(
            batches.map { batch in (0..<batch.rowCount).map(batch.number(of:)) }
                == [[3, 5], [4, 6]])
        #expect(batches.map(\.verdicts) == [[.none, .inDoubtHeld], [.inDoubt, .none]])
        #expect(world.reading.endDone())
        // With the two rows that an earlier run has finished.
        #expect(world.flow.queues.map(\.rowCount) == [4, 4])
    }

    @Test func `rows for which there is no room on the disk end the reading with a sentence`()
        throws
    {
        let world = RouteWorld(
            RouteWorld.input(Array(repeating: "ios", count: 2000)), folder: "/nowhere")
        let error = fanfareError { _ = try world.readOn() }
        #expect(error?.code == .output)
        #expect(error?.message.contains("/nowhere") == true)
    }

    @Test func `that rows can be put aside is proved before anything is sent`() {
        let error = fanfareError {
            try WaitingRows.prove("/nowhere", waitingFor: "their provider")
        }
        let words = "a file in /nowhere, where rows wait for their provider, cannot be made: "
        #expect(error?.code == .output && error?.message.hasPrefix(words) == true)
    }

    // MARK: Windows

    /// Milliseconds of UNIX time, as the test wants them.
    private final class Clock: Sendable {
        private let milliseconds = Mutex<Int64>(0)
        var now: Int64 { milliseconds.withLock { $0 } }

        func set(_ text: String) throws {
            let date = try Date(text, strategy: .iso8601)
            milliseconds.withLock { $0 = Int64(date.timeIntervalSince1970) * 1000 }
        }
    }

    private func gate(_ clock: Clock, skips: Bool = false) -> HoursGate {
        HoursGate(
            WindowSettings(
                window: Hours(opensMinute: 9 * 60, closesMinute: 20 * 60), zone: nil,
                slot: RouteWorld.schema.slot(named: "tz"), skips: skips, untilMilliseconds: nil,
                folder: folder.path),
            clock: { clock.now })
    }

    @Test func `a window that closes keeps back what waits for room, and nothing is lost`() throws {
        let clock = Clock()
        try clock.set("2026-01-10T10:00:00Z")
        let world = RouteWorld(
            RouteWorld.input(Self.inTurn(2000)), folder: folder.path, gate: gate(clock))
        #expect(try world.deliver(to: 1) == [[], Self.even])
        try clock.set("2026-01-10T20:00:00Z")
        // The first route's lanes give their rows back. What waits for room has to wait for the morning, too.
        while let batch = world.flow.queues[0].nextBatch() { world.flow.queues[0].recycle(batch) }
        #expect(try world.deliver(to: 0) == [[], []])
        #expect(world.reading.gate?.waitingCount == 1000 && world.reading.areAllHome)
        // The second route has no row that could come back, but that is not known.
        #expect(!world.reading.endDone() && world.flow.queues.allSatisfy { $0.rowCount == nil })
        try clock.set("2026-01-11T09:00:00Z")
        #expect(try world.deliver(to: 0, 1) == [Self.odd, []])
        #expect(world.reading.areAllHome && world.reading.endDone())
        #expect(world.flow.queues.map(\.rowCount) == [1000, 1000])
    }

    @Test func `rows whose windows are closed find their routes when they open`() throws {
        let clock = Clock()
        try clock.set("2026-01-10T05:00:00Z")
        let world = RouteWorld(
            RouteWorld.input(Self.inTurn(2000)), folder: folder.path, gate: gate(clock))
        #expect(try world.deliver(to: 0, 1) == [[], []])
        #expect(world.reading.gate?.waitingCount == 2000 && world.reading.areAllHome)
        try clock.set("2026-01-10T09:00:00Z")
        #expect(try world.deliver(to: 1) == [[], Self.even])
        #expect(!world.reading.endDone())
        #expect(world.flow.queues.map(\.rowCount) == [nil, 1000])
        #expect(try world.deliver(to: 0) == [Self.odd, []])
        #expect(world.reading.endDone() && world.flow.queues[0].rowCount == 1000)
    }

    @Test func `a row without a route says so, also where its window is closed`() throws {
        let clock = Clock()
        try clock.set("2026-01-10T05:00:00Z")
        let world = RouteWorld(
            RouteWorld.input(["Nokia", "ios", "web", "android"]), folder: folder.path,
            gate: gate(clock, skips: true))
        _ = try world.readOn()
        let batches = try world.flow.queues.map { try #require($0.nextBatch()) }
        #expect(
            batches.map(\.verdicts) == [
                [.providerUnknown, .outsideWindow, .providerNotInJob], [.outsideWindow],
            ])
    }

    // MARK: Seeds

    @Test func `rows behind a seed list wait for its outcomes, on all routes`() throws {
        let hex = String(repeating: "ab", count: 32)
        var configuration = Preparation.configuration("")
        configuration.inputs = [
            .text("token\n\(hex)\nAPA91a\n", name: "seeds"), .text("token\n\(hex)\nAPA91b\n"),
        ]
        configuration.seeds = SeedOptions()
        let control = JobControl()
        let plan = try PreparedJob(configuration, identity: Preparation.identity)
        let seeds = try #require(try SeedGate(plan, nil, control: control))
        let finder = RouteFinder([.apns, .fcm], slot: nil)
        let flow = RowFlow(
            batches: 3, slotCount: plan.preparation.schema.slotCount, control: control,
            routes: RouteSettings(finder: finder, folder: folder.path))
        let reading = RouteReading(
            source: plan.source, past: RowHistory(), gate: nil, seeds: seeds, finder: finder,
            outboxes: flow.queues.map { RouteOutbox($0, folder: folder.path) },
            isOver: { false }, awake: {})
        for outbox in reading.outboxes { try outbox.moveOn(nil) }
        guard case .rows = try reading.next() else {
            Issue.record("the list was not read")
            return
        }
        #expect(isWaiting(try reading.next(), soon: true) && plan.source.rowCount == 2)
        for (route, row) in [(0, 1), (1, 2)] as [(Int, UInt64)] {
            let batch = try #require(flow.queues[route].nextBatch())
            #expect(RouteWorld.takeRows(of: batch) == [row])
        }
        control.stop(JobStop(.interrupted, "enough"))
        guard case .stop = try reading.next() else {
            Issue.record("the reader goes on")
            return
        }
    }
}
