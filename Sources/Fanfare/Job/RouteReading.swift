import FanfareBase
import FanfareCore
import FanfareSystem

/// The reading of a job's inputs for several routes, a batch at a time.
///
/// Use it from one thread at a time.
final class RouteReading {
    /// The result of a step of reading.
    enum Step {
        /// Its rows are where they belong.
        case rows
        /// There is nothing to be done now; whether another look is needed soon, because that changes
        /// without a ring.
        case wait(looksSoon: Bool)
        /// The job wants no more rows.
        case stop
    }

    let gate: HoursGate?
    let outboxes: [RouteOutbox]
    /// The reason why no further row is read, once none is.
    private(set) var end: RowFlow.InputEnd?
    private let source: RowSource
    private let past: RowHistory<MappedFile>
    private let seeds: SeedGate?
    private let finder: RouteFinder
    private let census: WordCensus?
    private let isOver: () -> Bool
    private let awake: () -> Void
    private let batch: RowBatch

    /// - Parameters:
    ///   - source: The inputs.
    ///   - past: The facts known of earlier runs and kept for later ones.
    ///   - gate: The gate that decides when rows may be sent; `nil` for no limits of time.
    ///   - seeds: The gate that decides when the rows behind a seed list are read.
    ///   - finder: Finds the route of a row.
    ///   - census: Notes words that name no provider.
    ///   - outboxes: The routes.
    ///   - isOver: Returns true if the job wants no more rows.
    ///   - awake: Called before rows are handed out.
    init(
        source: RowSource, past: RowHistory<MappedFile>, gate: HoursGate?, seeds: SeedGate?,
        finder: RouteFinder, census: WordCensus? = nil, outboxes: [RouteOutbox],
        isOver: @escaping () -> Bool,
        awake: @escaping () -> Void
    ) {
        self.source = source
        self.past = past
        self.gate = gate
        self.seeds = seeds
        self.finder = finder
        self.census = census
        self.outboxes = outboxes
        self.isOver = isOver
        self.awake = awake
        batch = RowBatch(slotCount: source.schema.slotCount)
    }

    /// True if more rows have to be sorted: all routes have room, or the lanes of one want rows.
    var goesOn: Bool {
        let open = outboxes.filter { !$0.hasEnded }
        return open.allSatisfy(\.hasRoom) || open.contains(where: \.wantsRows)
    }

    /// True if no more rows come but those that wait for their windows.
    var areAllHome: Bool { end != nil && outboxes.allSatisfy(\.isHome) }

    // MARK: The end

    /// Ends the routes that get no more rows.
    /// - Returns: True if that is so of all.
    func endDone() -> Bool {
        guard end != nil else { return false }
        for outbox in outboxes where isDone(outbox) { outbox.end(earlier: earlier) }
        return outboxes.allSatisfy(\.hasEnded)
    }

    /// Ends all routes; rows that are not with their lanes are as if never read.
    func endAll() {
        for outbox in outboxes { outbox.end(earlier: earlier) }
    }

    /// The rows that earlier runs have finished.
    private var earlier: UInt64 { past.resumption?.tally.finished ?? 0 }

    /// Returns true if a route gets no more rows; if there are windows, rows of its lanes may come
    /// back.
    private func isDone(_ outbox: RouteOutbox) -> Bool {
        guard let gate else { return outbox.isHandedOut }
        return gate.waitingCount == 0 && outbox.isHome
    }

    // MARK: Rows

    /// Sorts the next rows, if any are wanted.
    func next() throws(FanfareError) -> Step {
        guard goesOn else { return .wait(looksSoon: false) }
        if let gate, try gate.fill(batch) {
            try sort(isNew: false)
            return .rows
        }
        guard end == nil else { return .wait(looksSoon: false) }
        switch seeds?.order(rowsRead: source.rowCount) ?? .read {
        case .read: break
        case .wait: return .wait(looksSoon: true)
        case .stop: return .stop
        }
        if source.mayWait {
            for outbox in outboxes { outbox.handOut() }
            // Batches that come back meanwhile are for those.
            if source.wouldWait, outboxes.contains(where: \.hasWaiting) {
                return .wait(looksSoon: true)
            }
        }
        return try read()
    }

    private func read() throws(FanfareError) -> Step {
        do throws(FanfareError) {
            let hasRows = try source.fill(batch)
            if isOver() { return .stop }
            if hasRows {
                try past.record(batch)
            } else {
                end = .reached
                try past.reachedEnd(rowCount: source.rowCount)
            }
        } catch {
            // The rows before it are sent all the same.
            end = .failed(error)
        }
        if end == nil { try sort(isNew: true) }
        return .rows
    }

    /// Puts each row of the batch where it belongs.
    private func sort(isNew: Bool) throws(FanfareError) {
        awake()
        if let gate { _ = try gate.sort(batch, loopNow: MachineClock.now) }
        var words = RouteWords()
        for index in 0..<batch.rowCount {
            var verdict = batch.verdicts.isEmpty ? .none : batch.verdicts[index]
            // Its line is in the report already.
            if verdict == .finished { continue }
            let outbox = outboxes[route(of: index, &verdict, &words)]
            if isNew { outbox.count() }
            // The gate has it.
            if verdict == .waiting { continue }
            try outbox.put(batch, index, verdict: verdict)
        }
        for outbox in outboxes { outbox.handOutIfWanted() }
        guard isNew else { return }
        census?.words.merge(words)
        let counts = outboxes.map(\.rowCount)
        source.meter.routesWereRead(counts)
        past.grants?.routesGot(counts)
    }

    /// The route of a row: the first one for a row that has none, which says why.
    private func route(
        of index: Int, _ verdict: inout RowBatch.Verdict, _ words: inout RouteWords
    ) -> Int {
        guard unsafe batch.rows[index].fault.code == .none else { return 0 }
        let answer = finder.route(of: batch, index, noting: &words)
        if case .route(let index) = answer { return index }
        if let reason = answer.verdict { verdict.turnAway(reason) }
        return 0
    }
}
