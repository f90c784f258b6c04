import FanfareBase
import Glibc
import Testing

@testable import FanfareCore

/// All that can happen to a small job, with the real engine in memory and the real workers.
@Suite(.serialized)
struct SmallJobTests {
    /// The shapes: those of the environment, or a job that takes a second.
    private static let shapes: [SmallJob.Shape] = {
        guard let text = unsafe getenv("FANFARE_STATES") else {
            return [SmallJob.Shape(workers: 2, rows: 2, cutRows: 2, faults: 1)]
        }
        let words = unsafe String(cString: text).split(separator: " ")
        return words.compactMap { word in
            let numbers = word.split(separator: ",").compactMap { Int($0) }
            guard numbers.count == 4 else { return nil }
            return SmallJob.Shape(
                workers: numbers[0], rows: UInt64(numbers[1]), cutRows: UInt64(numbers[2]),
                faults: numbers[3])
        }
    }()

    @Test
    func `a small job keeps the invariants in each order of events, and can end`() {
        for shape in Self.shapes {
            var search = SmallJobSearch(shape, statesMax: 100_000_000, checksEnds: true)
            search.run()
            print(
                "cluster: \(shape.workers) workers, \(shape.rows) rows, cuts of \(shape.cutRows), "
                    + "\(shape.faults) faults: \(search.states) states, \(search.steps) steps, "
                    + "\(search.finished) ends")
            #expect(search.isComplete || !search.failures.isEmpty)
            for failure in search.failures { Issue.record(Comment(rawValue: failure)) }
        }
    }

    /// The fields that the canonical form has, or leaves out because nothing is decided by them while time stands still.
    @Test
    func `the canonical form knows all fields`() throws {
        let known: [String: Set<String>] = [
            "ClusterMember": [
                "place", "terms", "protocols", "patience", "generator", "folder", "folderVersion",
                "phase", "nonce", "holdings", "job", "freeRanges", "counts", "countedEpoch",
                "counter", "sums", "watch", "activeWorkers", "outstanding", "lastNumber",
                "failures", "notBefore", "beatNumber", "beatDue", "heardAt", "share", "holds",
                "askedHolds", "wants", "rowsPerSecond", "mustReassert", "quietUntil",
                "opensNothingUntil", "startsNothingUntil", "lostWorkers", "mayHaveOrphans",
                "orphansDue", "surveyDue", "grantDue", "pendingTake", "cutsRead",
                "pendingDecisions", "onlyOrphansSince", "isOutOfWork", "leavingSince", "steps",
                "isBeatLate", "isRefused", "reportedOutcomes",
            ],
            "ClusterFolder": [
                "worker", "job", "session", "place", "generation", "held", "rows", "grantedTwice",
                "writtenOff", "backs",
            ],
            "State": ["job", "workers", "cuts", "ranges", "grants"],
            "ClusterJob": [
                "terms", "state", "prover", "cutter", "cutRows", "isAllCut", "isPaused", "verdict",
                "orders", "outcomeEpoch", "holds", "generation", "isOpen",
            ],
            "ClusterWorker": [
                "id", "session", "place", "nonce", "state", "beat", "share", "wants", "counts",
                "counter", "earlierOutcomes", "hasOtherInput", "figures",
            ],
            "ClusterRange": [
                "key", "first", "end", "claimed", "granted", "lined", "owner", "session", "epoch",
                "only", "isDone", "ordinal",
            ],
            "ClusterGrant": [
                "key", "rows", "worker", "session", "lined", "isInDoubt", "isSettled", "ordinal",
            ],
            "ClusterHolding": [
                "key", "rows", "granted", "end", "only", "isOpen", "needsConfirming", "isInDoubt",
                "handed", "lined",
            ],
        ]
        let id = WorkerID(bits: 1)
        let generation = ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0)
        let grant = ClusterGrant(
            key: GrantKey(range: .cut(at: 0), epoch: 1), rows: RowIntervals(0..<1), worker: id,
            session: 1, lined: 0, isInDoubt: false, isSettled: false, ordinal: 0)
        let range = ClusterRange(
            key: .cut(at: 0), rows: 0..<1, owner: id, session: 1, epoch: 1, only: nil)
        let terms = ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil)
        let place = ClusterPlace(host: 1, boot: 1, file: 1)
        let values: [Any] = [
            ClusterMember(
                folder: ClusterFolder(worker: id), place: place, terms: terms, protocols: 1...1,
                patience: ClusterPatience(), seed: 1),
            ClusterFolder(worker: id), ClusterModel.State(),
            ClusterJob(terms: terms, prover: id, cutter: id, generation: generation),
            ClusterWorker(id: id, session: 1, place: place, nonce: 1), range, grant,
            ClusterHolding(grant),
        ]
        for value in values {
            let mirror = Mirror(reflecting: value)
            let fields = Set(mirror.children.compactMap(\.label))
            let new = fields.subtracting(known["\(type(of: value))"] ?? [])
            #expect(
                new.isEmpty,
                "CanonicalForm is to have these fields of \(type(of: value)), unless they decide nothing: \(new)"
            )
        }
    }
}
