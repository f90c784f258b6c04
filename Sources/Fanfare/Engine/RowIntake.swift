import FanfareBase
import FanfareCore

/// The rows of a lane: which one is next.
///
/// A provider may leave a connection one stream after a rejection, and all of them after the next success. So
/// a run of bad tokens would go at a row for each round trip, unless good rows go in between. A request
/// that goes alone has its row from elsewhere: from half a batch that is kept from before, and when
/// that is rejected, too, from batches further and further on. As long as most answers are rejections,
/// every second row of the others comes from there as well.
///
/// ```
///  current      the batch whose rows are next
///  later        those behind it, while rows are sought far ahead
///  spare        rows for requests that go alone: half of an earlier batch, or the last one of all
///  candidate    half of a batch that is not so old: whether the other half was good is not known yet
/// ```
///
/// So rows start about in the order of the input: a row is late by a flight and some batches, but for long
/// runs of bad ones.
struct RowIntake: ~Copyable {
    /// A row to send: its batch, and its place there.
    struct Place {
        let batch: Held<RowBatch>
        let index: Int
    }

    private unowned let environment: any LaneEnvironment
    private let keepsRows: Bool
    private var current: Held<RowBatch>?
    private var later: [Held<RowBatch>] = []
    private var spare: Held<RowBatch>?
    private var candidate: Held<RowBatch>?
    /// True if `spare` is from further on, and not from before.
    private var spareIsAhead = false
    /// Rows taken so far, and how many there will be when `candidate` has been answered for.
    private var takenCount = 0
    private var provenAt = 0
    /// The number of batches that were requested in place of those that are kept here.
    private var lentCount = 0
    /// Rows that went alone since one did not: each was rejected, or its answer is awaited.
    private var aloneCount = 0
    private var run = RejectionRun()
    /// The number of batches that the next look goes further.
    private var stride = 1
    /// The number of batches that a run of bad ones goes further, as far as is known.
    private var reach = 1
    /// The number of rows to take before that is looked at again: a flight.
    private var reachAt = 0
    /// True if the last of two alternatives was taken from the other one.
    private var tookOther = false
    /// The row of `current` behind which the rest is kept; -1 if it was kept before.
    private var half = -1
    /// True if a request went alone since `current` began: its rest may be bad tokens.
    private var hadAlone = false

    /// - Parameters:
    ///   - environment: The source of batches.
    ///   - streams: The requests that a connection may have in flight: with one all go alone, and in order.
    init(_ environment: any LaneEnvironment, streams: Int) {
        self.environment = environment
        keepsRows = streams > 1
    }

    deinit {
        _ = current?.release()
        for batch in later { _ = batch.release() }
        _ = spare?.release()
        _ = candidate?.release()
    }

    /// The batches that are kept, emptied ones included.
    var batchCount: Int {
        later.count + [current, spare, candidate].count { $0 != nil }
    }

    /// True if any batch has a row that was not taken up.
    var hasUntaken: Bool {
        Self.isFilled(current) || Self.isFilled(spare) || Self.isFilled(candidate)
            || later.contains { Self.isFilled($0) }
    }

    /// Looks for a row, and gives batches back that have none, or none for now.
    /// - Parameters:
    ///   - takesBatch: True to take a batch for it; otherwise another lane may take the row first.
    ///   - now: The time.
    /// - Returns: True if there is one: `take` returns it, if a batch might be taken.
    mutating func hasRow(takesBatch: Bool = true, now: Instant) -> Bool {
        if let current, isOpen(current, now: now) { return true }
        if !takesBatch && environment.hasBatch(now: now) { return true }
        return goOn(takesBatch: takesBatch, now: now)
    }

    /// Takes the next row, after `hasRow` has returned true.
    /// - Parameters:
    ///   - goesAlone: Its connection has one stream.
    ///   - connections: The number of connections.
    ///   - inFlight: Requests that wait for their answers.
    ///   - now: The time.
    /// - Returns: The row's place.
    mutating func take(
        goesAlone: Bool, connections: Int, inFlight: Int, now: Instant
    ) -> Place {
        guard let current else { preconditionFailure("BUG: a row of no batch") }
        takenCount &+= 1
        if goesAlone {
            lookAhead(connections: connections, inFlight: inFlight, now: now)
            if let spare { return Self.take(from: spare) }
            // Nothing lies behind it: bad tokens come in runs, so both ends are tried in turn.
            tookOther.toggle()
            return Self.take(from: current, end: tookOther)
        }
        aloneCount = 0
        stride = 1
        if run.isOn {
            if let place = takeAhead(now: now) { return place }
        } else {
            reach = 1
        }
        let place = Self.take(from: current)
        if place.index == half, !hadAlone { keepRest(of: current, inFlight: inFlight) }
        return place
    }

    /// Keeps half a batch for requests that go alone, in place of an older one.
    private mutating func keepRest(of batch: Held<RowBatch>, inFlight: Int) {
        guard takenCount >= provenAt, batch.use({ !$0.untaken.isEmpty }) else { return }
        (current, spare, candidate) = (spare, candidate, batch)
        spareIsAhead = false
        half = -1
        provenAt = takenCount + 2 * inFlight
    }

    /// Hears of an answer that was the last word about a row.
    mutating func answered(isRejection: Bool) { run.answered(isRejection: isRejection) }

    /// Gives all batches back; no lane needs the rows that are left in them.
    mutating func giveBack() {
        for batch in letGo() { recycle(batch) }
    }

