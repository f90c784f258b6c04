import FanfareCore
import FanfareLoop

/// Reading where rows may have to wait for their windows.
///
/// Batches come back to the reader with rows in them when a window closes before their turn. So it
/// is at its end only when all of them are back, and no row waits.
extension RowFlow {
    /// Reads all inputs, and hands rows out when their windows are open.
    func read(
        from source: RowSource, past: RowHistory, through gate: WindowGate
    ) throws(FanfareError) {
        var home: [RowBatch] = []
        var hasEnded = false
        while true {
            while let batch = takeEmpty() { home.append(batch) }
            if let batch = try next(&home, source, past, gate, &hasEnded) {
                setAsleep(false, gate)
                handOut(batch)
                continue
            }
            let areAllHome = hasEnded && home.count == batchCount
            if areAllHome && gate.waitingCount == 0 { return }
            setAsleep(areAllHome, gate)
            guard sleep(gate) else { return }
        }
    }

    /// The next batch that a lane has something to do with; `nil` if there is none now.
    private func next(
        _ home: inout [RowBatch], _ source: RowSource, _ past: RowHistory, _ gate: WindowGate,
        _ hasEnded: inout Bool
    ) throws(FanfareError) -> RowBatch? {
        // An input of which all rows have to wait is read without a lane: nobody else ends that.
        while !alarm.hasEnded, let batch = home.popLast() {
            if batch.cursor < batch.rowCount {
                // It came back because a window has closed.
                if try gate.sort(batch, loopNow: EventLoop.now) { return batch }
                batch.reset()
            }
            var hasRows = try gate.fill(batch)
            if !hasRows && !hasEnded {
                hasRows = try source.fill(batch)
                if hasRows { try past.record(batch) }
                hasEnded = !hasRows
            }
            guard hasRows else {
                home.append(batch)
                // Others may still have rows.
                guard let index = home.firstIndex(where: { $0.cursor < $0.rowCount }) else {
                    return nil
                }
                home.append(home.remove(at: index))
                continue
            }
            if try gate.sort(batch, loopNow: EventLoop.now) { return batch }
            batch.reset()
            home.append(batch)
        }
        return nil
    }

    /// Sleeps until a window opens, or a batch comes back.
    /// - Returns: False when nobody wants rows any more.
    private func sleep(_ gate: WindowGate) -> Bool {
        var time = Limits.windowLookMax
        if let next = gate.nextMilliseconds {
            time = min(time, gate.time(untilMilliseconds: next))
        }
        return alarm.sleep(until: EventLoop.now.advanced(by: time))
    }
}
