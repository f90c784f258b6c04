import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// Batches on their way from the reader to the lanes and back.
///
/// There is a fixed number of batches, but for those that lanes keep: a reader that is ahead waits for one to
/// come back, and that is the whole backpressure towards the input.
final class RowFlow: Sendable {
    private let empty: Handoff<RowBatch>
    private let full: Handoff<RowBatch>
    /// What lanes have taken and cannot send for now; before `full`, whose rows are later ones.
    private let returned: Handoff<RowBatch>
    private let isAtEnd = Atomic(false)
    private let asleep = Atomic(false)
    /// Wakes the reader, where it may sleep.
    let alarm = Alarm()
    private let firstCount: Int
    private let lentCount = Atomic(0)
    private let slotCount: Int
    private let finalRowCount = Atomic<UInt64>(0)
    private let control: JobControl
    private let pace: JobPace?

    /// - Parameters:
    ///   - batches: How many there are.
    ///   - slotCount: The fields of a row.
    ///   - control: Whose lanes are woken.
    ///   - pace: What is not kept while all rows wait for their windows; `nil` for no pace.
    init(batches: Int, slotCount: Int, control: JobControl, pace: JobPace? = nil) {
        self.pace = pace
        // No more than each lane keeps: the queues grow only as far as they have to.
        let most = batches * (1 + 2 * Limits.batchesAheadMax)
        empty = Handoff(capacity: most)
        full = Handoff(capacity: most)
        returned = Handoff(capacity: most)
        self.control = control
        firstCount = batches
        self.slotCount = slotCount
        for _ in 0..<batches { _ = empty.tryPush(Self.makeBatch(slotCount)) }
    }

    private static func makeBatch(_ slotCount: Int) -> RowBatch {
        RowBatch(
            inputCapacity: Limits.batchInputBytes, rowCapacity: Limits.batchRows,
            slotCount: slotCount)
    }

    /// How many batches there are.
    var batchCount: Int { firstCount + lentCount.load(ordering: .acquiring) }

    // MARK: Reader

    /// Reads all inputs.
    ///
    /// Returns at their end, or when the job wants no more rows.
    /// - Parameters:
    ///   - source: The inputs.
    ///   - past: What is known of earlier runs and kept for later ones.
    ///   - gate: What decides when rows may be sent; `nil` for at any time.
    ///   - seeds: What decides when the rows behind a seed list are read.
    func read(
        from source: RowSource, past: RowHistory<MappedFile> = RowHistory(),
        gate: WindowGate? = nil,
        seeds: SeedGate? = nil
    ) {
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
        finalRowCount.store(source.rowCount, ordering: .relaxed)
        isAtEnd.store(true, ordering: .releasing)
        // What is in the queue can still be taken; no lane waits for more.
        full.close()
        control.wakeLanes()
    }

    private func readOn(
        from source: RowSource, past: RowHistory<MappedFile>, _ seeds: SeedGate?
    ) throws(FanfareError) {
        while let batch = empty.pop() {
            guard wait(for: seeds, rowsRead: source.rowCount) else { break }
            let hasRows = try source.fill(batch)
            if isOver(source) { break }
            guard hasRows else {
                try past.reachedEnd(rowCount: source.rowCount)
                break
            }
            try past.record(batch)
            guard full.push(batch) else { break }
            control.wakeLanes()
        }
    }

    /// Whether the job wants no more rows.
    ///
    /// Then the end of an input says nothing, and its last row may be half a one.
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

    /// A batch that has come back, if there is one now.
    func takeEmpty() -> RowBatch? { empty.tryPop() }

    /// Gives a batch to the lanes.
    func handOut(_ batch: RowBatch) {
        _ = full.push(batch)
        control.wakeLanes()
    }

    /// Tells the lanes and the progress whether all rows that are left wait for their windows.
    func setAsleep(_ isAsleep: Bool, _ gate: WindowGate) {
        let next = isAsleep ? gate.nextMilliseconds : nil
        control.wait(next.map { (gate.waitingCount, $0) })
        control.expect(lastOpening: gate.waitingCount > 0 ? gate.lastMilliseconds : nil)
        guard isAsleep != self.isAsleep else { return }
        pace?.rest(.window, isAsleep, now: MachineClock.now)
        asleep.store(isAsleep, ordering: .releasing)
        control.wakeLanes()
    }

    // MARK: Lanes

    /// Whether no batch comes until a window opens.
    var isAsleep: Bool { asleep.load(ordering: .relaxed) }

    func nextBatch() -> RowBatch? {
        guard let batch = returned.tryPop() ?? full.tryPop() else { return nil }
        // Lanes that have left their rows to others have nothing more to wait for.
        if isExhausted { control.wakeLanes() }
        return batch
    }

    /// Whether there is a batch to be taken, with rows that may be sent now.
    ///
    /// At a batch whose window has closed the reader has another look, as if a lane had taken it.
    func hasBatch(now: Instant) -> Bool {
        hasBatch(in: returned, now: now) || hasBatch(in: full, now: now)
    }

    private func hasBatch(in batches: Handoff<RowBatch>, now: Instant) -> Bool {
        guard batches.count > 0 else { return false }
        while let batch = batches.tryPop(if: { now >= $0.closes }) { recycle(batch) }
        return batches.count > 0
    }

    /// Leaves a batch, and the rows in it, to the lane that asks first.
    ///
    /// Also behind the end of the input: until it is taken again the input is not exhausted.
    func handBack(_ batch: RowBatch) {
        _ = returned.push(batch)
        control.wakeLanes()
    }

    /// Waits for a batch; `nil` at the end.
    ///
    /// For lanes without an event loop.
    func waitForBatch() -> RowBatch? { full.pop() }

    /// Whether no batch will come any more.
    ///
    /// Asked only after `nextBatch` had none.
    var isExhausted: Bool {
        isAtEnd.load(ordering: .acquiring) && full.count == 0 && returned.count == 0
    }

    /// The rows that were handed out, when there will be no more.
    var rowCount: UInt64? {
        isAtEnd.load(ordering: .acquiring) ? finalRowCount.load(ordering: .relaxed) : nil
    }

    func recycle(_ batch: RowBatch) {
        _ = empty.push(batch)
        alarm.ring()
    }

    /// Adds a batch, in place of one that a lane keeps.
    func lend() {
        // Before the reader can count it.
        lentCount.add(1, ordering: .acquiringAndReleasing)
        _ = empty.tryPush(Self.makeBatch(slotCount))
        alarm.ring()
    }

    /// Takes a batch away, in place of one that was lent.
    func discard(_ batch: RowBatch) {
        lentCount.subtract(1, ordering: .acquiringAndReleasing)
        alarm.ring()
    }

    /// Ends the reader, wherever it waits.
    func close() {
        empty.close()
        full.close()
        returned.close()
        alarm.end()
    }
}
