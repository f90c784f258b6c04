import FanfareBase
import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The gate between the reader and the lanes of a worker.
@Suite struct ClusterDeskTests {
    private static func rows(_ look: ClusterDesk.Look) -> Range<UInt64>? {
        if case .rows(let out) = look { out.rows } else { nil }
    }

    @Test func `the reader gets what was granted, and nothing before the folder says so`() throws {
        var world = try DeskWorld(rowCount: 600, blockRows: 60)
        #expect(world.desk.look() == .none)
        try world.talk()
        let file = ClusterFolderFile(
            besideReport: world.folder.path("report.csv"))
        #expect(try file.read()?.rows == RowIntervals(0..<60))
        #expect(Self.rows(world.desk.look()) == 0..<60)
        #expect(world.desk.look() == .none)
        try world.talk()
        #expect(try file.read()?.rows == RowIntervals(0..<120))
        #expect(Self.rows(world.desk.look()) == 60..<120)
        world.desk.close()
        #expect(world.desk.look() == .over)
    }

    @Test func `lanes have four seconds of work, and an eighth of that comes at once`() throws {
        // At a hundred a second a block has 30 rows, and lanes may have 400.
        var world = try DeskWorld(rowCount: 2_000, blockRows: 1_000, pace: 100)
        var end: UInt64 = 0
        try world.talk()
        while let rows = Self.rows(world.desk.look()) {
            #expect(rows == end..<end + 30)
            end = rows.upperBound
            try world.talk()
        }
        #expect(end == 360)
        world.desk.written(Array(1...9)[...], ofRoute: 0)
        #expect(world.desk.look() == .none)
        world.desk.written([10], ofRoute: 0)
        #expect(Self.rows(world.desk.look()) == 360..<390)
        #expect(world.desk.look() == .none)
    }

    @Test func `a worker whose disk is full gives back what it did not send`() throws {
        var world = try DeskWorld(rowCount: 600, blockRows: 60)
        try world.talk()
        _ = world.desk.look()
        world.desk.written(Array(1...20)[...], ofRoute: 0)
        // Nothing new has room.
        try world.folder.link("report.csv.cluster.new", to: world.folder.path("no/such"))
        world.desk.lanesHaveEnded { $0 <= 30 ? .mark : .none }
        try world.desk.update { $0.giveBack(areLinesOnDisk: false, now: MachineClock.now) }
        try world.talk()
        let file = ClusterFolderFile(besideReport: world.folder.path("report.csv"))
        // The disk has not confirmed the lines, so their rows are in doubt with the ten that were in flight.
        #expect(try file.read()?.rows == RowIntervals(0..<30))
        #expect(try file.read()?.heldRows == RowIntervals(0..<30))
        #expect(try file.read()?.backs.isEmpty == true)
    }

    /// Rows are counted from 0 here, and lines and marks from 1.
    @Test func `what has left no trace goes back, and nothing else`() throws {
        var world = try DeskWorld(rowCount: 600, blockRows: 60)
        try world.talk()
        _ = world.desk.look()
        world.desk.written(Array(1...20)[...], ofRoute: 0)
        // Requests of ten rows are in doubt. Of the others the reader has all, and a process before has sent one of them.
        world.desk.lanesHaveEnded { row in
            row == 41 ? .line : (21...30).contains(row) ? .mark : .none
        }
        let action = try world.desk.update { state in
            state.giveBack(now: MachineClock.now)
            return state.member.next(now: MachineClock.now)
        }
        guard case .ask(let request, _) = action, case .giveBack(let back) = request.operation
        else {
            Issue.record("it gives nothing back")
            return
        }
        #expect(back.tail == 41 && back.scattered == RowIntervals(30..<40))
        #expect(back.kept == RowIntervals(20..<30))
        #expect(world.desk.look() == .over)
    }

