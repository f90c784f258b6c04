import FanfareBase
import FanfareCore
import FanfareSystem

/// The rows that wait for their windows, or for room, in a chain for each moment.
///
/// Rows of one moment come back in the order in which they came. Windows open at some forty moments of a day, one for
/// each offset from UTC.
///
/// Use it from one thread at a time.
final class WaitingRows {
    private let rows: ParkedRows
    private var chains: [Int64: ParkedRows.Chain] = [:]
    /// The chain whose moment has come, with the rows that were not taken yet; at least one.
    private var due: ParkedRows.Chain?

    init(folder: String) {
        rows = ParkedRows(folder: folder, blockBytes: Limits.waitingBlockBytes)
    }

    /// Checks that the file can be made, before anything is sent.
    /// - Parameters:
    ///   - folder: The folder that holds it.
    ///   - reason: The thing that rows wait for, as a message names it.
    /// - Throws: `FanfareError.Code.output` when the file cannot be made.
    static func prove(
        _ folder: String, waitingFor reason: StaticString = "their window"
    ) throws(FanfareError) {
        do throws(FileError) {
            _ = try FileDescriptor.nameless(in: folder)
        } catch {
            throw FanfareError(
                .output,
                message: "a file in \(folder), where rows wait for \(reason), cannot be made: "
                    + error.reason)
        }
    }

    /// Rows that wait.
    private(set) var count: UInt64 = 0

    /// The moment when the first of them may go on, in UNIX seconds.
    var nextMoment: Int64? { due == nil ? chains.keys.min() : .min }

    /// Puts a row aside until a moment.
    func add(
        _ batch: RowBatch, _ index: Int, verdict: RowBatch.Verdict, until moment: Int64
    ) throws(FileError) {
        let chain = chains[moment] ?? ParkedRows.Chain()
        chains[moment] = chain
        count += 1
        try rows.add(batch, index, verdict: verdict, to: chain)
    }

    /// Fills an empty batch with rows whose moment has come, the earliest first.
    /// - Parameters:
    ///   - batch: The batch to fill.
    ///   - now: The time in UNIX seconds; `Int64.max` for all rows, regardless of their moments.
    /// - Returns: True if there were any.
    /// - Throws: `FileError` when the file cannot be read.
    func fill(_ batch: RowBatch, now: Int64) throws(FileError) -> Bool {
        batch.reset()
        while true {
            if let due {
                let before = due.count
                defer { count -= UInt64(before - due.count) }
                try rows.fill(batch, from: due)
                guard due.count == 0 else { return true }
                self.due = nil
            }
            if count == 0 { rows.clear() }
            guard let moment = chains.keys.min(), moment <= now else { return batch.rowCount > 0 }
            due = chains.removeValue(forKey: moment)
        }
    }
}
