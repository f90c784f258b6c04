import FanfareBase
import FanfareCore
import FanfareSystem

/// Reading where rows may have to wait for their windows.
///
/// Batches come back to the reader with rows in them when a window closes before their turn. So it
/// is at its end only when all of them are back, and no row waits.
extension RowFlow {
    /// Reads all inputs, and hands rows out when their windows are open.
    func read(
        from source: RowSource, past: RowHistory<MappedFile>, through gate: HoursGate,
        _ seeds: SeedGate?
    ) throws(FanfareError) {
        var home: [RowBatch] = []
        var end: InputEnd?
        // A job that is stopped leaves them to the one that carries it on.
        defer { control.keep(back: gate.waitingRows) }
        while true {
            while let batch = queue.takeEmpty() { home.append(batch) }
            if let batch = try next(&home, source, past, gate, seeds, &end) {
                setAsleep(false, gate)
                queue.handOut(batch)
                continue
            }
            let areAllHome = end != nil && home.count == queue.batchCount
            if areAllHome && gate.waitingCount == 0 {
                if case .failed(let error) = end { throw error }
                return
            }
            setAsleep(areAllHome, gate)
            let looksSoon = end == nil && seeds?.isOpen == false
            guard sleep(gate, hasBatch: !home.isEmpty, looksSoon: looksSoon) else { return }
        }
    }

    /// The reason why no further row is read.
    enum InputEnd {
        case reached
        /// The input is broken there. The rows before it are sent all the same, at their hours.
        case failed(FanfareError)
    }

    /// The next batch that a lane has something to do with; `nil` if there is none now.
    private func next(
        _ home: inout [RowBatch], _ source: RowSource, _ past: RowHistory<MappedFile>,
        _ gate: HoursGate,
        _ seeds: SeedGate?, _ end: inout InputEnd?
    ) throws(FanfareError) -> RowBatch? {
        // An input of which all rows have to wait is read without a lane: no other thread ends
        // that.
        while !alarm.hasEnded, let batch = home.popLast() {
            if !batch.untaken.isEmpty {
                // It came back because a window has closed.
                if try gate.sort(batch, loopNow: MachineClock.now) { return batch }
                batch.reset()
            }
            var hasRows = try gate.fill(batch)
            let order = seeds?.order(rowsRead: source.rowCount) ?? .read
            if !hasRows && end == nil && order == .read {
                do throws(FanfareError) {
                    hasRows = try source.fill(batch)
                    if isOver(source) {
                        end = .reached
                        hasRows = false
                        batch.reset()
                    } else if !hasRows {
                        end = .reached
                        try past.reachedEnd(rowCount: source.rowCount)
                    }
                } catch {
                    end = .failed(error)
                }
                if hasRows { try past.record(batch) }
            }
            guard hasRows else {
                home.append(batch)
                // Others may still have rows.
                guard let index = home.firstIndex(where: { !$0.untaken.isEmpty }) else {
                    return nil
                }
                home.append(home.remove(at: index))
                continue
            }
            if try gate.sort(batch, loopNow: MachineClock.now) { return batch }
            batch.reset()
            home.append(batch)
        }
        return nil
    }

    /// Sleeps until a window opens, or a batch comes back.
    /// - Parameters:
    ///   - gate: The gate that knows when the next window opens.
    ///   - hasBatch: True if there is a batch to put rows into: without one only a batch that comes
    ///     back can end the sleep, however many rows are due.
    ///   - looksSoon: True if something else may end it that does not wake the reader.
    /// - Returns: False when the job wants no more rows.
    private func sleep(_ gate: HoursGate, hasBatch: Bool, looksSoon: Bool) -> Bool {
        var time = Limits.windowLookMax
        if hasBatch, let next = gate.nextMilliseconds {
            time = min(time, gate.time(untilMilliseconds: next))
        }
        if looksSoon { time = min(time, .milliseconds(Limits.seedLookMilliseconds)) }
        return alarm.sleep(until: MachineClock.now.advanced(by: time))
    }
}
