/// The records on which an answer and its writes depend: as long as they are as they were read, both are right.
///
/// An engine on a server reads without a lock, has the model answer, and writes if nothing of this has changed: another worker
/// may have written meanwhile. Then records and answer are what they would be if the request had come behind that of the
/// other one. Only what the answer to a beat shows of others may be older: their beats and figures, the ranges without an
/// owner, the rows that are cut, and the time that providers ask for.
///
/// So a grant depends on the state of the job, on its range, and on the session of its worker, and no beat of another worker
/// gets in its way. A beat depends on its worker's own records; and one that raises a share on the room that others leave. If they
/// have made more room meanwhile, or want some, the next beat sees that: no share is more than the rate has room for.
package struct ClusterDependence: Equatable, Sendable {
    package enum Condition: Equatable, Sendable {
        case job(JobPart)
        case worker(WorkerID, WorkerPart)
        /// A range of this name with all that it has, or none.
        case range(RangeKey)
        /// A closed grant of this name with all that it has, or none.
        case grant(GrantKey)
        /// The states of all workers, which decide whether the last one has left.
        case states
        /// That the shares of others are no more together than they were.
        case room(for: WorkerID)
        /// The ranges that a worker owns and that are not done, and its grants that are not settled.
        case open(of: WorkerID)
        /// All closed grants.
        case allGrants
        /// The fact that some range or grant is open besides these, or that none is, which finishes the job.
        case othersOpen(besides: [RangeKey], [GrantKey])
    }

    package enum JobPart: Equatable, Sendable {
        /// The columns that say whether rows are given now, and whether all is cut.
        case gives
        /// All but what is cut.
        case orders
        case whole
    }

    package enum WorkerPart: Equatable, Sendable {
        case session
        /// The signs of its life: its state and its last beat.
        case life
        case whole
    }

    package private(set) var conditions: [Condition] = []

    /// True if a request can do without a lock.
    ///
    /// A worker that comes, or says anew what it has, depends on all that there is, and is rare. So is an order to go on, which
    /// changes all workers; a worker with another input, which counts them; and one whose provider asks for time, which is
    /// compared with what is left of another time.
    package static func isEnough(for request: ClusterRequest) -> Bool {
        switch request.operation {
        case .join, .reassert, .decide(.inputDiffers, _), .decide(.goOn, _): false
        case .beat(let beat): beat.holds.isEmpty
        case .survey, .cut, .take, .grant, .settle, .giveBack, .decide: true
        }
    }

    /// Makes the conditions; none if the request needs a lock, and if nothing changes, and the answer promises that all before
    /// it is on the disk.
    /// - Parameters:
    ///   - request: The request.
    ///   - read: The records as they were read.
    ///   - written: The records as the model has left them.
    package init?(
        of request: ClusterRequest, read: ClusterModel.State, written: ClusterModel.State
    ) {
        guard Self.isEnough(for: request), read != written, let job = read.job,
            job.generation == written.job?.generation
        else { return nil }
        conditions.append(.job(job != written.job ? .whole : Self.jobPart(request)))
        for worker in read.workers where !written.workers.contains(worker) {
            conditions.append(.worker(worker.id, .whole))
        }
        add(.worker(request.worker, .session), unless: .worker(request.worker, .whole))
        for (index, range) in written.ranges.enumerated()
        where index >= read.ranges.count || read.ranges[index] != range {
            conditions.append(.range(range.key))
        }
        for (index, grant) in written.grants.enumerated()
        where index >= read.grants.count || read.grants[index] != grant {
            conditions.append(.grant(grant.key))
        }
        var raises = false
        if case .beat(let beat) = request.operation {
            let used = min(Self.share(read, of: request.worker), beat.using)
            raises = Self.share(written, of: request.worker) > used
        }
        addLooks(of: request, read, raises: raises)
        if Self.mayFinish(request), written.job?.isAllCut == true {
            let (ranges, grants) = (self.ranges, self.grants)
            conditions.append(.othersOpen(besides: ranges, grants))
        }
    }

    private var ranges: [RangeKey] {
        conditions.compactMap { if case .range(let key) = $0 { key } else { nil } }
    }

    private var grants: [GrantKey] {
        conditions.compactMap { if case .grant(let key) = $0 { key } else { nil } }
    }

    private mutating func add(_ condition: Condition, unless other: Condition? = nil) {
        if !conditions.contains(condition), other.map(conditions.contains) != true {
            conditions.append(condition)
        }
    }

    /// Adds what a request looks at, whether it changes that or not.
    private mutating func addLooks(
        of request: ClusterRequest, _ read: ClusterModel.State, raises: Bool
    ) {
        switch request.operation {
        case .join, .reassert, .survey: break
        case .beat(let beat):
            if beat.isLeaving { add(.states) }
            if raises { add(.room(for: request.worker)) }
            for seen in beat.lost {
                add(.worker(seen.worker, .life), unless: .worker(seen.worker, .whole))
            }
            add(.open(of: request.worker))
        case .cut: add(.allGrants)
        case .take(.rest(let key, _, _)):
            add(.range(key.range))
            if let owner = read.ranges.first(where: { $0.key == key.range })?.owner {
                add(.worker(owner, .life), unless: .worker(owner, .whole))
            }
        case .take(.upperPart(let key, _, let new)):
            add(.range(key.range))
            add(.range(new))
        case .take(.orphan(let key, let seen)):
            add(.grant(key))
            add(.worker(seen.worker, .life), unless: .worker(seen.worker, .whole))
        case .grant(let key, _), .settle(let key):
            add(.range(key.range))
            add(.grant(key))
        case .giveBack(let back):
            add(.range(back.key.range))
            add(.range(back.newKey))
            add(.grant(back.key))
        case .decide(.giveUp(let worker), _): add(.worker(worker, .whole))
        case .decide: break
        }
    }

    private static func jobPart(_ request: ClusterRequest) -> JobPart {
        switch request.operation {
        case .join, .reassert, .cut, .giveBack, .decide: .whole
        case .beat: .orders
        case .survey, .take, .grant, .settle: .gives
        }
    }

    /// True if a request may be what was left of the job.
    private static func mayFinish(_ request: ClusterRequest) -> Bool {
        switch request.operation {
        case .join, .reassert, .beat, .survey, .grant, .decide: false
        case .cut, .take, .settle, .giveBack: true
        }
    }

    // MARK: What it means

    /// True if all that it depends on is in other records as it is in those that were read.
    package func holds(in present: ClusterModel.State, read: ClusterModel.State) -> Bool {
        conditions.allSatisfy { condition in
            switch condition {
            case .job(let part): part.of(present.job) == part.of(read.job)
            case .worker(let id, let part):
                part.of(present.workers.first { $0.id == id })
                    == part.of(read.workers.first { $0.id == id })
            case .range(let key):
                present.ranges.first { $0.key == key } == read.ranges.first { $0.key == key }
            case .grant(let key):
                present.grants.first { $0.key == key } == read.grants.first { $0.key == key }
            case .states: present.workers.map(\.state) == read.workers.map(\.state)
            case .room(let worker):
                Self.sharesBesides(worker, present) <= Self.sharesBesides(worker, read)
            case .open(let worker):
                Self.open(present, of: worker).0 == Self.open(read, of: worker).0
                    && Self.open(present, of: worker).1 == Self.open(read, of: worker).1
            case .allGrants: present.grants == read.grants
            case .othersOpen(let ranges, let grants):
                Self.hasOpen(present, besides: ranges, grants)
                    == Self.hasOpen(read, besides: ranges, grants)
            }
        }
    }

    private static func share(_ state: ClusterModel.State, of worker: WorkerID) -> Int64 {
        state.workers.first { $0.id == worker }?.share ?? 0
    }

    /// The shares of all workers but for one.
    package static func sharesBesides(_ worker: WorkerID, _ state: ClusterModel.State) -> Int64 {
        state.workers.reduce(0) { $0 + ($1.id == worker ? 0 : $1.share) }
    }

    private static func open(
        _ state: ClusterModel.State, of worker: WorkerID
    ) -> ([ClusterRange], [ClusterGrant]) {
        (
            state.ranges.filter { $0.owner == worker && !$0.isDone },
            state.grants.filter { $0.worker == worker && !$0.isSettled }
        )
    }

    /// True if any range or grant is open besides some.
    package static func hasOpen(
        _ state: ClusterModel.State, besides ranges: [RangeKey], _ grants: [GrantKey]
    ) -> Bool {
        state.ranges.contains { !$0.isDone && !ranges.contains($0.key) }
            || state.grants.contains { !$0.isSettled && !grants.contains($0.key) }
    }
}

extension ClusterDependence.JobPart {
    /// Returns the part of a job's record, with all else as it is in a new one.
    func of(_ job: ClusterJob?) -> ClusterJob? {
        guard var job else { return nil }
        job.holds = []
        switch self {
        case .whole: break
        case .orders: (job.cutRows, job.isAllCut) = (0, false)
        case .gives:
            var part = ClusterJob(
                terms: ClusterTerms(fingerprint: 0, protocolVersion: 0, rate: nil),
                prover: job.prover, cutter: nil, generation: job.generation)
            part.state = job.state
            part.isOpen = job.isOpen
            part.isAllCut = job.isAllCut
            return part
        }
        return job
    }
}

extension ClusterDependence.WorkerPart {
    func of(_ worker: ClusterWorker?) -> ClusterWorker? {
        guard let worker else { return nil }
        if self == .whole { return worker }
        var part = ClusterWorker(
            id: worker.id, session: self == .session ? worker.session : 0,
            place: ClusterPlace(host: 0, boot: 0, file: 0), nonce: 0)
        if self == .life { (part.state, part.beat) = (worker.state, worker.beat) }
        return part
    }
}
