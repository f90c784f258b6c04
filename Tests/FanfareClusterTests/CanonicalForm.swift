import FanfareBase

@testable import FanfareCore

/// A state of a small job as numbers, so that states between which nothing can tell have the same ones.
///
/// Drawn names count by the order in which they come, workers by the order in which they have joined, and of a beat it
/// counts whether it is the last one. What no decision hangs on is left out: figures, paces, providers' holds, times, since
/// time does not go on, and generators. `SmallJobTests` fail if a record has a field that this does not know of.
struct CanonicalForm {
    private var tokens: [UInt64] = []
    private var names: [UInt64] = []
    private var order: [UInt64] = []
    private let model: ClusterModel.State

    init(_ job: SmallJob) {
        tokens.reserveCapacity(512)
        model = job.model.state
        let joined = job.model.state.workers.map { UInt64($0.id.bits) }
        // Those who have not joined are the same but for whether they have begun.
        let others = job.workers.filter { !joined.contains(UInt64($0.folder.worker.bits)) }
            .sorted { Self.rank($0) < Self.rank($1) }
        order = joined + others.map { UInt64($0.folder.worker.bits) }
        add(job.model.state)
        for id in order { add(job.workers[Int(id) - 1]) }
        list(job.late) { $0.add($1) }
        add(job.sent)
        add(UInt64(job.faultsLeft))
    }

    private static func rank(_ worker: SmallJob.Worker) -> Int {
        guard let process = worker.process else { return 0 }
        return process.answer == nil ? 1 : 2
    }

    /// The numbers, mixed into one.
    var hash: UInt128 {
        var (low, high): (UInt64, UInt64) = (0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344)
        for token in tokens {
            low = (low ^ token) &* 0x9E37_79B9_7F4A_7C15
            low ^= low >> 29
            high = (high &+ token) &* 0xC2B2_AE3D_27D4_EB4F
            high ^= high >> 31
        }
        low = (low ^ high >> 7) &* 0xBF58_476D_1CE4_E5B9
        return UInt128(high) << 64 | UInt128(low ^ low >> 32)
    }

    // MARK: Values

    private mutating func add(_ number: UInt64) { tokens.append(number) }

    private mutating func add(_ number: Int) { tokens.append(UInt64(bitPattern: Int64(number))) }

    private mutating func add(_ isTrue: Bool) { tokens.append(isTrue ? 1 : 0) }

    private mutating func name(_ bits: UInt64) {
        let index = names.firstIndex(of: bits)
        add(UInt64(index ?? names.count) + 1 << 32)
        if index == nil { names.append(bits) }
    }

    private mutating func list<Element>(
        _ all: [Element], _ one: (inout CanonicalForm, Element) -> Void
    ) {
        add(UInt64(all.count))
        for element in all { one(&self, element) }
    }

    private mutating func optional<Value>(
        _ value: Value?, _ one: (inout CanonicalForm, Value) -> Void
    ) {
        add(value != nil)
        if let value { one(&self, value) }
    }

    private mutating func add(_ rows: RowIntervals) { add(SmallJob.bits(rows)) }

    private mutating func add(_ worker: WorkerID) {
        add(UInt64(order.firstIndex(of: UInt64(worker.bits)) ?? order.count))
    }

    /// Adds how a beat compares with the last one that the engine has of its worker.
    private mutating func beat(_ number: UInt64, of worker: WorkerID?) {
        let last = model.workers.first { $0.id == worker }?.beat ?? 0
        add(number < last ? 0 : number == last ? 1 : 2)
    }

    private mutating func add(_ key: RangeKey) {
        // The name of a cut is its row.
        if key.bits >> 63 == 0 { add(key.bits) } else { name(key.bits) }
    }

    private mutating func add(_ key: GrantKey) {
        add(key.range)
        name(key.epoch)
    }

    private mutating func add(_ generation: ClusterGeneration) {
        add(generation.ordinal)
        add(generation.timeline)
        name(generation.nonce)
    }

    private mutating func add(_ place: ClusterPlace) {
        // Host and file are the worker's.
        add(place.boot)
    }
}

/// The engine's records.
extension CanonicalForm {
    private mutating func add(_ state: ClusterModel.State) {
        optional(state.job) { $0.add($1) }
        list(state.workers) { $0.add($1) }
        add(state.cuts.count)
        list(state.ranges) { $0.add($1) }
        list(state.grants) { $0.add($1) }
    }

