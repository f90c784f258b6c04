import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// Rows on their way from the inputs to the queues that lanes take them from.
final class RowFlow: Sendable {
    /// A queue for each route of the job.
    let queues: [RowQueue]
    /// The queue of the only route, or of the first one.
    var queue: RowQueue { queues[0] }
    /// Wakes the reader, where it may sleep.
    let alarm = Alarm()
    let control: JobControl
    private let paces: [JobPace]
    private let routes: RouteSettings?

    /// - Parameters:
    ///   - batches: The number of batches for each route.
    ///   - slotCount: The fields of a row.
    ///   - control: The control of the lanes to wake.
    ///   - paces: The paces, which do not apply while all rows wait for their windows.
    ///   - routes: The settings by which rows find their route; `nil` if there is one.
    init(
        batches: Int, slotCount: Int, control: JobControl, paces: [JobPace] = [],
        routes: RouteSettings? = nil
    ) {
        self.control = control
        self.paces = paces
        self.routes = routes
        let alarm = alarm
        queues = (0..<(routes?.finder.routes.count ?? 1)).map { _ in
            RowQueue(
                batches: batches, slotCount: slotCount, alarm: alarm, ringsWhenTaken: routes != nil
            ) {
                control.wakeLanes()
            }
        }
    }

    /// Reads all inputs.
    ///
    /// Returns at their end, or when the job wants no more rows.
    /// - Parameters:
    ///   - source: The inputs.
    ///   - past: The facts known of earlier runs and kept for later ones.
    ///   - gate: The gate that decides when rows may be sent; `nil` for no limits of time.
    ///   - seeds: The gate that decides when the rows behind a seed list are read.
    func read(
        from source: RowSource, past: RowHistory<MappedFile> = RowHistory(),
        gate: HoursGate? = nil,
        seeds: SeedGate? = nil
    ) {
        if let routes {
            return read(from: source, past: past, by: routes, gate: gate, seeds: seeds)
        }
        do throws(FanfareError) {
            if let gate {
                try read(from: source, past: past, through: gate, seeds)
            } else {
                try readOn(from: source, past: past, seeds)
            }
        } catch {
            // The rows before it are sent all the same; only then has the job stopped early.
            control.inputFailed(error)
        }
        queue.end(rowCount: past.reportedRows(ofRead: source.rowCount))
    }

    private func readOn(
        from source: RowSource, past: RowHistory<MappedFile>, _ seeds: SeedGate?
    ) throws(FanfareError) {
        while let batch = queue.waitForEmpty() {
            guard wait(for: seeds, rowsRead: source.rowCount) else { break }
            let hasRows = try source.fill(batch)
            if isOver(source) { break }
            guard hasRows else {
                try past.reachedEnd(rowCount: source.rowCount)
                break
            }
            try past.record(batch)
            guard queue.handOut(batch) else { break }
        }
    }

    /// Returns true if the job wants no more rows.
    ///
    /// Then the end of an input means nothing, and its last row may be half a one.
    func isOver(_ source: RowSource) -> Bool {
        control.stop != nil || source.cancellation.isSet
    }

    /// Waits until rows behind a seed list are wanted.
    /// - Returns: False when none are.
    private func wait(for seeds: SeedGate?, rowsRead: UInt64) -> Bool {
        guard let seeds else { return true }
        while true {
            switch seeds.order(rowsRead: rowsRead) {
            case .read: return true
            case .stop: return false
            case .wait:
                let look = Duration.milliseconds(Limits.seedLookMilliseconds)
                guard alarm.sleep(until: MachineClock.now.advanced(by: look)) else { return false }
            }
        }
    }

    /// Tells the lanes and the progress whether all rows that are left wait for their windows.
    func setAsleep(_ isAsleep: Bool, _ gate: HoursGate) {
        let next = isAsleep ? gate.nextMilliseconds : nil
        control.wait(next.map { (gate.waitingCount, $0) })
        control.expect(lastOpening: gate.waitingCount > 0 ? gate.lastMilliseconds : nil)
        guard isAsleep != queue.isAsleep else { return }
        for pace in paces { pace.rest(.window, isAsleep, now: MachineClock.now) }
        for queue in queues { queue.setAsleep(isAsleep) }
    }

    /// Ends the reader, wherever it waits.
    func close() {
        for queue in queues { queue.close() }
        alarm.end()
    }
}
