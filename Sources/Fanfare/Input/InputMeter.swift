import FanfareCore
import FanfareSystem
import Synchronization

/// The progress of reading the inputs.
///
/// The reader's thread counts, once per read and once per batch; any thread may read the counts.
final class InputMeter: Sendable {
    private struct Counts {
        var bytes: UInt64 = 0
        var rows: UInt64 = 0
        /// Bytes whose rows are not counted yet.
        var pending: UInt64 = 0
        /// Rows of this run for each provider, if there are several.
        var routes: [UInt64] = []
    }

    private let counts = Mutex(Counts())
    /// The size of all inputs as they are stored; `nil` when one has none.
    private let total: UInt64?

    init(_ inputs: [RowInput]) {
        var total: UInt64 = 0
        for input in inputs {
            guard let size = Self.size(of: input) else {
                self.total = nil
                return
            }
            total += size
        }
        self.total = total
    }

    private static func size(of input: RowInput) -> UInt64? {
        switch input {
        case .file(let path):
            guard let status = try? FileDescriptor.status(of: path), status.isRegular else {
                return nil
            }
            return status.bytes
        case .memory(let bytes, _):
            return UInt64(bytes.count)
        case .standardInput:
            let input = FileDescriptor.standardInput
            guard (try? input.isRegularFile) == true, let size = try? input.size else { return nil }
            return UInt64(size)
        case .generated, .sqlite, .sequence:
            return nil
        }
    }

    func bytesWereRead(_ count: Int) {
        counts.withLock { $0.pending += UInt64(count) }
    }

    func rowsWereRead(_ count: Int) {
        counts.withLock { counts in
            counts.rows += UInt64(count)
            counts.bytes += counts.pending
            counts.pending = 0
        }
    }

    /// Notes the rows of this run for each provider.
    func routesWereRead(_ rows: [UInt64]) {
        counts.withLock { $0.routes = rows }
    }

    /// Estimates the rows of this run for a provider of several.
    ///
    /// It takes the rest of the inputs to be like the rows that were read.
    /// - Parameters:
    ///   - index: The place of the provider among those of the job.
    ///   - earlier: The rows that earlier runs have finished, nearly all of which come first.
    /// - Returns: The rows; `nil` if the length of the inputs is not known, or no row of this run was read.
    func expectedRows(ofRoute index: Int, earlier: UInt64) -> Double? {
        guard let total, total > 0 else { return nil }
        let counts = counts.withLock { $0 }
        guard counts.routes.indices.contains(index), counts.bytes > 0, counts.rows > earlier
        else { return nil }
        let read = min(Double(counts.bytes) / Double(total), 1)
        let unread = Double(counts.rows) * (1 / read - 1)
        let rows = Double(counts.routes[index])
        return rows + unread * rows / Double(counts.rows - earlier)
    }

    /// Returns the finished share of the inputs, from 0 to 1, when so many rows have an outcome.
    ///
    /// It is `nil` if the length of the inputs is not known. The reader is some thousand rows
    /// ahead, and in a small file at its end before the first answer, so the share counts the bytes
    /// whose rows have an outcome.
    func share(finished: UInt64) -> Double? {
        guard let total, total > 0 else { return nil }
        let (bytes, rows) = counts.withLock { ($0.bytes, $0.rows) }
        guard rows > 0 else { return 0 }
        // A file that grows while it is read has no more than all of it.
        let read = min(Double(bytes) / Double(total), 1)
        return read * min(Double(finished) / Double(rows), 1)
    }
}