    private mutating func add(_ job: ClusterJob) {
        add(job.state.hashValueOfCase)
        // These offices are over once the job is proved, and all is cut.
        optional(job.state == .proving ? job.prover : nil) { $0.add($1) }
        optional(job.isAllCut ? nil : job.cutter) { $0.add($1) }
        add(job.cutRows)
        add(job.isAllCut)
        add(job.isPaused)
        add(job.verdict != nil)
        add(job.orders)
        add(job.generation)
        add(job.isOpen)
    }

    private mutating func add(_ worker: ClusterWorker) {
        add(worker.id)
        add(worker.session)
        add(worker.place)
        name(worker.nonce)
        // That others hold it for lost decides nothing but its share, and when a stop is over.
        add(worker.state == .left)
        add(worker.hasOtherInput)
    }

    private mutating func add(_ range: ClusterRange) {
        add(range.key)
        for row in [range.first, range.end, range.claimed, range.granted, range.lined] { add(row) }
        optional(range.owner) { $0.add($1) }
        add(range.session)
        name(range.epoch)
        optional(range.only) { $0.add($1) }
        add(range.isDone)
        add(range.ordinal)
    }

    private mutating func add(_ grant: ClusterGrant) {
        add(grant.key)
        add(grant.rows)
        add(grant.worker)
        add(grant.session)
        add(grant.lined)
        add(grant.isInDoubt)
        add(grant.isSettled)
        add(grant.ordinal)
    }
}

/// Folders, processes and lanes.
extension CanonicalForm {
    private mutating func add(_ worker: SmallJob.Worker) {
        add(worker.folder)
        add(worker.boot)
        add(worker.marks)
        add(worker.lines)
        add(worker.granted)
        optional(worker.process) { form, process in
            form.add(process.member)
            form.add(process.underWay)
            form.add(process.again)
            form.optional(process.answer) { $0.add($1, to: worker.folder.worker) }
        }
    }

    private mutating func add(_ folder: ClusterFolder) {
        add(folder.worker)
        add(folder.session)
        optional(folder.place) { $0.add($1) }
        optional(folder.generation) { $0.add($1) }
        list(folder.held) { $0.add($1) }
        add(folder.rows)
        add(folder.grantedTwice)
        add(folder.writtenOff)
        list(folder.backs) { $0.add($1) }
    }

    private mutating func add(_ member: ClusterMember) {
        let id = member.folder.worker
        switch member.phase {
        case .joining: add(0)
        case .working: add(1)
        case .draining: add(2)
        case .handingBack: add(3)
        case .ended: add(4)
        }
        name(member.nonce)
        list(member.holdings) { $0.add($1) }
        optional(member.job) { $0.add($1) }
        add(member.job?.isAllCut == true ? 0 : member.freeRanges)
        optional(member.outstanding) { $0.add($1.operation, of: id) }
        // Its next beat is newer than all before.
        add(member.beatNumber >= model.workers.first { $0.id == id }?.beat ?? 0)
        add(member.heardAt != nil)
        add(member.mustReassert)
        optional(member.pendingTake) { $0.add($1) }
        add(member.cutsRead.count)
        add(member.pendingDecisions.count)
        add(member.onlyOrphansSince != nil)
        add(member.isOutOfWork)
    }

    private mutating func add(_ holding: ClusterHolding) {
        add(holding.key)
        add(holding.rows)
        for row in [holding.granted, holding.end, holding.handed, holding.lined] { add(row) }
        optional(holding.only) { $0.add($1) }
        for isTrue in [holding.isOpen, holding.needsConfirming, holding.isInDoubt] { add(isTrue) }
    }
}

/// Requests and answers that are on their way.
extension CanonicalForm {
    private mutating func add(_ request: ClusterRequest) {
        add(request.worker)
        add(request.session)
        optional(request.generation) { $0.add($1) }
        add(request.operation, of: request.worker)
    }

