@testable import FanfareCore

/// The servers of a run, if there is more than one.
struct ClusterServers {
    /// The identity of the job on the present server: a server that has lost its data has another one.
    var identity = 1
    /// The server of before, to which some still talk after another one has taken over.
    var former: ClusterModel?
    var stay: Set<Int> = []
    /// The identity of the job that each folder is a part of.
    var identityOf: [Int: Int] = [:]
}

extension ClusterWorld {
    /// A worker of the other job, on a server that was made anew.
    static let stranger = WorkerID(bits: 999_999)

    /// The server's data is gone.
    ///
    /// On the new one a stranger has begun a job of the same number already.
    func loseServer() {
        servers.identity += 1
        model = ClusterModel()
        let place = ClusterPlace(host: 999_999, boot: 1, file: 1)
        let terms = ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil)
        _ = model.transact(
            ClusterRequest(
                worker: Self.stranger, session: 0, generation: nil,
                operation: .join(
                    .init(
                        place: place, nonce: 1, fingerprint: 1, protocols: 1...1, terms: terms))))
        ledger.lostServer()
    }

    /// A standby takes over while the server before it is still there for some workers.
    func split(stay: Set<Int>) {
        guard servers.former == nil, model.state.job != nil else { return }
        servers.former = model
        servers.stay = stay
        model = ClusterModel(model.state, timeline: model.timeline + 1)
        ledger.split(model.state)
    }

    /// All talk to the new server from here on.
    func heal() {
        servers.former = nil
    }

    /// Answers a request at the server that its worker talks to.
    func transact(_ request: ClusterRequest, from worker: SimulatedWorker) -> ClusterAnswer {
        let disk = worker.disk.number
        guard servers.identityOf[disk] == servers.identity else {
            return ClusterAnswer(generation: nil, body: .refused(.jobIsUnknown))
        }
        if servers.stay.contains(disk), servers.former != nil {
            let before = servers.former?.state ?? model.state
            guard let answer = servers.former?.transact(request), let former = servers.former else {
                return model.transact(request)
            }
            ledger.committedByFormer(before, former.state, request, answer.body, self)
            return answer
        }
        let before = model.state
        let answer = model.transact(request)
        ledger.committed(before, model, request, answer.body, self)
        return answer
    }

    /// The time that a message of a worker takes.
    func latency(_ worker: SimulatedWorker) -> Int {
        dice.number(plan.far[worker.disk.number] ?? plan.latency)
    }
}
