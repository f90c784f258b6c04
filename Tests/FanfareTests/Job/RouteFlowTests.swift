import FanfareBase
import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The reader's thread where rows go to several routes.
@Suite struct RouteFlowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Takes all rows of a route, as lanes do that wait for them.
    private func drain(_ queue: RowQueue) -> [UInt64] {
        var rows: [UInt64] = []
        while let batch = queue.waitForBatch() {
            rows += RouteWorld.takeRows(of: batch)
            queue.recycle(batch)
        }
        return rows
    }

    private func begin(_ world: RouteWorld) throws -> WorkerThread {
        let flow = world.flow
        nonisolated(unsafe) let source = world.source
        return try WorkerThread(name: "rows") { flow.read(from: source) }
    }

    @Test func `one route ends while the other has not begun, and then that one`() throws {
        let words = (0..<3000).map { $0 % 3 == 0 ? "ios" : "android" }
        let world = RouteWorld(RouteWorld.input(words), folder: folder.path)
        let reader = try begin(world)
        #expect(drain(world.flow.queues[1]).count == 2000)
        #expect(world.flow.queues[1].rowCount == 2000 && world.flow.queues[0].rowCount == nil)
        let first = drain(world.flow.queues[0])
        #expect(first == Array(stride(from: 1, to: 3000, by: 3)))
        reader.join()
        #expect(world.flow.queues[0].rowCount == 1000 && world.control.finalStop == nil)
    }

    // MARK: Lanes

    /// The lanes of a route, and what they have at hand.
    private struct Lanes {
        let queue: RowQueue
        var batches: [RowBatch] = []
        var lentCount = 0
        var rows: [UInt64] = []
        var isDone: Bool { batches.isEmpty && queue.isExhausted }

        /// Does one thing that a lane may do.
        mutating func act(_ dice: inout SplitMix64) {
            switch dice.next() % 8 {
            case 0...2:
                if let batch = queue.nextBatch() { batches.append(batch) }
            case 3...5:
                guard let batch = batches.first else { return }
                rows += RouteWorld.takeRows(of: batch, most: Int(dice.next() % 400))
                if batch.untaken.isEmpty { giveBack(batches.removeFirst()) }
            case 6:
                guard batches.count == 1, let batch = batches.first, !batch.untaken.isEmpty
                else { return }
                queue.handBack(batches.removeFirst())
            default:
                guard lentCount < 3 else { return }
                queue.lend()
                lentCount += 1
            }
        }

        private mutating func giveBack(_ batch: RowBatch) {
            guard lentCount > 0 else { return queue.recycle(batch) }
            lentCount -= 1
            queue.discard(batch)
        }
    }

    @Test(arguments: 1...12)
    func `nothing is lost and nothing comes twice, in any order of what lanes do`(seed: Int) throws
    {
        var dice = SplitMix64(seed: UInt64(seed))
        let routes = Array([ProviderKind.fcm, .apns, .webpush].prefix(2 + seed % 2))
        let names = ["gcm", "ios", "web"]
        // From all rows for one route to the same number for each.
        let share = dice.next() % 9
        let words = (0..<3000).map { _ in
            names[dice.next() % 10 < share ? 0 : Int(dice.next() % UInt64(routes.count))]
        }
        let text =
            "token,provider,name\n"
            + words.map { word in
                "t,\(word),\(String(repeating: "y", count: Int(dice.next() % 600)))\n"
            }.joined()
        let world = RouteWorld(
            .text(text), folder: folder.path, routes: routes, batches: 1 + Int(dice.next() % 6))
        let reader = try begin(world)
        var lanes = world.flow.queues.map { Lanes(queue: $0) }
        // Every third time one route does nothing until the others are done.
        let idle = seed % 3 == 0 ? Int(dice.next() % UInt64(routes.count)) : nil
        while true {
            var busy = lanes.indices.filter { !lanes[$0].isDone && $0 != idle }
            if let idle, busy.isEmpty, !lanes[idle].isDone { busy = [idle] }
            guard let route = busy.randomElement(using: &dice) else { break }
            lanes[route].act(&dice)
            let now = MachineClock.now
            let hasWork = Poll.until(seconds: 60) {
                busy.contains { lane in
                    !lanes[lane].batches.isEmpty || lanes[lane].queue.hasBatch(now: now)
                        || lanes[lane].isDone
                }
            }
            try #require(hasWork)
        }
        reader.join()
        for (route, lanes) in lanes.enumerated() {
            let expected = words.indices.filter { words[$0] == names[route] }
            #expect(lanes.rows == expected.map { UInt64($0 + 1) })
            #expect(lanes.queue.rowCount == UInt64(expected.count))
        }
        #expect(world.control.finalStop == nil)
    }

    // MARK: Inputs that make wait

    @Test func `what is there does not wait for an input that is silent`() async throws {
        let rows = AsyncStream<PushRow>.makeStream()
        let name = PushRow.Value.string(String(repeating: "z", count: 1000))
        for _ in 0..<600 {
            rows.continuation.yield(
                PushRow(token: "a", values: ["provider": "ios", "name": name]))
        }
        let world = RouteWorld(.sequence(RowSequence(rows.stream)), folder: folder.path)
        let flow = world.flow
        let reader = try begin(world)
        let continuation = rows.continuation
        let (first, second) = try await onOwnThread {
            var first: [UInt64] = []
            // More than the batches hold: the rest waits on the disk.
            while first.count < 600, let batch = flow.queues[0].waitForBatch() {
                first += RouteWorld.takeRows(of: batch)
                flow.queues[0].recycle(batch)
            }
            continuation.yield(PushRow(token: "b", values: ["provider": "android"]))
            var second: [UInt64] = []
            if let batch = flow.queues[1].waitForBatch() {
                second = RouteWorld.takeRows(of: batch)
                flow.queues[1].recycle(batch)
            }
            continuation.finish()
            return (first, second)
        }
        #expect(first == Array(1...600) && second == [601])
        try await onOwnThread {
            #expect(flow.queues.allSatisfy { $0.waitForBatch() == nil })
        }
        reader.join()
        #expect(flow.queues.map(\.rowCount) == [600, 1])
    }

    @Test func `an input that breaks off ends the job behind the rows that wait`() throws {
        let words = (0..<2000).map { $0 % 2 == 0 ? "ios" : "android" }
        guard case .memory(let bytes, _) = RouteWorld.input(words) else { return }
        // A field that nothing closes.
        let text = String(decoding: bytes, as: UTF8.self) + "t,\"ios\nt,ios,,\n"
        let world = RouteWorld(.text(text), folder: folder.path)
        let reader = try begin(world)
        let second = drain(world.flow.queues[1])
        let first = drain(world.flow.queues[0])
        reader.join()
        #expect(first.count == 1000 && second.count == 1000)
        #expect(world.control.finalStop?.kind == .inputOutput)
    }

    // MARK: Ends

    @Test func `a disk that takes nothing ends the job, and the lanes finish what they have`()
        throws
    {
        let world = RouteWorld(
            RouteWorld.input(Array(repeating: "ios", count: 2000)), folder: "/nowhere")
        world.flow.read(from: world.source)
        let stop = world.control.finalStop
        #expect(stop?.kind == .inputOutput && stop?.message.contains("/nowhere") == true)
        let rows = drain(world.flow.queues[0])
        #expect(!rows.isEmpty && rows == Array(1...UInt64(rows.count)))
        #expect(world.flow.queues.allSatisfy { $0.isExhausted })
    }

    @Test func `a job that stops leaves what waits as if never read`() throws {
        let words = (0..<3000).map { $0 % 2 == 0 ? "ios" : "android" }
        let world = RouteWorld(RouteWorld.input(words), folder: folder.path)
        let reader = try begin(world)
        // One route is far ahead, so that rows of the other one wait on the disk.
        var taken = 0
        while taken < 1000, let batch = world.flow.queues[1].waitForBatch() {
            taken += RouteWorld.takeRows(of: batch).count
            world.flow.queues[1].recycle(batch)
        }
        world.control.stop(JobStop(.interrupted, "enough"))
        world.flow.close()
        reader.join()
        #expect(world.flow.queues.allSatisfy { $0.rowCount != nil })
        // Batches that were handed out can still be taken.
        #expect(drain(world.flow.queues[0]).count <= 3 * 65)
    }

    @Test func `a job that has stopped before reads nothing on`() throws {
        let world = RouteWorld(RouteWorld.input(["ios", "android"]), folder: folder.path)
        world.control.stop(JobStop(.interrupted, "enough"))
        world.flow.read(from: world.source)
        #expect(world.flow.queues.allSatisfy { $0.nextBatch() == nil && $0.isExhausted })
        let closed = RouteWorld(RouteWorld.input(["ios", "android"]), folder: folder.path)
        closed.flow.close()
        closed.flow.read(from: closed.source)
        #expect(closed.source.rowCount == 0)
    }
}
