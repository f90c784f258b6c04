import FanfareCore

@testable import Fanfare

/// The checks after a job.
extension Ledger {
    /// Checks each row and the sums.
    /// - Parameters:
    ///   - tally: The counts of all processes, as far as they are in the report.
    ///   - rowsLeft: Rows that the last one took up and left.
    ///   - lost: Lines for which the disk had no room.
    ///   - stop: The reason why the last one stopped, if it did.
    func balance(tally: Tally, rowsLeft: UInt64, lost: Int, stop: JobStop?) {
        for row in rows { check(row, wasStopped: stop != nil) }
        checkSums(tally, rowsLeft, lost)
        if plan.hasSideFiles && !hasLostPower { checkSideFiles() }
        if stop == nil {
            if rowsLeft != 0 { violate("\(rowsLeft) rows were left, but nothing stopped the job") }
            if lines.count != rows.count {
                violate("\(rows.count) rows, but \(lines.count) lines")
            }
        }
    }

    /// Checks the rows of one of several routes.
    /// - Parameter wasStopped: True if the job has stopped before its end.
    func balanceRoute(wasStopped: Bool) {
        for row in rows {
            check(row, wasStopped: wasStopped)
            if let line = lines[row.number], line.provider != plan.kind.rawValue {
                violate("row \(row.number) of \(plan.kind.rawValue) is told as: \(line)")
            }
        }
    }

    private func checkSums(_ tally: Tally, _ rowsLeft: UInt64, _ lost: Int) {
        if UInt64(lines.count + lost) + rowsLeft != tally.rowsRead {
            violate("\(tally.rowsRead) rows read, \(lines.count) lines, \(rowsLeft) left")
        }
        // Lost rows are told one by one, not by outcome.
        guard lost == 0 else { return }
        for outcome in Outcome.allCases {
            let count = lines.values.count { $0.outcome == outcome.name.description }
            if tally.count(outcome) != UInt64(count) {
                violate("\(count) lines say \(outcome.name), the tally \(tally.count(outcome))")
            }
        }
        let attempts = lines.values.reduce(0) { $0 + $1.attempts }
        if tally.attempts != UInt64(attempts) {
            violate("the lines have \(attempts) attempts, the tally \(tally.attempts)")
        }
    }

    private func check(_ row: PlannedRow, wasStopped: Bool) {
        let tries = tries(of: row.number)
        let wasDoubtful = doubtful.contains(row.number)
        checkTries(row, tries)
        guard let line = lines[row.number] else {
            if !wasStopped { violate("row \(row.number) has no line") }
            return
        }
        guard row.kind.isSent else {
            if line.outcome != "invalid" || !tries.isEmpty {
                violate("row \(row.number) is \(row.kind), but \(line)")
            }
            return
        }
        if line.reason == "interrupted" {
            return checkInterrupted(row, line, tries, wasDoubtful: wasDoubtful)
        }
        if line.outcome == "skipped" {
            if plan.until == nil && plan.expiration == nil || wasDoubtful
                || tries.contains(where: { !$0.isProvablyUnprocessed })
            {
                violate("row \(row.number) was started, but \(line)")
            }
            return
        }
        let counted = tries.count { !$0.isProvablyUnprocessed }
        let countable = tries.count { !$0.isDisowned }
        let before = wasDoubtful ? 1 : 0
        if !(counted + before...countable + before).contains(line.attempts) {
            violate("row \(row.number) had \(counted) attempts: \(line)")
        }
        guard let last = tries.last else {
            // Its time was over before it could be sent again.
            if wasDoubtful && line.outcome == "unknown" && line.status == 0 { return }
            violate("row \(row.number) was never sent: \(line)")
            return
        }
        let wasInDoubt = wasDoubtful || tries.dropLast().contains { $0.isInDoubt }
        let mayBeInDoubt =
            wasDoubtful || tries.contains { $0.mayBeInDoubt || isAnsweredInDoubt($0) }
        if line.status != 0 {
            // Refused attempts may have come after the answer that counts.
            let answered = tries.last { $0.answerBegan } ?? last
            checkAnswer(
                row, line, answered, line.attempts, wasInDoubt ? true : mayBeInDoubt ? nil : false)
        } else {
            checkNoAnswer(
                row, line, last, wasInDoubt: wasInDoubt, mayBeInDoubt: mayBeInDoubt)
        }
    }

