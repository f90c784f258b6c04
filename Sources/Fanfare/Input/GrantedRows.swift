import FanfareCore

/// The rows that a source gives in place of all of its own, in any order: those that others have granted.
///
/// Use it from the thread of its source.
protocol GrantedRows: AnyObject {
    /// True if there is nothing to read now; if it is false, `fill` waits for no grant.
    var wouldWait: Bool { get }
    /// Rows read so far.
    var rowCount: UInt64 { get }

    /// Fills a batch; waits for rows.
    /// - Returns: False when there are none left.
    func fill(_ batch: RowBatch) throws(FanfareError) -> Bool
}
