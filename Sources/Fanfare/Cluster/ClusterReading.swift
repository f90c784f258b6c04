import FanfareBase
import FanfareCore
import FanfarePostgres

/// The records that a request is about, as they are at one moment, or under the lock of the job's row.
struct ClusterReading {
    let job: ClusterJobKey
    let request: ClusterRequest

    static let jobColumns =
        "fingerprint, protocol, rate, state, prover, cutter, cut_rows, is_all_cut, is_paused, "
        + "verdict, orders, outcome_epoch, ordinal, timeline, nonce, is_open, "
        // The rest of each hold, by the server's clock alone.
        + "ARRAY(SELECT greatest(0, extract(epoch FROM hold - clock_timestamp()) * 1000)::bigint "
        + "FROM unnest(holds) WITH ORDINALITY AS held (hold, route) ORDER BY route), policy"
    static let workerColumns =
        "worker, session, host, boot, file, nonce, state, beat, share, wants, lines, outcomes, "
        + "counter, earlier_outcomes, has_other_input"
    /// The end of a query for workers, which tells too many of them by reading one more than there may be.
    static let workersEnd = "ORDER BY place LIMIT \(Limits.clusterWorkersRead + 1)"
    static let rangeColumns =
        "key, first_row, end_row, claimed, granted, lined, owner, session, epoch, only_rows, "
        + "is_done, ordinal"
    static let grantColumns =
        "key, epoch, rows, worker, session, lined, is_in_doubt, is_settled, ordinal"
    static let cutColumns =
        "first_row, end_row, sum, is_last, input, byte_offset, line, byte_count, line_count"

    /// Reads without a lock, as all was at one moment, with digests of records that are compared later.
    var snapshot: String {
        let digests = ClusterGuard.digests(of: request, ofJob: job.number)
        return """
            BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
            \(selects(locks: false));
            SELECT \(digests.isEmpty ? "NULL" : digests.joined(separator: ", "));
            COMMIT
            """
    }

    /// Begins a transaction, and reads.
    ///
    /// Each statement sees what was committed before it begins, so those behind the lock see all that
    /// the last owner of the lock has written.
    var statements: String {
        """
        \(ClusterSQL.beginHolding)
        \(selects(locks: true))
        """
    }

    private func selects(locks: Bool) -> String {
        var range = "NOT is_done"
        var grant = "NOT is_settled"
        var keys: [RangeKey] = []
        switch request.operation {
        case .join, .beat, .survey, .cut, .decide: break
        case .reassert:
            // It compares all that a worker was ever granted.
            range = "true"
            grant = "true"
        case .take(.rest(let key, _, _)): keys = [key.range]
        case .take(.upperPart(let key, _, let new)): keys = [key.range, new]
        case .take(.orphan(let key, _)): keys = [key.range]
        case .grant(let key, _), .settle(let key): keys = [key.range]
        case .giveBack(let back): keys = [back.key.range, back.newKey]
        }
        if !keys.isEmpty {
            let list = keys.map { ClusterSQL.bits($0.bits) }.joined(separator: ", ")
            range += " OR key IN (\(list))"
            grant += " OR key IN (\(list))"
        }
        // The server describes each column of a result, also of an empty one.
        var cuts = "SELECT WHERE false"
        if case .cut(let new) = request.operation, let first = new.first, let last = new.last {
            cuts =
                "SELECT \(Self.cutColumns) FROM fanfare.cuts WHERE job = \(job.number) AND first_row "
                + "BETWEEN \(ClusterSQL.count(first.firstRow)) AND \(ClusterSQL.count(last.firstRow))"
            // The rows of a new range may have been granted before the server went back.
            grant = "true"
        }
        return """
            SELECT \(Self.jobColumns) FROM fanfare.jobs WHERE \(job.isRow)\(locks ? " FOR UPDATE" : "");
            SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int;
            SELECT \(Self.workerColumns) FROM fanfare.workers WHERE job = \(job.number)
            \(Self.workersEnd);
            SELECT \(Self.rangeColumns) FROM fanfare.ranges WHERE job = \(job.number) AND (\(range))
            ORDER BY place;
            SELECT \(Self.grantColumns) FROM fanfare.grants WHERE job = \(job.number) AND (\(grant))
            ORDER BY place;
            \(cuts)
            """
    }

    /// Makes a model of a snapshot, with the digests; `nil` if the server does not know the job.
    func model(
        ofSnapshot results: PostgresConnection.Results
    ) throws(ClusterRow.Fault) -> (model: ClusterModel, digests: [String?])? {
        guard results.count == 9, let digests = results[7].first else { throw ClusterRow.Fault() }
        let model = try self.model([[], []] + results.prefix(7))
        return model.map { ($0, digests) }
    }

    /// Makes a model of what was read under the lock; `nil` if the server does not know the job.
    func model(_ results: PostgresConnection.Results) throws(ClusterRow.Fault) -> ClusterModel? {
        guard results.count == 9 else { throw ClusterRow.Fault() }
        guard let jobRow = results[3].first else { return nil }
        guard let timeline = results[4].first else { throw ClusterRow.Fault() }
        var state = ClusterModel.State()
        state.job = try Self.job(jobRow)
        var line = ClusterRow(timeline)
        for values in try Self.workers(results[5]) { state.workers.append(try Self.worker(values)) }
        for values in results[6] { state.ranges.append(try Self.range(values)) }
        for values in results[7] { state.grants.append(try Self.grant(values)) }
        for values in results[8] { state.cuts.append(try Self.cut(values)) }
        return ClusterModel(state, timeline: try line.ordinal())
    }

