import FanfareBase
import Testing

@testable import FanfareCore

/// The owners of rows, as the engine's records name them after a worker was lost for good.
@Suite struct ClusterLinedTests {
    /// A job of 100 rows, of which worker 1 was granted 30, and has told that the first 12 have lines.
    private struct Desk: ModelDesk {
        var model = ClusterModel()

        init() {
            for worker in [1, 2, 3] as [UInt128] {
                ask(
                    worker, session: 0,
                    .join(
                        .init(
                            place: ClusterPlace(host: UInt64(worker), boot: 1, file: 1), nonce: 7,
                            fingerprint: 1, protocols: 1...1,
                            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil))))
            }
            ask(1, .beat(Self.beat(1)))
            ask(1, .decide(.proved, after: 0))
            ask(1, .cut([ClusterCut(firstRow: 0, endRow: 100, sum: 1, isLast: true)]))
            let free = GrantKey(range: .cut(at: 0), epoch: 0)
            ask(1, .take(.rest(free, seen: nil, epoch: 11)))
            ask(1, .grant(Self.key, upTo: 30))
            ask(1, .beat(Self.beat(2, lined: [.init(key: Self.key, lined: 12)])))
        }

        static let key = GrantKey(range: .cut(at: 0), epoch: 11)

        static func beat(
            _ number: UInt64, lined: [ClusterOperation.Beat.Progress] = []
        ) -> ClusterOperation.Beat {
            ClusterOperation.Beat(
                number: number, using: 0, wants: .max, lined: lined, lost: [],
                counts: ClusterCounts(), counter: 1, isLeaving: false, opens: nil)
        }

        /// Worker 2 takes what worker 1 was not granted, and then writes off what it was.
        mutating func writeOff() {
            ask(2, .take(.rest(Self.key, seen: 2, epoch: 22)))
            ask(2, .grant(GrantKey(range: .cut(at: 0), epoch: 22), upTo: 100))
            ask(2, .take(.orphan(Self.key, of: .init(worker: WorkerID(bits: 1), beat: 2))))
        }

        /// The rows that the records say a worker has or had.
        func rows(of worker: UInt128) -> [Range<UInt64>] {
            var rows = RowIntervals()
            for range in model.state.ranges where range.owner == WorkerID(bits: worker) {
                rows.formUnion(range.grantedRows)
            }
            for grant in model.state.grants where grant.worker == WorkerID(bits: worker) {
                rows.formUnion(grant.rows)
            }
            return rows.spans
        }
    }

    @Test func `rows with lines stay those of the worker that is lost`() {
        var desk = Desk()
        desk.writeOff()
        #expect(desk.rows(of: 1) == [0..<12])
        #expect(desk.rows(of: 2) == [12..<100])
        let record = desk.model.state.grants.first { $0.worker == WorkerID(bits: 1) }
        #expect(record?.isSettled == true && record?.isInDoubt == false)
        // No worker waits for it: the job ends when the others are settled.
        desk.ask(2, .settle(Desk.key))
        desk.ask(2, .settle(GrantKey(range: .cut(at: 0), epoch: 22)))
        #expect(desk.model.state.job?.state == .finished)
    }

    @Test func `a grant that goes through several hands has the lines of each`() {
        var desk = Desk()
        desk.writeOff()
        desk.ask(2, .beat(Desk.beat(1, lined: [.init(key: Desk.key, lined: 20)])))
        desk.ask(3, .take(.orphan(Desk.key, of: .init(worker: WorkerID(bits: 2), beat: 1))))
        #expect(desk.rows(of: 1) == [0..<12])
        #expect(desk.rows(of: 2) == [12..<20, 30..<100])
        #expect(desk.rows(of: 3) == [20..<30])
    }

    @Test func `a worker that comes back finds its lines noted once`() {
        var desk = Desk()
        desk.writeOff()
        let count = desk.model.state.grants.count
        let rows = RowIntervals(0..<30)
        desk.ask(
            1,
            .reassert(
                .init(
                    place: ClusterPlace(host: 1, boot: 1, file: 1), joinNonce: 7, fingerprint: 1,
                    beat: 3, using: 0, held: [.init(key: Desk.key, rows: rows, isInDoubt: false)],
                    rows: rows, nonce: 99)))
        #expect(desk.model.state.grants.count == count)
        #expect(desk.rows(of: 1) == [0..<12])
    }

    /// One record for each grant that is taken, and no other: a worker that dies has a few.
    @Test func `a grant without a line is taken as it is`() {
        var desk = Desk()
        desk.ask(1, .beat(Desk.beat(3)))
        desk.model.state.ranges[0].lined = 0
        desk.ask(2, .take(.rest(Desk.key, seen: 3, epoch: 22)))
        let count = desk.model.state.grants.count
        desk.ask(2, .take(.orphan(Desk.key, of: .init(worker: WorkerID(bits: 1), beat: 3))))
        #expect(desk.model.state.grants.count == count)
    }

    @Test func `a job that is finished is not paused`() {
        var desk = Desk()
        desk.model.state.job?.state = .finished
        desk.model.order(.pause(true))
        #expect(desk.model.state.job?.isPaused == false)
    }
}
