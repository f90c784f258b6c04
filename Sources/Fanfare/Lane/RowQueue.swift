import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// Batches on their way from the reader to the lanes of a route, and back.
///
/// There is a fixed number of batches, but for those that lanes keep: a reader that is ahead waits for one to
/// come back, and that is the whole backpressure toward the input.
final class RowQueue: Sendable {
    private let empty: Handoff<RowBatch>
    private let full: Handoff<RowBatch>
    /// The batches that lanes have taken and cannot send for now; before `full`, whose rows are
    /// later ones.
    private let returned: Handoff<RowBatch>
    private let isAtEnd = Atomic(false)
    private let asleep = Atomic(false)
    private let firstCount: Int
    private let lentCount = Atomic(0)
    private let slotCount: Int
    private let finalRowCount = Atomic<UInt64>(0)
    /// Wakes the reader, where it may sleep.
    private let alarm: Alarm
    /// True if the reader has to learn that a batch was taken, and not only that one is back.
    private let ringsWhenTaken: Bool
    private let wakeLanes: @Sendable () -> Void

    /// - Parameters:
    ///   - batches: The number of batches.
    ///   - slotCount: The fields of a row.
    ///   - alarm: The alarm that wakes the reader.
    ///   - ringsWhenTaken: True to wake it also when a batch was taken.
    ///   - wakeLanes: Wakes every lane to look for rows.
    init(
        batches: Int, slotCount: Int, alarm: Alarm, ringsWhenTaken: Bool = false,
        wakeLanes: @escaping @Sendable () -> Void
    ) {
        // No more than each lane keeps: the queues grow only as far as they have to.
        let most = batches * (1 + 2 * Limits.batchesAheadMax)
        empty = Handoff(capacity: most)
        full = Handoff(capacity: most)
        returned = Handoff(capacity: most)
        self.alarm = alarm
        self.ringsWhenTaken = ringsWhenTaken
        self.wakeLanes = wakeLanes
        firstCount = batches
        self.slotCount = slotCount
        for _ in 0..<batches { _ = empty.tryPush(RowBatch(slotCount: slotCount)) }
    }

    /// The number of batches.
    var batchCount: Int { firstCount + lentCount.load(ordering: .acquiring) }

    // MARK: Reader

    /// Waits for a batch that has come back; `nil` at the end.
    func waitForEmpty() -> RowBatch? { empty.pop() }

    /// A batch that has come back, if there is one now.
    func takeEmpty() -> RowBatch? { empty.tryPop() }

    /// True if there are fewer batches to take than lanes.
    var isShort: Bool { full.count + returned.count < max(firstCount / 4, 1) }

    /// Gives a batch to the lanes.
    /// - Returns: False when nothing is taken any more.
    @discardableResult
    func handOut(_ batch: RowBatch) -> Bool {
        guard full.push(batch) else { return false }
        wakeLanes()
        return true
    }

    /// Tells the lanes whether all rows that are left wait for their windows.
    func setAsleep(_ isAsleep: Bool) {
        guard isAsleep != self.isAsleep else { return }
        asleep.store(isAsleep, ordering: .releasing)
        wakeLanes()
    }

    /// No batch comes any more, but those that are on their way.
    /// - Parameter rowCount: The rows that were handed out, with those of earlier runs.
    func end(rowCount: UInt64) {
        finalRowCount.store(rowCount, ordering: .relaxed)
        isAtEnd.store(true, ordering: .releasing)
        // The lanes can still take the batches in the queue; no lane waits for more.
        full.close()
        wakeLanes()
    }

    // MARK: Lanes

    /// True if no batch comes until a window opens.
    var isAsleep: Bool { asleep.load(ordering: .relaxed) }

    func nextBatch() -> RowBatch? {
        guard let batch = returned.tryPop() ?? full.tryPop() else { return nil }
        if ringsWhenTaken { alarm.ring() }
        // Lanes that have left their rows to others have nothing more to wait for.
        if isExhausted { wakeLanes() }
        return batch
    }

    /// Returns true if there is a batch to take, with rows that may be sent now.
    ///
    /// If a batch's window has closed, the reader looks at it again, as if a lane had taken it.
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
        wakeLanes()
    }

    /// Waits for a batch; `nil` at the end.
    ///
    /// For lanes without an event loop.
    func waitForBatch() -> RowBatch? { full.pop() }

    /// True if no batch will come any more.
    ///
    /// Read it only after `nextBatch` had none.
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
        _ = empty.tryPush(RowBatch(slotCount: slotCount))
        alarm.ring()
    }

    /// Takes a batch away, in place of one that was lent.
    func discard(_ batch: RowBatch) {
        lentCount.subtract(1, ordering: .acquiringAndReleasing)
        alarm.ring()
    }

    /// Counts a batch that is still on its way while a lane has rows of its own batches: without it the
    /// reader would think that all are home.
    func hold() { lentCount.add(1, ordering: .acquiringAndReleasing) }

    /// Counts it no more.
    func letGo() {
        lentCount.subtract(1, ordering: .acquiringAndReleasing)
        alarm.ring()
    }

    /// Gives the reader a batch of a lane's own, with rows whose window has closed.
    func adopt(_ batch: RowBatch) {
        lentCount.add(1, ordering: .acquiringAndReleasing)
        recycle(batch)
    }

    /// Ends all waiting.
    func close() {
        empty.close()
        full.close()
        returned.close()
    }
}
