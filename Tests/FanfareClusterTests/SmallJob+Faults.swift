import FanfareBase

@testable import FanfareCore

/// The faults of a small job.
extension SmallJob {
    mutating func befall(_ fault: SmallFault, _ number: Int, _ moment: Moment) -> Bool {
        guard shape.kinds.contains(fault) else { return false }
        faultsLeft -= 1
        switch fault {
        case .mistake: return false
        case .kill:
            guard reach(moment, number) else { return false }
            workers[number].process = nil
        case .reboot:
            guard workers[number].process == nil || reach(moment, number) else { return false }
            losePower(number)
        case .loseAnswer: return lose(number, isBeat: moment.isBeat, arrivesLate: false)
        case .delayRequest: return lose(number, isBeat: moment.isBeat, arrivesLate: true)
        case .leave:
            guard reach(moment, number), workers[number].process?.member.phase == .working else {
                return false
            }
            workers[number].process?.member.leave(now: Self.now)
            save(number)
        case .away:
            guard workers[number].process?.member.isHandingBack == true,
                workers[number].process?.answer == nil
            else { return false }
            _ = workers[number].process?.member.next(now: Self.never)
            save(number)
        case .later: return answerLater(number)
        }
        return true
    }

    /// Has a worker come to where a fault befalls it.
    mutating func reach(_ moment: Moment, _ number: Int) -> Bool {
        guard workers[number].process != nil else { return false }
        for _ in 0..<moment.rows {
            let before = workers[number].process?.underWay
            guard start(number), workers[number].process?.underWay != before else { return false }
        }
        guard moment.isAnswered else { return true }
        guard let request = composed(number, isBeat: false) else { return false }
        let answer = transact(request)
        workers[number].process?.answer = answer
        return true
    }

    mutating func answerLater(_ number: Int) -> Bool {
        guard start(number), var process = workers[number].process, process.underWay != 0 else {
            return false
        }
        process.again |= process.underWay
        workers[number].marks &= ~process.underWay
        sent &= ~process.underWay
        process.underWay = 0
        workers[number].process = process
        return true
    }

    /// A connection is cut, with an answer on its way, or with a request that arrives when others have come.
    mutating func lose(_ number: Int, isBeat: Bool, arrivesLate: Bool) -> Bool {
        let loses = isBeat || lost(.dead).isEmpty ? Lost.none : .dead
        guard workers[number].process?.answer == nil,
            let request = composed(number, isBeat: isBeat, loses: loses)
        else { return false }
        if arrivesLate { late.append(request) } else { _ = transact(request) }
        workers[number].process?.member.connectionFailed(now: Self.now)
        return true
    }

    /// The machine starts anew: of the marks nothing is left, and the next process marks what is in doubt.
    mutating func losePower(_ number: Int) {
        workers[number].process = nil
        workers[number].boot += 1
        workers[number].marks =
            Self.bits(workers[number].folder.heldRows) & ~workers[number].lines
    }
}

/// The invariants, seen from the engine's records, the disks and the wire.
extension SmallJob {
    mutating func violate(_ text: String) { violation = violation ?? text }

    /// I1: no row has two grants.
    mutating func checkDisjoint() {
        var granted: UInt64 = 0
        let rows = model.state.ranges.map(\.grantedRows) + model.state.grants.map(\.rows)
        for rows in rows {
            let bits = Self.bits(rows)
            if granted & bits != 0 { violate("I1: a row has two grants") }
            granted |= bits
        }
        if case .grantedTwice? = model.state.job?.verdict {
            violate("I1: the job stops because rows were granted twice")
        }
    }

    /// I5: without a fault no row is written off.
    mutating func noteGrants() {
        for index in workers.indices {
            let id = workers[index].folder.worker
            for range in model.state.ranges where range.owner == id {
                workers[index].granted |= Self.bits(range.grantedRows)
            }
        }
        if faultsLeft == shape.faults && model.state.grants.contains(where: \.isInDoubt) {
            violate("I5: rows are written off, and nothing has gone wrong")
        }
    }

    /// I4: a finished job has a line for each row.
    mutating func checkLines() {
        let lines = workers.reduce(0) { $0 | $1.lines }
        if lines != 1 << shape.rows - 1 {
            violate("I4: a row has no line, and the job is finished")
        }
    }
}
