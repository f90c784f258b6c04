internal import CLines
import FanfareBase

/// A pass over lines that are rows, or blank, without making rows.
///
/// For readers who want to know where rows end, and nothing else of them. A block of 128 bytes costs some 41
/// instructions with AVX2, if no quote is in it.
package struct LineSkipper {
    /// The meaning of lines.
    package enum Kind: Sendable {
        /// A row ends at each line feed outside a quoted field, if its line is not blank.
        case csv(delimiter: UInt8, quotes: CSVQuotes)
        /// Each line is a row that has anything but white space.
        case json
    }

    /// True if the processor compares 32 bytes at once.
    package static let hasWideVectors = fanfare_lines_has_avx2() != 0

    /// The rows that were passed over, and the lines, blank ones included.
    package private(set) var rows = 0
    package private(set) var lines: UInt64 = 0

    package init() {}

    /// Passes over lines in the input of a batch, from `parsed` on, where a line begins.
    ///
    /// It moves `parsed` behind the last one. It stops before a row whose end is not there, before a row of CSV with a field
    /// of several lines, and behind the last row that it may pass over.
    /// - Parameters:
    ///   - batch: The batch.
    ///   - kind: The meaning of its lines.
    ///   - most: The most rows to pass over.
    ///   - isWide: False to do without vectors of 32 bytes.
    package mutating func skip(
        _ batch: RowBatch, _ kind: Kind, most: Int, isWide: Bool = hasWideVectors
    ) {
        guard most > 0 else { return }
        let start = unsafe UnsafePointer(batch.bytes) + batch.parsed
        let end = unsafe UnsafePointer(batch.bytes) + batch.inputEnd
        var place = unsafe fanfare_lines(
            start: start, end: end, delimiter: 0, quote: 0, most: most, rows: 0, lines: 0)
        let isWide: Int32 = isWide ? 1 : 0
        switch kind {
        case .csv(let delimiter, let quotes):
            unsafe place.delimiter = delimiter
            unsafe place.quote = quotes == .ignored ? 0 : CSVScanner.quote
            unsafe fanfare_lines_pass_csv(&place, isWide)
        case .json: unsafe fanfare_lines_pass_json(&place, isWide)
        }
        rows += unsafe place.rows
        lines += unsafe UInt64(place.lines)
        unsafe batch.parsed += place.start - start
    }
}