    /// Leaves the rows to the lanes that can send them; this one may be the first to take them again.
    mutating func handBack() {
        for batch in letGo() {
            if Self.isFilled(batch) {
                environment.handBack(batch.release())
            } else {
                recycle(batch)
            }
        }
    }

    /// Forgets all batches.
    /// - Returns: The batches, the first rows first.
    private mutating func letGo() -> [Held<RowBatch>] {
        var batches: [Held<RowBatch>] = []
        if let current { batches.append(current) }
        batches += later
        if let spare { batches.append(spare) }
        if let candidate { batches.append(candidate) }
        (current, spare, candidate) = (nil, nil, nil)
        later = []
        half = -1
        return batches
    }

    // MARK: Looking ahead

    /// Fills `spare` with a row, if possible a good one.
    private mutating func lookAhead(connections: Int, inFlight: Int, now: Instant) {
        hadAlone = true
        aloneCount += 1
        if spare == nil { promoteCandidate() }
        while let batch = spare, !isOpen(batch, now: now) {
            recycle(batch)
            promoteCandidate()
        }
        // Each connection has tried twice, and then once before each further look.
        let isStuck = aloneCount > 2 * connections
        guard spare == nil || isStuck else {
            return goFurther(inFlight: max(inFlight, connections))
        }
        if isStuck {
            aloneCount = connections
            stride = min(stride * 2, Limits.batchesAheadMax)
            run.begin()
        }
        for _ in 0..<stride where later.count < Limits.batchesAheadMax {
            guard moveAhead() else { break }
        }
    }

    /// Goes further ahead in a run of bad tokens with good ones at hand.
    ///
    /// A flight was cut all the same, so the rows that went with it were bad as well.
    private mutating func goFurther(inFlight: Int) {
        guard run.isOn, takenCount >= reachAt else { return }
        for _ in 0..<reach { guard reachFurther() else { break } }
        reach = min(reach * 2, Limits.batchesAheadMax)
        reachAt = takenCount + inFlight
    }

    private mutating func promoteCandidate() {
        (spare, candidate) = (candidate, nil)
        spareIsAhead = false
    }

    /// Takes the next batch of the input for `spare`, if there is one now.
    private mutating func moveAhead() -> Bool {
        guard let next = nextBatch() else { return false }
        if let spare { later.append(spare) }
        spare = Held(next)
        spareIsAhead = true
        return true
    }

    /// Takes a good row from further on in a run of bad tokens, so that the limit is soon up again.
    ///
    /// Rows that were kept from before stay for requests that go alone.
    /// - Returns: Every second time a row from further on, if there is one.
    private mutating func takeAhead(now: Instant) -> Place? {
        tookOther.toggle()
        guard tookOther else { return nil }
        let isSpare = spareIsAhead && spare != nil
        let isUsed = (isSpare ? spare : later.last)?.use { $0.untaken.count <= $0.rowCount / 2 }
        if isUsed ?? true {
            let hasMore =
                isSpare ? later.count < Limits.batchesAheadMax && moveAhead() : reachFurther()
            guard hasMore else { return nil }
        }
        guard let ahead = isSpare ? spare : later.last, isOpen(ahead, now: now) else { return nil }
        return Self.take(from: ahead)
    }

    /// Takes the next batch of the input behind those that come later, if there is one now.
    private mutating func reachFurther() -> Bool {
        guard later.count < Limits.batchesAheadMax, let next = nextBatch() else { return false }
        later.append(Held(next))
        return true
    }

    /// The next batch of the input while others are kept; there should be one the next time.
    private mutating func nextBatch() -> RowBatch? {
        if lentCount < min(later.count + stride, Limits.batchesAheadMax) {
            environment.lendBatch()
            lentCount += 1
        }
        return environment.nextBatch()
    }

    // MARK: Batches

    private mutating func goOn(takesBatch: Bool, now: Instant) -> Bool {
        while true {
            if let batch = current { recycle(batch) }
            (current, half) = (nil, -1)
            var isNew = false
            if !later.isEmpty {
                current = later.removeFirst()
            } else if takesBatch, let next = environment.nextBatch() {
                current = Held(next)
                isNew = true
            } else {
                // It is kept only as long as there are others.
                (current, spare, candidate) = (
                    candidate ?? spare, candidate == nil ? nil : spare, nil
                )
            }
            guard let current else { return false }
            guard isOpen(current, now: now) else { continue }
            if isNew && keepsRows { half = current.use { $0.rowCount / 2 } }
            hadAlone = false
            return true
        }
    }

    private mutating func recycle(_ batch: Held<RowBatch>) {
        let batch = batch.release()
        // Rows that are left in it come again, so it is none that is too many.
        if lentCount > later.count, batch.untaken.isEmpty {
            lentCount -= 1
            environment.discard(batch)
        } else {
            environment.recycle(batch)
        }
    }

    /// Returns true if a batch may be sent; after its window has closed, the reader looks at its
    /// rows again.
    private func isOpen(_ batch: Held<RowBatch>, now: Instant) -> Bool {
        batch.use { !$0.untaken.isEmpty && now < $0.closes }
    }

    private static func isFilled(_ batch: Held<RowBatch>?) -> Bool {
        batch?.use { !$0.untaken.isEmpty } ?? false
    }

    private static func take(from batch: Held<RowBatch>, end: Bool = false) -> Place {
        Place(batch: batch, index: batch.use { $0.take(fromEnd: end) })
    }
}
