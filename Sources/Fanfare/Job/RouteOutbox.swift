import FanfareBase
import FanfareCore
import FanfareSystem

/// The settings by which the rows of a job with several routes find theirs.
struct RouteSettings: Sendable {
    /// Finds the route of a row.
    var finder: RouteFinder
    /// The folder for rows that a route has no room for.
    var folder: String
    /// Notes words that name no provider.
    var census: WordCensus?
}

/// A route as the reader sees it: its rows on their way to its lanes.
///
/// ```
///  rows ──┬──────────────► filling ──► RowQueue ──► lanes
///         └─► waiting ──────┘
/// ```
/// Rows wait, most of them in a file, while the lanes have all batches; later rows are put behind
/// them. So rows of a route keep their order, and the rows in memory have the same bound as with
/// one route, however long the lanes take none.
///
/// Use from one thread at a time.
final class RouteOutbox {
    private let queue: RowQueue
    private let waiting: WaitingRows
    /// Batches that have come back, without rows.
    private var home: [RowBatch] = []
    /// A batch with rows and maybe room for more; none of them is behind one that waits.
    private var filling: RowBatch?
    /// The rows of the route that were read in this run.
    private(set) var rowCount: UInt64 = 0
    /// True if its lanes know that no more rows come.
    private(set) var hasEnded = false

    /// - Parameters:
    ///   - queue: The queue from which its lanes take rows.
    ///   - folder: The folder for rows that have no room.
    init(_ queue: RowQueue, folder: String) {
        self.queue = queue
        waiting = WaitingRows(folder: folder)
    }

    /// True if rows go into a batch, and not behind others that wait for one.
    var hasRoom: Bool { waiting.count == 0 && !home.isEmpty }

    /// True if there is room for rows that the lanes want, because they have hardly any.
    var wantsRows: Bool { hasRoom && queue.isShort }

    /// True if rows wait for a batch that comes back.
    var hasWaiting: Bool { waiting.count > 0 }

    /// True if all rows that were put here are with the lanes.
    var isHandedOut: Bool { waiting.count == 0 && filling == nil }

    /// True if the lanes have no row left either that may come back.
    var isHome: Bool { isHandedOut && home.count == queue.batchCount }

    // MARK: In

    /// Counts a row that was read.
    func count() { rowCount += 1 }

    /// Takes a row in.
    /// - Parameters:
    ///   - batch: The row's batch, which does not change.
    ///   - index: Its place there.
    ///   - verdict: The verdict about it.
    /// - Throws: `FanfareError.Code.output` when it has to wait and cannot be written.
    func put(
        _ batch: RowBatch, _ index: Int, verdict: RowBatch.Verdict
    ) throws(FanfareError) {
        if waiting.count == 0 {
            while let target = filling ?? home.popLast() {
                filling = target
                if target.addRow(index, of: batch, verdict: verdict) {
                    target.closes = min(target.closes, batch.closes)
                    return
                }
                handOut()
            }
        }
        try told(\.outputError) { () throws(FileError) in
            try waiting.add(batch, index, verdict: verdict, until: 0)
        }
    }

    // MARK: Out

    /// Takes batches back, and fills them with rows that wait.
    /// - Parameter gate: The gate that decides when rows may be sent; `nil` for no limits of time.
    /// - Throws: `FanfareError.Code.output` when the file of rows that wait cannot be used.
    func moveOn(_ gate: HoursGate?) throws(FanfareError) {
        while let batch = queue.takeEmpty() {
            // Rows come back because a window has closed, or because the job ends.
            if let gate, !batch.untaken.isEmpty,
                try gate.sort(batch, loopNow: MachineClock.now)
            {
                queue.handOut(batch)
            } else {
                batch.reset()
                home.append(batch)
            }
        }
        while waiting.count > 0, let batch = home.popLast() {
            _ = try told(\.outputError) { () throws(FileError) in try waiting.fill(batch, now: 0) }
            if let gate, try !gate.sort(batch, loopNow: MachineClock.now) {
                batch.reset()
                home.append(batch)
                continue
            }
            filling = batch
            if waiting.count > 0 { handOut() }
        }
    }

    /// Hands out its rows if the lanes have hardly any others to take.
    func handOutIfWanted() {
        if filling != nil, queue.isShort { handOut() }
    }

    /// Hands out its rows.
    func handOut() {
        guard let batch = filling else { return }
        filling = nil
        queue.handOut(batch)
    }

    /// Tells the lanes that no more rows come.
    /// - Parameter earlier: The rows that earlier runs have finished.
    func end(earlier: UInt64) {
        guard !hasEnded else { return }
        hasEnded = true
        queue.end(rowCount: earlier + rowCount)
    }
}
