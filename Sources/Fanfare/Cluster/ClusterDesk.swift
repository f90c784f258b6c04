import FanfareBase
import FanfareCore
import FanfarePostgres
import FanfareSystem
import Synchronization

// What to know before you change this:
// - The folder is written under the lock before anything is handed out that an answer has granted.
// - A row counts as lined only when the disk has its line: a settled grant is no longer this worker's to repair.
// - The reader waits in `next`, and the lanes never do.

/// The gate between the reader and the lanes of a worker: nothing is read outside an acknowledged grant.
///
/// Its thread, `ClusterThread`, talks to the engine; the reader asks it for rows, and the writer tells it of lines.
final class ClusterDesk: RowGrants {
    struct State {
        var member: ClusterMember
        var handedOut = ClusterHandedOut()
        var inHand = RowsInHand()
        var savedVersion = -1
        /// The place of the folder in its file; `nil` if this process has not written it, or not to the end.
        var savedPlace: ClusterFolderFile.Place?
        /// True if the job of this process wants no more rows.
        var isClosed = false
        /// The row whose cut the reader looks for, and the cuts that were looked up last.
        var wantedCut: UInt64?
        var cuts: [ClusterCut] = []
        var lineCount: UInt64
        var handedOutRows: UInt64 = 0
        /// Returns how many of these lanes have taken up; `nil` with several routes, where rows of one may wait for long.
        var rowsTaken: (@Sendable () -> UInt64)?
        /// Returns the trace of a row, counted from 1, when no lane sends anything any more.
        var trace: (@Sendable (UInt64) -> RowTrace)?

        /// True once nothing of the member can start any more, and it has not given its rows back.
        var hasRowsToGiveBack: Bool { member.isDraining && trace != nil }

        /// Has the member give rows back, once nothing of it can start any more.
        /// - Parameters:
        ///   - areLinesOnDisk: False if the disk has not confirmed the lines of this process: their rows stay in doubt.
        ///   - now: The time.
        mutating func giveBack(areLinesOnDisk: Bool = true, now: Instant) {
            guard member.isDraining, let trace else { return }
            var lined = RowIntervals()
            if areLinesOnDisk {
                lined = handedOut.linedRows
                for (key, row) in handedOut.progress() { member.lined(key, below: row) }
            }
            // Lines and marks count rows from 1.
            member.drained(lined: lined, trace: { trace($0 + 1) }, now: now)
            self.trace = nil
        }
    }

    let options: ClusterOptions
    let engine: ClusterEngine
    private let file: ClusterFolderFile
    private let state: Mutex<State>
    /// Wakes the engine's thread, and the reader.
    let alarm = Alarm()
    private let readerAlarm = Alarm()
    /// The rows of the folder before this process.
    private let earlierRows: UInt64

    /// - Parameters:
    ///   - options: The job.
    ///   - engine: The engine, which knows the job.
    ///   - file: The memory of the folder.
    ///   - member: The worker.
    ///   - lineCount: The lines of its report.
    init(
        _ options: ClusterOptions, _ engine: ClusterEngine, file: ClusterFolderFile,
        member: ClusterMember, lineCount: UInt64
    ) {
        self.options = options
        self.engine = engine
        self.file = file
        earlierRows = lineCount
        var member = member
        member.counted(ClusterCounts(lines: lineCount))
        state = Mutex(State(member: member, lineCount: lineCount))
    }

    /// Follows from now on how many rows lanes have taken up.
    func follow(rowsTaken: @escaping @Sendable () -> UInt64) {
        state.withLock { $0.rowsTaken = rowsTaken }
    }

    /// True once a process of the folder has joined the job.
    var hasJoined: Bool { state.withLock { $0.member.folder.session > 0 } }

