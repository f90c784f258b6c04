/// An engine in memory: what the operations mean, without a server.
///
/// The promises of an engine: an operation happens whole or not at all; operations happen one after the other as
/// far as a single record is concerned; and what it has acknowledged, except for a beat, it does not lose. A beat
/// that raises a share counts as acknowledged, too. All else, lost and repeated requests included, the operations
/// themselves can bear.
///
/// Simulations run against it, and a real engine is held against it. It also forgets: see `restart` and `goBack`.
package struct ClusterModel {
    /// The records, and nothing else: what a server would have on its disk.
    package struct State: Equatable, Sendable {
        package var job: ClusterJob?
        package var workers: [ClusterWorker] = []
        package var cuts: [ClusterCut] = []
        package var ranges: [ClusterRange] = []
        /// Grants that are closed.
        package var grants: [ClusterGrant] = []

        package init() {}
    }

    /// The promise with which a write was acknowledged.
    package enum Durability: Equatable, Sendable {
        case none
        /// A beat: the next write that counts takes it along to the disk.
        case soon
        case promised
    }

    package internal(set) var state: State
    /// The server's count of its takeovers.
    package private(set) var timeline: Int
    /// The strongest promise of the present operation.
    package internal(set) var durability = Durability.none

    /// States before the last writes, the latest one last.
    private var history: [(before: State, durability: Durability)] = []
    private let historyMax: Int

    /// - Parameter historyMax: The number of writes that it can forget.
    package init(historyMax: Int = 0) {
        state = State()
        timeline = 1
        self.historyMax = historyMax
    }

    /// The records of a server, or the part of them that a request is about.
    package init(_ state: State, timeline: Int) {
        self.state = state
        self.timeline = timeline
        historyMax = 0
    }

    /// Answers a request, as one transaction.
    package mutating func transact(_ request: ClusterRequest) -> ClusterAnswer {
        let before = state
        durability = .none
        let answer = answer(request)
        if durability != .none && historyMax > 0 {
            if history.count == historyMax { history.removeFirst() }
            history.append((before, durability))
        }
        return answer
    }

    private mutating func answer(_ request: ClusterRequest) -> ClusterAnswer {
        _ = presentGeneration()
        let body: ClusterReply =
            switch request.operation {
            case .join(let details): join(request, details)
            case .reassert(let details): reassert(request, details)
            case .beat(let details): beat(request, details)
            case .survey: survey(request)
            case .cut(let cuts): cut(request, cuts)
            case .take(let details): take(request, details)
            case .grant(let key, let row): grant(request, key, upTo: row)
            case .settle(let key): settle(request, key)
            case .giveBack(let details): giveBack(request, details)
            case .decide(let decision, let orders): decide(request, decision, after: orders)
            }
        return ClusterAnswer(generation: presentGeneration(), body: body)
    }

    /// Time goes by: what providers have asked for ends.
    ///
    /// A server does that by its own clock.
    package mutating func elapsed(milliseconds: Int64) {
        guard let holds = state.job?.holds, !holds.isEmpty else { return }
        state.job?.holds = holds.map { $0.after(milliseconds: milliseconds) }
    }

    /// The server's process ends and another one begins: beats that no other write has taken along are gone.
    package mutating func restart() {
        while let last = history.last, last.durability == .soon {
            state = last.before
            history.removeLast()
        }
    }

    /// Another server takes over that has not seen the last writes, but for that of the job itself: without it nothing
    /// says that there was another job of its name.
    /// - Parameters:
    ///   - writes: The number of them; as many as the history has, at most.
    ///   - tells: True if the server counts the takeover; a copy of its disk would not.
    package mutating func goBack(writes: Int, tells: Bool) {
        for _ in 0..<writes {
            guard let last = history.last, last.before.job != nil else { break }
            state = last.before
            history.removeLast()
        }
        if tells { timeline += 1 }
    }

    /// The generation now, after the engine has looked whether it has gone back.
    private mutating func presentGeneration() -> ClusterGeneration? {
        guard let job = state.job else { return nil }
        if job.generation.timeline != timeline {
            beginGeneration(after: job.generation.ordinal, nonce: 0)
        }
        return state.job?.generation
    }

    /// Begins a generation: grants and takes rest until workers have said anew what they hold.
    mutating func beginGeneration(after ordinal: Int, nonce: UInt64) {
        state.job?.generation = ClusterGeneration(
            ordinal: ordinal + 1, timeline: timeline, nonce: nonce)
        state.job?.isOpen = false
        durability = .promised
    }

    // MARK: Who asks

    func workerIndex(_ id: WorkerID) -> Int? { state.workers.firstIndex { $0.id == id } }

    /// Returns what is to be said to a process that is not the present one of its folder.
    func objection(to request: ClusterRequest) -> ClusterReply? {
        guard state.job != nil else { return .refused(.jobIsUnknown) }
        guard let index = workerIndex(request.worker) else { return .unknownSession }
        let worker = state.workers[index]
        if worker.session > request.session { return .superseded(worker.place) }
        if worker.session < request.session { return .unknownSession }
        return nil
    }

    /// The same for operations on rows, which no other generation may have meant.
    func objectionToRows(_ request: ClusterRequest) -> ClusterReply? {
        if let objection = objection(to: request) { return objection }
        return request.generation == state.job?.generation ? nil : .otherGeneration
    }

    /// True if a worker gets rows at all now.
    func gives(to worker: WorkerID) -> Bool {
        guard let job = state.job, job.isOpen else { return false }
        return switch job.state {
        case .running: true
        case .proving: job.prover == worker
        case .stopping, .stopped, .finished: false
        }
    }

    // MARK: The end

    /// Finishes the job when all is cut and each grant is settled.
    mutating func finishIfAllIsDone() {
        guard let job = state.job, job.isAllCut else { return }
        switch job.state {
        case .finished: return
        case .proving, .running, .stopping, .stopped: break
        }
        if state.ranges.allSatisfy(\.isDone) && state.grants.allSatisfy(\.isSettled) {
            state.job?.state = .finished
        }
    }
}
