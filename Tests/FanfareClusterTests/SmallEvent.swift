@testable import FanfareCore

/// A fault that may befall a small job.
enum SmallFault: CaseIterable {
    case kill, reboot, leave
    /// A worker takes all others for lost, and is wrong: it was stopped, or they were.
    case mistake
    /// A worker that leaves has waited for the engine for long enough.
    case away
    /// An answer is lost, or a request, which may arrive late.
    case loseAnswer, delayRequest
    /// A provider answers "later".
    case later
}

/// The others that a worker takes for lost.
enum Lost {
    case none
    /// Those without a process.
    case dead
    case all
}

/// The part of a worker's steps that is under way when a fault befalls it.
///
/// Otherwise a request and its answer are one step, and so are a row's start, its answer and its line: what comes between
/// them of other workers might as well come before or behind.
struct Moment: Equatable {
    var isBeat = false
    /// The engine has answered, and the worker has not heard so.
    var isAnswered = false
    var rows = 0
}

/// A step of a small job.
enum SmallEvent: Equatable {
    case begin(Int)
    /// The worker asks what is due: a beat.
    case beat(Int)
    /// The worker asks for something else that is due.
    ///
    /// It takes others for lost or not. The salts lead to other choices among what a survey has shown.
    case act(Int, loses: Lost, salt: UInt64)
    /// It hears an answer that was on its way when it was told to leave.
    case hear(Int)
    /// A row is handed out, starts, and is answered.
    case start(Int)
    /// A row is answered that was under way when its worker was told to leave.
    case answer(Int, row: UInt64)
    case arrive(Int)
    case fault(SmallFault, Int, Moment)
}

extension SmallJob {
    /// The steps that may be possible; `after` says which are.
    var events: [SmallEvent] {
        var events: [SmallEvent] = []
        for (number, worker) in workers.enumerated() {
            guard let process = worker.process else {
                events.append(.begin(number))
                if faultsLeft > 0 {
                    if worker.folder.session > 0 {
                        events.append(.fault(.reboot, number, Moment()))
                    }
                    events += [.loseAnswer, .delayRequest].map { .fault($0, number, Moment()) }
                }
                continue
            }
            if process.answer == nil {
                events.append(.beat(number))
                // A choice there is where there are several ranges.
                let salts: ClosedRange<UInt64> =
                    model.state.ranges.count { !$0.isDone } > 1 ? 0...1 : 0...0
                for loses in [.none, .dead] + (faultsLeft > 0 ? [Lost.all] : []) {
                    if loses != .none && lost(loses).isEmpty { continue }
                    for salt in salts {
                        events.append(.act(number, loses: loses, salt: salt))
                    }
                }
            } else {
                events.append(.hear(number))
            }
            let hasRows =
                process.again != 0
                || process.member.holdings.contains { !$0.waiting.isEmpty }
            if hasRows { events.append(.start(number)) }
            events += (0..<shape.rows).filter { process.underWay >> $0 & 1 == 1 }
                .map { .answer(number, row: $0) }
            if faultsLeft > 0 { events += faults(of: number, process, hasRows: hasRows) }
        }
        return events + late.indices.map { .arrive($0) }
    }

    func faults(of number: Int, _ process: Process, hasRows: Bool) -> [SmallEvent] {
        var events: [SmallEvent] = [.fault(.away, number, Moment())]
        let rows = hasRows ? 0...shape.window : 0...0
        for isAnswered in process.answer == nil ? [false, true] : [false] {
            for rows in rows {
                let moment = Moment(isAnswered: isAnswered, rows: rows)
                events += [.kill, .reboot, .leave].map { .fault($0, number, moment) }
            }
        }
        for isBeat in [false, true] {
            let moment = Moment(isBeat: isBeat)
            events += [.loseAnswer, .delayRequest].map { .fault($0, number, moment) }
        }
        if hasRows { events.append(.fault(.later, number, Moment(rows: 1))) }
        return events
    }
}