    private mutating func add(_ operation: ClusterOperation, of worker: WorkerID) {
        switch operation {
        case .join(let join):
            add(0)
            add(join.place)
            name(join.nonce)
            add(join.terms != nil)
        case .reassert(let words):
            add(1)
            add(words.place)
            name(words.joinNonce)
            beat(words.beat, of: worker)
            list(words.held) { $0.add($1) }
            add(words.rows)
            add(words.writtenOff)
            name(words.nonce)
        case .beat(let words):
            add(2)
            beat(words.number, of: worker)
            list(words.lined) { form, progress in
                form.add(progress.key)
                form.add(progress.lined)
            }
            list(words.lost) { $0.add($1) }
            add(words.isLeaving)
            optional(words.opens) { $0.add($1) }
        case .survey: add(3)
        case .cut(let cuts):
            add(4)
            add(cuts.first?.firstRow ?? 0)
        case .take(let take):
            add(5)
            add(take)
        case .grant(let key, let row):
            add(6)
            add(key)
            add(row)
        case .settle(let key):
            add(7)
            add(key)
        case .giveBack(let back):
            add(8)
            add(back)
        case .decide(let decision, let orders):
            add(9)
            add(decision)
            add(orders)
        }
    }

    private mutating func add(_ take: ClusterOperation.Take) {
        switch take {
        case .rest(let key, let seen, let epoch):
            add(0)
            add(key)
            // The beat is the owner's. If the range is another one's by now, the worker misses it.
            let owner = model.ranges.first { $0.grantKey == key }.flatMap(\.owner)
            optional(seen) { $0.beat($1, of: owner) }
            name(epoch)
        case .upperPart(let key, let row, let newKey):
            add(1)
            add(key)
            add(row)
            add(newKey)
        case .orphan(let key, let seen):
            add(2)
            add(key)
            add(seen)
        }
    }

    private mutating func add(_ decision: ClusterDecision) {
        switch decision {
        case .prove(let worker):
            add(0)
            optional(worker) { $0.add($1) }
        case .cut(let worker):
            add(1)
            optional(worker) { $0.add($1) }
        case .proved: add(2)
        case .stop: add(3)
        case .inputDiffers(let row):
            add(4)
            add(row)
        case .pause(let isOn):
            add(5)
            add(isOn)
        case .setRate: add(6)
        case .goOn: add(7)
        case .giveUp(let worker):
            add(8)
            add(worker)
        case .renewPolicy: add(9)
        }
    }

    private mutating func add(_ seen: ClusterOperation.Seen) {
        add(seen.worker)
        beat(seen.beat, of: seen.worker)
    }

    private mutating func add(_ claim: ClusterOperation.Reassertion.Claim) {
        add(claim.key)
        add(claim.rows)
        add(claim.isInDoubt)
    }

    private mutating func add(_ back: ClusterOperation.GivenBack) {
        add(back.key)
        add(back.tail)
        add(back.scattered)
        add(back.newKey)
        add(back.kept)
    }

    private mutating func add(_ answer: ClusterAnswer, to worker: WorkerID) {
        optional(answer.generation) { $0.add($1) }
        switch answer.body {
        case .joined(let joined):
            add(0)
            add(joined.session)
            add(joined.state.hashValueOfCase)
            beat(joined.beat, of: worker)
            add(joined.hasMoved)
            list(joined.grants) { $0.add($1) }
        case .refused: add(1)
        case .reasserted(let grants):
            add(2)
            list(grants) { $0.add($1) }
        case .orders(let orders):
            add(3)
            add(orders)
        case .survey(let ranges, let grants):
            add(4)
            list(ranges) { $0.add($1) }
            list(grants) { $0.add($1) }
        case .cut(let next, let isAll):
            add(5)
            add(next)
            add(isAll)
        case .taken(let range):
            add(6)
            add(range)
        case .takenGrant(let grant):
            add(7)
            add(grant)
        case .granted(let range):
            add(8)
            add(range)
        case .closed(let grant):
            add(9)
            add(grant)
        case .done: add(10)
        case .missed: add(11)
        case .notYours: add(12)
        case .superseded(let place):
            add(13)
            add(place)
        case .unknownSession: add(14)
        case .otherGeneration: add(15)
        }
    }

    private mutating func add(_ orders: ClusterOrders) {
        add(orders.job)
        list(orders.workers) { form, worker in
            form.add(worker.id)
            form.beat(worker.beat, of: worker.id)
        }
        list(orders.ranges) { $0.add($1) }
        list(orders.grants) { $0.add($1) }
        add(orders.freeRanges)
    }
}

extension ClusterJobState {
    fileprivate var hashValueOfCase: Int {
        switch self {
        case .proving: 0
        case .running: 1
        case .stopping: 2
        case .stopped: 3
        case .finished: 4
        }
    }
}
