internal import CPrefetch
import FanfareBase
import FanfareCore

// A row that waits a thousand requests long for its answer is out of the nearest caches by then.
// This code fetches it while the requests before it are worked on: in the order of its use, a few
// requests ahead.

private let lineBytes = 64

extension PreparedRows {
    /// Fetches the rows whose answers are read next.
    @inline(__always)
    func fetchAhead<Session: HTTPSession & ~Copyable>(of session: borrowing Pinned<Session>) {
        // First the row itself, later the memory that it refers to.
        let (far, near) = session.withValue { ($0.tagOfEnd(6), $0.tagOfEnd(3)) }
        if let far {
            let row = unsafe UnsafeRawPointer(place(of: RequestID(bitPattern: far)))
            unsafe fanfare_prefetch(row)
            unsafe fanfare_prefetch(row + lineBytes)
        }
        if let near { self[RequestID(bitPattern: near)].fetchBytes() }
    }
}

extension PreparedRow {
    /// Fetches the bytes for the report, and the memory that the next row in this place will use.
    fileprivate func fetchBytes() {
        guard let start = unsafe UnsafeRawPointer(bytes.bytes.baseAddress) else { return }
        for line in 0..<5 { unsafe fanfare_prefetch(start + lineBytes * line) }
    }
}

extension RowBatch {
    /// Fetches a row that another thread has read.
    func fetch(_ index: Int) {
        guard index < rowCount else { return }
        let values = unsafe UnsafeRawPointer(fields + index * slotCount)
        unsafe fanfare_prefetch(values)
        unsafe fanfare_prefetch(values + lineBytes)
        let text = unsafe UnsafeRawPointer(bytes + Int(rows[index].start))
        unsafe fanfare_prefetch(text)
        unsafe fanfare_prefetch(text + lineBytes)
    }
}
