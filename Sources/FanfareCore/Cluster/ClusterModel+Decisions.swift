/// Changes of the job's record, each a comparison and a write.
extension ClusterModel {
    /// Compares and sets the job's record.
    package mutating func decide(
        _ request: ClusterRequest, _ decision: ClusterDecision, after orders: Int
    ) -> ClusterReply {
        if let objection = objection(to: request) { return objection }
        guard let job = state.job, !decision.isOrder || job.orders == orders else { return .missed }
        durability = .promised
        switch decision {
        case .prove(let former):
            guard job.state == .proving, job.prover == former else { return .missed }
            state.job?.prover = request.worker
        case .cut(let former):
            guard job.cutter == former else { return .missed }
            state.job?.cutter = request.worker
        case .proved:
            guard job.state == .proving, job.prover == request.worker else { return .missed }
            state.job?.state = .running
        case .stop(let verdict):
            stop(verdict)
        case .inputDiffers(let row):
            if let index = workerIndex(request.worker) {
                state.workers[index].hasOtherInput = true
            }
            // One worker with another copy leaves; of two, neither can say which copy is right.
            if state.workers.count(where: \.hasOtherInput) > 1 { stop(.inputsDiffer(atRow: row)) }
        case .pause, .setRate, .renewPolicy, .giveUp:
            order(decision)
        case .goOn:
            // One that goes on already does what is asked for: a worker would ask again and again.
            order(decision)
        }
        return .done
    }

    /// Carries out an order: of a worker, or of a person who asks the engine directly.
    package mutating func order(_ decision: ClusterDecision) {
        durability = .promised
        switch decision {
        case .stop(let verdict): stop(verdict)
        case .pause(let isOn):
            // A late beat would show a job as paused in which nothing is left to do.
            guard state.job?.state != .finished else { return }
            state.job?.isPaused = isOn
            state.job?.orders += 1
        case .setRate(let rate):
            guard state.job?.state != .finished else { return }
            state.job?.terms.rate = rate
            state.job?.orders += 1
        case .goOn:
            guard state.job?.state == .stopping || state.job?.state == .stopped else { return }
            state.job?.state = .running
            state.job?.verdict = nil
            // Outcomes are counted anew, as a job on one machine does that is carried on. Beats under way tell those of
            // before, and their epoch says so.
            state.job?.outcomeEpoch += 1
            for index in state.workers.indices {
                state.workers[index].counts.outcomes = []
                state.workers[index].earlierOutcomes = []
            }
            state.job?.orders += 1
        case .renewPolicy:
            state.job?.terms.policy = nil
            state.job?.orders += 1
        case .giveUp(let worker):
            guard let index = workerIndex(worker), state.workers[index].state != .left else {
                return
            }
            state.workers[index].state = .givenUp
            // Its share stays until another worker has lost it, too: it may be alive nevertheless.
            state.job?.orders += 1
        case .prove, .cut, .proved, .inputDiffers: break
        }
    }

    /// Stops the job, if none has before.
    mutating func stop(_ verdict: ClusterVerdict) {
        durability = .promised
        switch state.job?.state {
        case .proving, .running:
            state.job?.state = .stopping
            state.job?.verdict = verdict
            state.job?.orders += 1
        case .stopping, .stopped, .finished, nil: break
        }
    }
}
