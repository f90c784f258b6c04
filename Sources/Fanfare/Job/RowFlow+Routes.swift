import FanfareBase
import FanfareCore
import FanfareSystem

/// Reading where rows go to several routes.
///
/// The reader has a batch of its own, and copies each row of it to the row's route. Nothing else
/// happens as long as all routes have room. If one has none, the reader reads on only if the lanes
/// of another one would be without work, and rows without room wait on the disk: no route holds the
/// others up, and the reader reads nothing that no lane asks for.
extension RowFlow {
    /// Reads all inputs, and hands each row to its route.
    ///
    /// If rows that have to wait cannot be written, or an input cannot be read on, the lanes finish
    /// the rows that they have.
    func read(
        from source: RowSource, past: RowHistory<MappedFile>, by routes: RouteSettings,
        gate: HoursGate?, seeds: SeedGate?
    ) {
        let reading = RouteReading(
            source: source, past: past, gate: gate, seeds: seeds, finder: routes.finder,
            census: routes.census,
            outboxes: queues.map { RouteOutbox($0, folder: routes.folder) },
            isOver: { [self] in isOver(source) },
            awake: { [self] in if let gate { setAsleep(false, gate) } })
        do throws(FanfareError) {
            try read(reading)
        } catch {
            control.inputFailed(error)
        }
        reading.endAll()
    }

    private func read(_ reading: RouteReading) throws(FanfareError) {
        while !alarm.hasEnded {
            for outbox in reading.outboxes { try outbox.moveOn(reading.gate) }
            let looksSoon: Bool
            switch try reading.next() {
            case .rows: continue
            case .stop: return
            case .wait(let soon): looksSoon = soon
            }
            // The present rows do not wait for later ones.
            for outbox in reading.outboxes { outbox.handOut() }
            if reading.endDone() {
                if case .failed(let error) = reading.end { throw error }
                return
            }
            if let gate = reading.gate { setAsleep(reading.areAllHome, gate) }
            guard rest(reading, looksSoon: looksSoon) else { return }
        }
    }

    /// Waits until a batch is taken or comes back, or a window opens.
    /// - Returns: False when the job wants no more rows.
    private func rest(_ reading: RouteReading, looksSoon: Bool) -> Bool {
        var time = Limits.windowLookMax
        if let gate = reading.gate, reading.goesOn, let next = gate.nextMilliseconds {
            time = min(time, gate.time(untilMilliseconds: next))
        }
        if looksSoon { time = min(time, .milliseconds(Limits.seedLookMilliseconds)) }
        return alarm.sleep(until: MachineClock.now.advanced(by: time))
    }
}