    /// The report of this process has their lines, and what the process before has left does not say so.
    @Test
    func `rows that were sent are not sent again when the server forgets that they are settled`()
        throws
    {
        var world = try DeskWorld(rowCount: 600, blockRows: 300, cutRows: 300)
        var past = RowHistory<MappedFile>()
        past.grants = world.desk
        func nextBatch() throws -> RowBatch {
            let batch = RowBatch(slotCount: DeskWorld.schema.slotCount)
            #expect(try world.rows.fill(batch))
            try past.record(batch)
            return batch
        }
        func lineAll() throws {
            try world.desk.update { state in
                for (key, row) in state.handedOut.progress() { state.member.lined(key, below: row) }
            }
            try world.talk()
        }
        try world.talk()
        #expect(try nextBatch().verdicts.isEmpty)
        world.desk.written(Array(1...300)[...], ofRoute: 0)
        try lineAll()
        // The first range was settled, the second one was taken, and its rows were granted.
        try world.goBack(writes: 3)
        try world.talk()
        let new = try nextBatch()
        #expect(new.firstRow == 301 && new.verdicts.isEmpty)
        let old = try nextBatch()
        #expect(old.firstRow == 1)
        #expect(old.verdicts == Array(repeating: .finished, count: 300))
        #expect(try world.desk.update { $0.handedOut.openRows } == 300)
        #expect(world.desk.handedOutCount == 600)
        world.desk.written(Array(301...600)[...], ofRoute: 0)
        try lineAll()
        #expect(world.isFinished)
    }

    @Test func `rows that are sorted reach the lanes before the reader waits for room`() throws {
        var world = try DeskWorld(rowCount: 600, blockRows: 60, pace: 1_000)
        let (reading, flow) = world.reading(of: [.apns, .fcm])
        // The lanes have two batches, which is enough, so the rows of the third block are kept until it is full.
        for _ in 0..<3 {
            try world.talk()
            for outbox in reading.outboxes { try outbox.moveOn(nil) }
            guard case .rows = try reading.next() else {
                Issue.record("nothing was read")
                return
            }
        }
        try world.talk()
        var taken: [UInt64] = []
        for _ in 0..<2 {
            let batch = try #require(flow.queues[0].nextBatch())
            taken += RouteWorld.takeRows(of: batch)
            flow.queues[0].recycle(batch)
        }
        #expect(taken == Array(1...120))
        #expect(flow.queues[0].nextBatch() == nil)
        world.desk.written(taken[...], ofRoute: 0)
        // At one a second lanes may have 64 rows. They have 60, so none comes, and only the reader can hand these out.
        try world.setShare(1)
        world.cancel()
        _ = try reading.next()
        let last = try #require(flow.queues[0].nextBatch())
        #expect(RouteWorld.takeRows(of: last) == Array(121...180))
    }

    @Test func `rows that the reader has seen are there when it reads, though the pace has fallen`()
        throws
    {
        var world = try DeskWorld(rowCount: 600, blockRows: 60, pace: 1_000)
        let batch = RowBatch(slotCount: DeskWorld.schema.slotCount)
        #expect(world.rows.wouldWait)
        try world.talk()
        #expect(!world.rows.wouldWait)
        #expect(try world.rows.fill(batch) && batch.rowCount == 60)
        #expect(world.rows.wouldWait)
        try world.talk()
        #expect(!world.rows.wouldWait)
        // Lanes may have 64 rows, and have 60 besides these.
        try world.setShare(1)
        world.cancel()
        batch.reset()
        #expect(try world.rows.fill(batch) && batch.firstRow == 61)
        #expect(world.rows.wouldWait)
    }

    @Test func `a provider that takes no rows does not keep those of another one`() throws {
        // Lanes may have 2,048 rows, and half of them are for the provider that takes none.
        var world = try DeskWorld(rowCount: 6_000, blockRows: 256, words: ["ios", "android"])
        let (reading, flow) = world.reading(of: [.apns, .fcm])
        var lined = 0
        func goOn() throws {
            while true {
                try world.talk()
                for outbox in reading.outboxes { try outbox.moveOn(nil) }
                let isOver = world.rows.wouldWait
                if !isOver { _ = try reading.next() }
                for outbox in reading.outboxes { outbox.handOut() }
                while let batch = flow.queues[1].nextBatch() {
                    let rows = RouteWorld.takeRows(of: batch)
                    flow.queues[1].recycle(batch)
                    world.desk.written(rows[...], ofRoute: 1)
                    lined += rows.count
                }
                if isOver { return }
            }
        }
        try goOn()
        #expect((2_048 - 2_048 / 8...2_048).contains(lined))
        let now = MachineClock.now
        try world.desk.update { state in
            state.inHand.measure(now: now)
            state.inHand.measure(now: now.advanced(by: Limits.clusterRouteMeasure))
        }
        try goOn()
        #expect(lined == 3_000)
    }
}
