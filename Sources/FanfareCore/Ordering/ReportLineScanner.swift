import FanfareBase

/// A scanner that finds the lines of a report in its bytes, and the number of each line's row.
///
/// It is for reports as a job writes them: a row's number comes first, and a line ends with LF. It
/// looks at nothing else, but for the quotes within which CSV has line breaks of its own.
package struct ReportLineScanner: ~Copyable {
    private let kind: ReportFormat.Kind
    private var bytes = ByteBuffer(capacity: 512 * 1024)
    /// The length of the line that was found, with its end.
    private var lineBytes = 0
    /// The bytes behind it in which no end of a line is.
    private var scannedBytes = 0
    private var isQuoted = false

    /// Begins with the first line.
    package init(_ kind: ReportFormat.Kind) {
        self.kind = kind
    }

    // MARK: In

    /// Returns the place for more bytes; `commit` makes them count.
    package mutating func space(_ count: Int) -> UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: bytes.space(count), count: count)
    }

    /// Counts bytes that were written into `space`.
    package mutating func commit(_ count: Int) {
        bytes.commit(count)
    }

    /// The bytes behind the line that was found last: the beginning of another one.
    package var restBytes: Int { bytes.count - lineBytes }

    // MARK: Out

    /// Goes on to the next line.
    /// - Returns: True if all of it is there; otherwise more bytes are needed.
    package mutating func next() -> Bool {
        bytes.removeFirst(lineBytes)
        lineBytes = 0
        let text = unsafe bytes.bytes
        let end = unsafe Self.endOfLine(
            text, from: scannedBytes, isCSV: kind == .csv, isQuoted: &isQuoted)
        guard let end else {
            scannedBytes = text.count
            return false
        }
        lineBytes = end
        scannedBytes = 0
        return true
    }

    /// The line that was found, with its end.
    ///
    /// It is valid until the next change.
    package var line: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(rebasing: bytes.bytes[..<lineBytes])
    }

    /// The number of its row; `nil` if it has none, as the header.
    package var row: UInt64? {
        let start: StaticString = kind == .csv ? "" : #"{"row":"#
        let line = unsafe self.line
        guard unsafe line.starts(with: start.bytes) else { return nil }
        var row: UInt64 = 0
        var index = start.utf8CodeUnitCount
        let first = index
        while index < line.count, index - first < 19 {
            let digit = unsafe line[index] &- 0x30
            guard digit < 10 else { break }
            row = row * 10 + UInt64(digit)
            index += 1
        }
        guard index > first, index < line.count, unsafe line[index] == UInt8(ascii: ",") else {
            return nil
        }
        return row == 0 ? nil : row
    }

    // MARK: Looking

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let lineFeeds: UInt64 = 0x0A * ones
    private static let quotes: UInt64 = 0x22 * ones

    /// Looks for the end of a line, eight bytes at a time where they are neither that nor a quote.
    /// - Returns: The place behind it.
    private static func endOfLine(
        _ text: UnsafeBufferPointer<UInt8>, from start: Int, isCSV: Bool, isQuoted: inout Bool
    ) -> Int? {
        guard let base = text.baseAddress else { return nil }
        let words = unsafe UnsafeRawPointer(base)
        var index = start
        while index < text.count {
            if index &+ 8 <= text.count {
                let word = unsafe (words + index).loadUnaligned(as: UInt64.self)
                if !hasZero(word ^ lineFeeds) && !(isCSV && hasZero(word ^ quotes)) {
                    index &+= 8
                    continue
                }
            }
            let last = min(index &+ 8, text.count)
            while index < last {
                let byte = unsafe text[index]
                index &+= 1
                if byte == 0x0A && !isQuoted { return index }
                if byte == 0x22 && isCSV { isQuoted.toggle() }
            }
        }
        return nil
    }

    /// True if one of eight bytes is zero.
    private static func hasZero(_ word: UInt64) -> Bool {
        (word &- ones) & ~word & 0x8080_8080_8080_8080 != 0
    }
}
