/// A set of row numbers in little memory: made for rows that are nearly all there.
///
/// Rows are kept in chunks of 65,536, a bit each. A chunk that is complete needs no bits any more, so
/// memory goes with the rows that are missing in between, not with the rows of a job: 10 million
/// finished rows take some 150 entries.
package struct RowSet: Sendable {
    fileprivate struct Chunk: Sendable {
        /// Empty when the chunk is complete.
        var words: [UInt64]
        var count: Int
    }

    private static let chunkRows = 65_536

    private static let empty = Chunk(words: Array(repeating: 0, count: chunkRows / 64), count: 0)

    private var chunks: [UInt64: Chunk] = [:]
    /// The number of rows in the set.
    package private(set) var count: UInt64 = 0
    /// The highest row in the set; 0 when it is empty.
    package private(set) var highest: UInt64 = 0

    /// Creates an empty set.
    package init() {}

    /// Adds a row.
    /// - Returns: True if it was not there before.
    package mutating func insert(_ row: UInt64) -> Bool {
        let key = row / UInt64(Self.chunkRows)
        let place = Int(row % UInt64(Self.chunkRows))
        guard chunks[key, default: Self.empty].insert(place) else { return false }
        count += 1
        highest = max(highest, row)
        return true
    }

    /// Returns the rows of a span that are not in the set: their number, and the first of them.
    package func missing(in span: Range<UInt64>) -> (count: UInt64, first: UInt64?) {
        guard !span.isEmpty else { return (0, nil) }
        let size = UInt64(Self.chunkRows)
        var (count, first): (UInt64, UInt64?) = (0, nil)
        func miss(_ rows: Range<UInt64>) {
            guard !rows.isEmpty else { return }
            count += UInt64(rows.count)
            first = first ?? rows.lowerBound
        }
        // The span may be far longer than the set, by a number that came from elsewhere.
        let keys = span.lowerBound / size...(span.upperBound - 1) / size
        let known =
            chunks.count < keys.count
            ? chunks.keys.filter(keys.contains).sorted() : keys.filter { chunks[$0] != nil }
        var row = span.lowerBound
        for key in known {
            let start = max(row, key * size)
            miss(row..<start)
            row = key == keys.upperBound ? span.upperBound : (key + 1) * size
            guard let chunk = chunks[key], !chunk.words.isEmpty else { continue }
            for candidate in start..<row where !contains(candidate) {
                miss(candidate..<candidate + 1)
            }
        }
        miss(row..<span.upperBound)
        return (count, first)
    }

    /// Returns the rows that are in another set, too: their number, and the first and the last of them.
    package func common(with other: RowSet) -> (count: UInt64, span: ClosedRange<UInt64>?) {
        var (count, span): (UInt64, ClosedRange<UInt64>?) = (0, nil)
        for (key, chunk) in chunks {
            guard let match = other.chunks[key] else { continue }
            for place in 0..<Self.chunkRows / 64 {
                let word = chunk.word(place) & match.word(place)
                guard word != 0 else { continue }
                count += UInt64(word.nonzeroBitCount)
                let base = key * UInt64(Self.chunkRows) + UInt64(place * 64)
                let first = base + UInt64(word.trailingZeroBitCount)
                let last = base + 63 - UInt64(word.leadingZeroBitCount)
                span = min(span?.lowerBound ?? first, first)...max(span?.upperBound ?? last, last)
            }
        }
        return (count, span)
    }

    /// True if a row is in the set.
    package func contains(_ row: UInt64) -> Bool {
        guard let chunk = chunks[row / UInt64(Self.chunkRows)] else { return false }
        let place = Int(row % UInt64(Self.chunkRows))
        return chunk.words.isEmpty || chunk.words[place / 64] & 1 << UInt64(place % 64) != 0
    }
}

extension RowSet.Chunk {
    /// The bits of 64 rows.
    fileprivate func word(_ place: Int) -> UInt64 { words.isEmpty ? .max : words[place] }

    /// Adds a row; its bits go when nothing is missing any more.
    fileprivate mutating func insert(_ place: Int) -> Bool {
        guard !words.isEmpty else { return false }
        let bit: UInt64 = 1 << UInt64(place % 64)
        guard words[place / 64] & bit == 0 else { return false }
        words[place / 64] |= bit
        count += 1
        if count == 64 * words.count { words = [] }
        return true
    }
}