    /// Tells the server the outcomes of the report once nothing of this process writes any more, for people: if the server
    /// is away, they stay those of the last beat.
    func tellLast(_ outcomes: [UInt64]) {
        let (worker, session, told) = state.withLock {
            ($0.member.folder.worker, $0.member.folder.session, $0.member.reportedOutcomes)
        }
        guard session > 0, outcomes != told else { return }
        engine.tell(
            outcomes, of: worker, session: session,
            deadline: MachineClock.now.advanced(by: .seconds(1)))
    }

    // MARK: The reader

    var handedOutCount: UInt64 { earlierRows + state.withLock { $0.handedOutRows } }

    /// The figures of all workers together.
    var wholeJob: WholeJob? { state.withLock { $0.member.wholeJob } }

    /// The result of a look for rows.
    enum Look: Equatable {
        /// The rows are the reader's from now on.
        case rows(ClusterMember.HandOut)
        /// There are none that lanes may have now.
        case none
        /// No more rows come.
        case over
    }

    /// Looks for rows that may be sent, and takes them.
    func look() -> Look {
        let look = state.withLock { state -> Look in
            if state.isClosed || state.member.ending != nil || state.member.isDraining {
                return .over
            }
            let room = Self.room(state)
            guard room > 0,
                let out = state.member.handOut(
                    max: min(room, Limits.clusterHandOutRows), now: MachineClock.now)
            else { return .none }
            state.handedOut.add(out)
            return .rows(out)
        }
        // The next block may be due.
        if case .rows = look { alarm.ring() }
        return look
    }

    /// Waits for rows that may be sent.
    /// - Parameter isOver: Returns true if the job wants no more rows.
    /// - Returns: The rows; `nil` when no more come.
    func next(isOver: () -> Bool) -> ClusterMember.HandOut? {
        while !isOver() {
            switch look() {
            case .rows(let out): return out
            case .over: return nil
            case .none:
                let look = MachineClock.now.advanced(by: Limits.clusterLook)
                guard readerAlarm.sleep(until: look) else { return nil }
            }
        }
        return nil
    }

    /// The rows that lanes may have beyond those that they have: a few seconds of work, since rows in the hands of a
    /// worker that dies are in doubt.
    ///
    /// Those that wait for a provider which takes none come on top.
    private static func room(_ state: State) -> UInt64 {
        let open = state.handedOut.openRows
        var most = max(8 * state.member.blockRows, 2_048)
        if let pace = state.member.pace {
            let perSecond = UInt64(max(0, pace / ShareRule.unitsPerStart))
            most = min(most, max(64, 4 * perSecond))
        }
        let behind = state.inHand.behind(most: most)
        let mayWait = behind > 0 && state.handedOut.unsettledRows < Limits.clusterUnsettledMax
        let all = mayWait ? most + behind : most
        return min(rest(of: all, used: open, least: most / 8), ahead(state))
    }

    /// The rows that lanes may have beyond those that they have and have not taken up.
    private static func ahead(_ state: State) -> UInt64 {
        guard let rowsTaken = state.rowsTaken, let most = state.member.rowsAhead else {
            return .max
        }
        let taken = min(rowsTaken(), state.handedOutRows)
        return rest(of: most, used: state.handedOutRows - taken, least: most / 8)
    }

    /// The rest, if it is not too little: not row by row, as lines come, because lanes have most of what they may have,
    /// and a batch costs more than its rows.
    private static func rest(of most: UInt64, used: UInt64, least: UInt64) -> UInt64 {
        used + least <= most ? most - used : 0
    }

    /// Waits for the cut that a row lies in; `nil` when no more rows are wanted.
    func cut(containing row: UInt64) -> ClusterCut? {
        while true {
            let (cut, isOver) = state.withLock { state -> (ClusterCut?, Bool) in
                let found = state.cuts.first { ($0.firstRow..<$0.endRow).contains(row) }
                state.wantedCut = found == nil ? row : nil
                return (found, state.isClosed || state.member.ending != nil)
            }
            if let cut { return cut }
            if isOver { return nil }
            alarm.ring()
            let look = MachineClock.now.advanced(by: Limits.clusterLook)
            guard readerAlarm.sleep(until: look) else { return nil }
        }
    }