    private func isAnsweredInDoubt(_ record: StreamRecord) -> Bool {
        record.answerBegan
            && record.readings(by: plan.kind).contains { $0.class.retry == .inDoubt }
    }

    /// A row that an earlier process may have sent, and that no other may send.
    private func checkInterrupted(
        _ row: PlannedRow, _ line: Line, _ tries: [StreamRecord], wasDoubtful: Bool
    ) {
        if !wasDoubtful || !tries.isEmpty || line.outcome != "unknown" || line.attempts != 1
            || attempts[Int(row.number)].isEmpty && !plan.isDurable
        {
            violate("row \(row.number) was not interrupted: \(line) \(tries)")
        }
    }

    /// Each row whose line asks for it has its record, and only these.
    private func checkSideFiles() {
        func tokens(_ isWanted: (Line) -> Bool) -> [String] {
            lines.filter { isWanted($0.value) }.map { rows[Int($0.key) - 1].token ?? "" }.sorted()
        }
        let dead = sideLines[0].map { String($0.prefix { $0 != "," }) }.sorted()
        if dead != tokens({ $0.outcome == "unregistered" }) {
            violate("\(dead.count) dead tokens are listed, which are others than the report's")
        }
        let again = sideLines[1].map { String($0.prefix { $0 != "{" }) }.sorted()
        if again != tokens({ ["unknown", "failed", "throttled"].contains($0.outcome) }) {
            violate("\(again.count) rows are kept, which are others than the report's")
        }
    }

    private func checkTries(_ row: PlannedRow, _ tries: [StreamRecord]) {
        let all = attempts[Int(row.number)].map { streams[$0, default: StreamRecord()] }
        let accepted = all.count { $0.status == 200 && !$0.isProvablyUnprocessed }
        if accepted > 1 && !plan.resendsInDoubt {
            violate("row \(row.number) was accepted \(accepted) times")
        }
        // While nothing but 429 comes, such an answer costs a row nothing.
        let counted = tries.count { !$0.isProvablyUnprocessed && $0.status != 429 }
        if counted > plan.attemptsMax { violate("row \(row.number) had \(counted) attempts") }
    }

    private func checkAnswer(
        _ row: PlannedRow, _ line: Line, _ last: StreamRecord, _ counted: Int,
        _ wasInDoubt: Bool?
    ) {
        guard last.wasReceived, last.answerBegan else {
            return violate("row \(row.number) got no answer: \(line) \(last)")
        }
        let reading = last.readings(by: plan.kind).first {
            let outcome = $0.class.outcome
            guard line.reason == $0.reason else { return false }
            // "Not processed" cannot be said of a row that may have been, once.
            let isMasked = plan.resendsInDoubt && (outcome == .failed || outcome == .throttled)
            let isSame = line.outcome == outcome.name.description
            if isMasked, line.outcome == "unknown" { return wasInDoubt != false }
            return isSame && !(isMasked && wasInDoubt == true)
        }
        guard line.status == last.status, let reading else {
            return violate("row \(row.number): the provider said \(last), the report \(line)")
        }
        let isExhausted =
            counted >= plan.attemptsMax || plan.until != nil || plan.expiration != nil
        let expected = reading.class
        if expected.job == .stop {
            violate("row \(row.number) should have been left: \(line)")
        }
        if reading.isSentAgain(resendsInDoubt: plan.resendsInDoubt) && !isExhausted {
            violate("row \(row.number) was given up after \(counted) attempts: \(line)")
        }
        if expected.outcome == .unregistered && !last.reason.isEmpty && line.unregisteredAt.isEmpty
        {
            violate("row \(row.number): \(line)")
        }
    }

    private func checkNoAnswer(
        _ row: PlannedRow, _ line: Line, _ last: StreamRecord, wasInDoubt: Bool,
        mayBeInDoubt: Bool
    ) {
        switch line.outcome {
        case "unknown":
            if last.answerBegan {
                violate("row \(row.number): the answer \(last) was lost: \(line)")
            }
            if last.isDisowned && !(plan.resendsInDoubt && mayBeInDoubt) {
                violate("row \(row.number) was never processed: \(line) \(last)")
            }
        case "failed":
            if !last.isProvablyUnprocessed || wasInDoubt {
                violate("row \(row.number) may have been processed: \(line) \(last)")
            }
        default:
            violate("row \(row.number) needs an answer: \(line)")
        }
    }
}
