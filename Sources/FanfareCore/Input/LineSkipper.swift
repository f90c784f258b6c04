import FanfareBase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A search for the ends of lines that are rows, or blank, without making rows.
///
/// For readers who want to know where rows end, and nothing else of them.
package struct LineSkipper {
    /// The rows that were passed over, and the lines, blank ones included.
    package private(set) var rows = 0
    package private(set) var lines: UInt64 = 0

    package init() {}

    /// Passes over lines in the input of a batch, from `parsed` on, where a line begins.
    ///
    /// It moves `parsed` behind the last one, and stops before a line whose end is not there.
    /// - Parameters:
    ///   - batch: The batch.
    ///   - end: The offset before which the ends of the lines have to be.
    ///   - most: The most rows to pass over.
    ///   - isRow: Decides by the beginning and the end of a line whether it is a row; `nil` stops at the line.
    package mutating func skip(
        _ batch: RowBatch, before end: Int, most: Int,
        isRow: (_ start: UnsafePointer<UInt8>, _ lineFeed: UnsafePointer<UInt8>) -> Bool?
    ) {
        var start = unsafe UnsafePointer(batch.bytes) + batch.parsed
        let limit = unsafe UnsafePointer(batch.bytes) + end
        while unsafe rows < most && start < limit {
            guard let place = unsafe Self.first(CSVScanner.lineFeed, start, limit),
                let isRow = unsafe isRow(start, place)
            else { break }
            if isRow { rows += 1 }
            lines += 1
            unsafe start = place + 1
        }
        unsafe batch.parsed = start - UnsafePointer(batch.bytes)
    }

    /// The first place of a byte; `nil` if there is none.
    static func first(
        _ byte: UInt8, _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        let place = unsafe memchr(start, Int32(byte), end - start)
        return unsafe place.map { unsafe UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
    }
}
