import FanfareBase
import FanfareCore
import FanfarePostgres
import FanfareSystem

/// The work of a worker's thread for the cuts of a shared job's input: it makes the next one if this worker is the one that
/// cuts, and looks up those that the reader waits for.
struct ClusterCutting {
    private let desk: ClusterDesk
    private let control: JobControl
    private var cutter: ClusterCutter
    /// The time by which the engine has to answer a question that is asked now.
    private var deadline: Instant { MachineClock.now.advanced(by: desk.options.patience.answer) }

    init(_ desk: ClusterDesk, _ inputs: ClusterInputs, control: JobControl) {
        self.desk = desk
        self.control = control
        cutter = ClusterCutter(inputs, cutRows: desk.options.cutRows)
    }

    /// Makes the next cut, if this worker is the one that cuts.
    /// - Returns: True if it has made one.
    /// - Throws: `FileError` if the member cannot be kept.
    mutating func cut(_ link: inout ClusterLink) throws(FileError) -> Bool {
        guard let row = try desk.update({ $0.member.cutWanted }) else { return false }
        let cut: ClusterCut
        do throws(FanfareError) {
            if !cutter.isAt(row) {
                let found = link.ask { engine throws(PostgresError) in
                    try engine.lastCut(deadline: deadline)
                }
                // No answer is as no cut: the thread looks again.
                guard let last = found ?? nil, last.endRow == row else { return false }
                try cutter.move(behind: last)
            }
            cut = try cutter.cut(at: row)
        } catch {
            control.inputFailed(error)
            control.stop(JobStop(.inputOutput, error.statement))
            return false
        }
        try desk.update { $0.member.cutRead(cut) }
        return true
    }

    /// Looks up the cut that the reader waits for, and those that it will wait for next.
    /// - Throws: `FileError` if the member cannot be kept.
    func lookUp(_ link: inout ClusterLink) throws(FileError) {
        guard let row = try desk.update({ $0.wantedCut }) else { return }
        let found = link.ask { engine throws(PostgresError) in
            try engine.cuts(from: row, deadline: deadline)
        }
        guard let found, !found.isEmpty else { return }
        try desk.update { state in
            state.wantedCut = nil
            state.cuts = found
        }
        desk.wakeReader()
    }
}