    /// Returns the rows of a query with `workersEnd`.
    /// - Throws: `Fault` if there are too many.
    static func workers(_ rows: [[String?]]) throws(ClusterRow.Fault) -> [[String?]] {
        guard rows.count <= Limits.clusterWorkersRead else { throw ClusterRow.Fault() }
        return rows
    }

    /// Nothing if no worker has joined yet.
    static func job(_ values: [String?]) throws(ClusterRow.Fault) -> ClusterJob? {
        guard let first = values.first, first != nil else { return nil }
        var row = ClusterRow(values)
        let terms = ClusterTerms(
            fingerprint: try row.bits(), protocolVersion: try row.ordinal(),
            rate: try row.optionalRate())
        let state: ClusterJobState = try row.word()
        let (prover, cutter) = (try row.optionalWorker(), try row.optionalWorker())
        let (cutRows, isAllCut, isPaused) = (try row.count(), try row.flag(), try row.flag())
        let verdict = try row.optionalText()
        let (orders, epoch) = (try row.ordinal(), try row.ordinal())
        var job = ClusterJob(
            terms: terms, prover: prover, cutter: cutter,
            generation: ClusterGeneration(
                ordinal: try row.ordinal(), timeline: try row.ordinal(), nonce: try row.bits()))
        job.state = state
        job.cutRows = cutRows
        job.isAllCut = isAllCut
        job.isPaused = isPaused
        if let verdict { job.verdict = try ClusterVerdict(text: verdict) }
        job.orders = orders
        job.outcomeEpoch = epoch
        job.isOpen = try row.flag()
        job.holds = try row.counts(upTo: .max).map {
            ProviderHold(readMilliseconds: Int64(clamping: $0))
        }
        job.terms.policy = try row.optionalNumber().map { UInt64(bitPattern: $0) }
        return job
    }

    static func worker(_ values: [String?]) throws(ClusterRow.Fault) -> ClusterWorker {
        var row = ClusterRow(values)
        let (id, session) = (try row.worker(), try row.ordinal())
        let place = ClusterPlace(host: try row.bits(), boot: try row.bits(), file: try row.bits())
        var worker = ClusterWorker(
            id: id, session: session, place: place, nonce: try row.bits())
        worker.state = try row.word()
        worker.beat = try row.count()
        worker.share = try row.rate()
        // All that there is, for a worker without a pace of its own.
        worker.wants = try row.number()
        guard worker.wants >= 0 else { throw ClusterRow.Fault() }
        worker.counts = ClusterCounts(lines: try row.count(), outcomes: try row.counts())
        worker.counter = try row.bits()
        worker.earlierOutcomes = try row.counts()
        worker.hasOtherInput = try row.flag()
        return worker
    }

    static func range(_ values: [String?]) throws(ClusterRow.Fault) -> ClusterRange {
        var row = ClusterRow(values)
        let key = RangeKey(bits: try row.bits())
        let (first, end) = (try row.count(), try row.count())
        guard first <= end else { throw ClusterRow.Fault() }
        let (claimed, granted, lined) = (try row.count(), try row.count(), try row.count())
        let (owner, session, epoch) = (
            try row.optionalWorker(), try row.ordinal(), try row.bits()
        )
        var range = ClusterRange(
            key: key, rows: first..<end, owner: owner, session: session, epoch: epoch,
            only: try row.optionalRows())
        guard first <= claimed, claimed <= granted, granted <= end else {
            throw ClusterRow.Fault()
        }
        range.claimed = claimed
        range.granted = granted
        range.lined = lined
        range.isDone = try row.flag()
        range.ordinal = try row.ordinal()
        return range
    }

    static func grant(_ values: [String?]) throws(ClusterRow.Fault) -> ClusterGrant {
        var row = ClusterRow(values)
        let key = GrantKey(range: RangeKey(bits: try row.bits()), epoch: try row.bits())
        guard let rows = try row.optionalRows() else { throw ClusterRow.Fault() }
        return ClusterGrant(
            key: key, rows: rows, worker: try row.worker(), session: try row.ordinal(),
            lined: try row.count(), isInDoubt: try row.flag(), isSettled: try row.flag(),
            ordinal: try row.ordinal())
    }

    static func cut(_ values: [String?]) throws(ClusterRow.Fault) -> ClusterCut {
        var row = ClusterRow(values)
        var cut = ClusterCut(
            firstRow: try row.count(), endRow: try row.count(),
            sum: UInt32(truncatingIfNeeded: try row.count()), isLast: try row.flag())
        cut.place.input = Int(try row.count())
        cut.place.offset = try row.count()
        cut.place.line = try row.count()
        cut.byteCount = try row.count()
        cut.lineCount = try row.count()
        guard cut.firstRow <= cut.endRow else { throw ClusterRow.Fault() }
        return cut
    }
}