    /// The bytes of a cut are others here: the worker leaves before their first row.
    func inputDiffers(_ cut: ClusterCut) {
        state.withLock { $0.member.inputDiffered(atRow: cut.firstRow, now: MachineClock.now) }
        alarm.ring()
    }

    func judge(_ batch: RowBatch) {
        let rows = batch.firstRow - 1..<batch.firstRow - 1 + UInt64(batch.rowCount)
        state.withLock { state in
            let repeated = state.handedOut.takeRepeated(in: rows)
            let first =
                repeated.isEmpty ? rows.lowerBound : RowIntervals(rows).subtracting(repeated).first
            let isInDoubt = first.map(state.handedOut.isInDoubt) ?? false
            if batch.verdicts.isEmpty {
                guard isInDoubt || !repeated.isEmpty else {
                    state.handedOutRows += UInt64(batch.rowCount)
                    return
                }
                batch.verdicts = Array(repeating: .none, count: batch.rowCount)
            }
            for index in 0..<batch.rowCount {
                let row = rows.lowerBound + UInt64(index)
                if !repeated.isEmpty && repeated.contains(row) {
                    batch.verdicts[index] = .finished
                    continue
                }
                if batch.verdicts[index] == .finished {
                    state.handedOut.lined([row + 1])
                    continue
                }
                state.handedOutRows += 1
                guard isInDoubt else { continue }
                batch.verdicts[index] =
                    state.member.folder.isOwn(row) ? .inDoubtHeld : .workerLost
            }
        }
    }

    func routesGot(_ rows: [UInt64]) { state.withLock { $0.inHand.routesGot(rows) } }

    // MARK: The writer

    /// Notes that rows of a route, counted from 1, have their lines.
    func written(_ rows: ArraySlice<UInt64>, ofRoute route: Int) {
        state.withLock { state in
            state.handedOut.lined(rows)
            state.inHand.lined(rows.count, ofRoute: route)
            state.lineCount += UInt64(rows.count)
        }
        // The thread looks by itself, often enough for what it does with lines.
    }

    // MARK: The end

    /// No lane sends anything any more.
    /// - Parameter trace: Returns the trace of a row, counted from 1: the lines of processes before this one, and all
    ///   marks.
    func lanesHaveEnded(trace: @escaping @Sendable (UInt64) -> RowTrace) {
        state.withLock { state in
            state.isClosed = true
            state.member.counted(lines: state.lineCount)
            // They have ended before the job has: an input cannot be read on, for instance.
            state.member.leave(now: MachineClock.now)
            state.trace = trace
        }
        alarm.ring()
        readerAlarm.ring()
    }

    /// The reader gets no more rows.
    func close() {
        state.withLock { $0.isClosed = true }
        readerAlarm.ring()
    }

    func wakeReader() { readerAlarm.ring() }

    /// The folder is done with: nothing is left to be carried on.
    ///
    /// But a report without lines does not say that there was a job: its worker would begin that anew if it was lost.
    /// - Parameter isDiscarded: True if the report is gone, too.
    func forget(_ isDiscarded: Bool) {
        if isDiscarded || state.withLock({ $0.lineCount }) > 0 { try? file.remove() }
    }

    // MARK: The engine's thread

    /// Changes the member, and writes its folder if that has changed.
    /// - Throws: `FileError` when the folder cannot be written; then nothing more is handed out.
    func update<Result: Sendable>(
        _ body: (inout State) -> Result
    ) throws(FileError) -> Result {
        try state.withLock { state throws(FileError) in
            let result = body(&state)
            let version = state.member.folderVersion
            guard version != state.savedVersion else { return result }
            do throws(FileError) {
                state.savedPlace = try file.write(state.member.folder, over: state.savedPlace)
                state.savedVersion = version
            } catch {
                state.savedPlace = nil
                state.isClosed = true
                throw error
            }
            return result
        }
    }
}
