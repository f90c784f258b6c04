import FanfareCore

@testable import Fanfare

/// The checks after a job.
extension Ledger {
    /// Checks each row and the sums.
    func balance(tally: Tally, rowsLeft: UInt64, stop: JobStop?) {
        for row in rows { check(row, wasStopped: stop != nil) }
        checkSums(tally, rowsLeft)
        if stop == nil {
            if rowsLeft != 0 { violate("\(rowsLeft) rows were left, but nothing stopped the job") }
            if lines.count != rows.count {
                violate("\(rows.count) rows, but \(lines.count) lines")
            }
        }
    }

    private func checkSums(_ tally: Tally, _ rowsLeft: UInt64) {
        if UInt64(lines.count) + rowsLeft != tally.rowsRead {
            violate("\(tally.rowsRead) rows read, \(lines.count) lines, \(rowsLeft) left")
        }
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
        let tries = attempts[Int(row.number)].map { streams[$0, default: StreamRecord()] }
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
        if line.outcome == "skipped" {
            if plan.until == nil || tries.contains(where: { !$0.isProvablyUnprocessed }) {
                violate("row \(row.number) was started, but \(line)")
            }
            return
        }
        let counted = tries.count { !$0.isProvablyUnprocessed }
        let countable = tries.count { !$0.isDisowned }
        if !(counted...countable).contains(line.attempts) {
            violate("row \(row.number) had \(counted) attempts: \(line)")
        }
        guard let last = tries.last else {
            violate("row \(row.number) was never sent: \(line)")
            return
        }
        let wasInDoubt = tries.dropLast().contains { $0.isInDoubt }
        let mayBeInDoubt = tries.contains { $0.mayBeInDoubt }
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

    private func checkTries(_ row: PlannedRow, _ tries: [StreamRecord]) {
        let accepted = tries.count { $0.status == 200 && !$0.isProvablyUnprocessed }
        if accepted > 1 && !plan.resendsInDoubt {
            violate("row \(row.number) was accepted \(accepted) times")
        }
        let counted = tries.count { !$0.isProvablyUnprocessed }
        if counted > plan.attemptsMax { violate("row \(row.number) had \(counted) attempts") }
    }

    private func checkAnswer(
        _ row: PlannedRow, _ line: Line, _ last: StreamRecord, _ counted: Int,
        _ wasInDoubt: Bool?
    ) {
        guard last.wasReceived, last.answerBegan else {
            return violate("row \(row.number) got no answer: \(line) \(last)")
        }
        let reading = last.readings.first {
            let outcome = $0.class.outcome
            guard line.reason == $0.reason else { return false }
            // "Not processed" cannot be said of a row that may have been, once.
            let isMasked = plan.resendsInDoubt && (outcome == .failed || outcome == .throttled)
            let isSame = line.outcome == outcome.name.description
            if isMasked, line.outcome == "unknown" { return wasInDoubt != false }
            return isSame && !(isMasked && wasInDoubt == true)
        }
        guard line.status == last.status, let expected = reading?.class else {
            return violate("row \(row.number): the provider said \(last), the report \(line)")
        }
        let isExhausted =
            counted >= plan.attemptsMax || plan.until != nil || plan.expiration != nil
        if expected.job == .stop {
            violate("row \(row.number) should have been left: \(line)")
        }
        if expected.retry != .never && !isExhausted {
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
            if last.answerEnded {
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
