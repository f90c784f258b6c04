import FanfareBase
import FanfareTestSupport

@testable import FanfareCore

/// An engine with some workers, and requests of all kinds that make sense to it, more or less.
struct RandomRequests {
    var model = ClusterModel()
    private var dice: Dice
    private let workers: [WorkerID]
    private var hasPace: Bool

    init(seed: UInt64) {
        dice = Dice(seed: seed)
        workers = (1...dice.number(2...4)).map { WorkerID(bits: UInt128($0)) }
        hasPace = dice.chance(0.7)
        for worker in workers { _ = model.transact(join(worker)) }
        _ = model.transact(request(workers[0], .decide(.proved, after: 0)))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[dice.number(0...elements.count - 1)]
    }

    private func record(_ worker: WorkerID) -> ClusterWorker? {
        model.state.workers.first { $0.id == worker }
    }

    private func request(_ worker: WorkerID, _ operation: ClusterOperation) -> ClusterRequest {
        ClusterRequest(
            worker: worker, session: record(worker)?.session ?? 0,
            generation: model.state.job?.generation, operation: operation)
    }

    private mutating func join(_ worker: WorkerID) -> ClusterRequest {
        let rate: Int64? = hasPace ? 900 * ShareRule.unitsPerStart : nil
        return request(
            worker,
            .join(
                .init(
                    place: ClusterPlace(host: UInt64(dice.number(1...2)), boot: 1, file: 1),
                    nonce: dice.bits(), fingerprint: 1, protocols: 1...1,
                    terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: rate))))
    }

    /// The next request of a worker, mostly of one that is there.
    mutating func next() -> ClusterRequest {
        let worker = workers[dice.number(0...workers.count - 1)]
        let state = model.state
        let range = pick(state.ranges.filter { !$0.isDone }) ?? pick(state.ranges)
        let own = pick(state.ranges.filter { $0.owner == worker && !$0.isDone }) ?? range
        let grant = pick(state.grants.filter { !$0.isSettled }) ?? pick(state.grants)
        let ownGrant = pick(state.grants.filter { $0.worker == worker && !$0.isSettled }) ?? grant
        let key = dice.chance(0.8) ? own?.grantKey ?? ownGrant?.key : range?.grantKey
        let closed = dice.chance(0.7) ? ownGrant?.key : grant?.key
        switch dice.number(0...19) {
        case 0...4: return request(worker, .beat(beat(worker, lined: own)))
        case 5, 6: return request(worker, .cut(cuts()))
        case 7...12:
            guard let key else { return request(worker, .cut(cuts())) }
            return request(worker, ofRange(key, worker))
        case 13, 14:
            guard let key = dice.chance(0.5) ? closed : key else {
                return request(worker, .survey)
            }
            return request(worker, .settle(key))
        case 15:
            guard let key = dice.chance(0.5) ? closed : key else { return join(worker) }
            return request(worker, .giveBack(back(key)))
        case 16:
            guard let grant else { return request(worker, .survey) }
            let seen = record(grant.worker)?.beat ?? 0
            return request(
                worker, .take(.orphan(grant.key, of: .init(worker: grant.worker, beat: seen))))
        case 17: return dice.chance(0.4) ? join(worker) : request(worker, .survey)
        default:
            return request(worker, .decide(decision(), after: state.job?.orders ?? 0))
        }
    }

    private mutating func ofRange(_ key: GrantKey, _ worker: WorkerID) -> ClusterOperation {
        let range = model.state.ranges.first { $0.grantKey == key }
        let granted = range?.granted ?? 0
        switch dice.number(0...5) {
        case 0...2: return .grant(key, upTo: granted + UInt64(dice.number(0...60)))
        case 3, 4:
            let seen = range?.owner.flatMap { record($0)?.beat }
            return .take(
                .rest(key, seen: dice.chance(0.5) ? seen : nil, epoch: dice.bits()))
        default:
            let middle = (granted + (range?.end ?? 0) + 1) / 2
            return .take(.upperPart(key, from: middle, newKey: .drawn(dice.bits())))
        }
    }

    private mutating func cuts() -> [ClusterCut] {
        let next = model.state.job?.cutRows ?? 0
        let first = dice.chance(0.1) && next >= 40 ? next - 40 : next
        let isLast = dice.chance(0.15)
        let rows: UInt64 = dice.chance(0.1) ? 0 : 40
        return [ClusterCut(firstRow: first, endRow: first + rows, sum: 1, isLast: isLast)]
    }

    private mutating func beat(
        _ worker: WorkerID, lined range: ClusterRange?
    ) -> ClusterOperation.Beat {
        let own = record(worker)
        var lost: [ClusterOperation.Seen] = []
        if dice.chance(0.2), let other = pick(model.state.workers) {
            lost = [.init(worker: other.id, beat: other.beat)]
        }
        let lined = range.map { range in
            ClusterOperation.Beat.Progress(
                key: range.grantKey, lined: range.lined + UInt64(dice.number(0...20)))
        }
        // Most have what they had: a job at rest.
        let using = dice.chance(0.7) ? own?.share ?? 0 : Int64(dice.number(0...900)) * 1_000_000
        return ClusterOperation.Beat(
            number: (own?.beat ?? 0) + UInt64(dice.number(0...3)), using: using,
            wants: dice.chance(0.8) ? .max : 0, lined: [lined].compactMap(\.self), lost: lost,
            counts: ClusterCounts(lines: UInt64(dice.number(0...99)), outcomes: [1, 2]),
            outcomeEpoch: model.state.job?.outcomeEpoch, counter: 1,
            isLeaving: dice.chance(0.05), isRefused: dice.chance(0.3),
            opens: dice.chance(0.5) ? model.state.job?.generation : nil)
    }

    private mutating func back(_ key: GrantKey) -> ClusterOperation.GivenBack {
        let rows =
            model.state.ranges.first { $0.grantKey == key }?.grantedRows
            ?? model.state.grants.first { $0.key == key }?.rows ?? RowIntervals()
        let tail = rows.row(at: rows.count / 2) ?? 0
        let first = rows.first ?? 0
        return ClusterOperation.GivenBack(
            key: key, tail: tail,
            scattered: dice.chance(0.5) ? rows.intersection(first..<first + 2) : RowIntervals(),
            newKey: .drawn(dice.bits()),
            kept: dice.chance(0.3) ? rows.intersection(first + 2..<first + 4) : RowIntervals())
    }

    private mutating func decision() -> ClusterDecision {
        let job = model.state.job
        switch dice.number(0...10) {
        case 0: return .prove(insteadOf: job?.prover)
        case 1: return .cut(insteadOf: job?.cutter)
        case 2, 3: return .proved
        case 4: return dice.chance(0.2) ? .stop(.outcomes) : .proved
        case 5: return .pause(dice.chance(0.3))
        case 6: return .setRate(Int64(dice.number(1...9)) * 100_000_000)
        case 7: return dice.chance(0.2) ? .inputDiffers(atRow: 0) : .pause(false)
        case 8: return .goOn
        case 9: return .renewPolicy
        default: return .giveUp(pick(workers) ?? WorkerID(bits: 1))
        }
    }
}
