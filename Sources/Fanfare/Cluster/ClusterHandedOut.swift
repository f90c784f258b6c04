import FanfareCore

/// The rows that were given to lanes and have no line yet, by the grant that they belong to.
struct ClusterHandedOut: Sendable {
    /// Rows that were handed out at once.
    private struct Part: Sendable {
        let key: GrantKey
        /// Further grants under which rows of it have come since.
        var laterKeys: [GrantKey] = []
        let rows: Range<UInt64>
        let isInDoubt: Bool
        /// One bit for each row: whether it has its line.
        var bits: [UInt64]
        var linedCount = 0

        init(_ out: ClusterMember.HandOut, _ rows: Range<UInt64>) {
            key = out.key
            self.rows = rows
            isInDoubt = out.isInDoubt
            bits = Array(repeating: 0, count: (rows.count + 63) / 64)
        }

        var isDone: Bool { linedCount == rows.count }

        func belongs(to grant: GrantKey) -> Bool { key == grant || laterKeys.contains(grant) }

        /// Notes lines of rows, counted from 1, up to the first one that it does not have.
        ///
        /// Answers come in the order of requests, mostly, so rows that follow each other are noted together.
        /// - Returns: The number of rows that it has.
        mutating func line(_ numbers: UnsafeBufferPointer<UInt64>) -> Int {
            let first = rows.lowerBound + 1
            let count = UInt64(rows.count)
            var (taken, new) = (0, 0)
            unsafe bits.withUnsafeMutableBufferPointer { bits in
                while taken < numbers.count {
                    let number = unsafe numbers[taken]
                    let place = number &- first
                    guard place < count else { break }
                    let most = min(
                        Int(64 &- place & 63), Int(count &- place), numbers.count - taken)
                    var length = 1
                    while unsafe length < most
                        && numbers[taken &+ length] == number &+ UInt64(length)
                    {
                        length &+= 1
                    }
                    let mask = (~UInt64(0) &>> UInt64(64 &- length)) &<< (place & 63)
                    let word = unsafe bits[Int(place >> 6)]
                    // Few processors count bits by an instruction that all have.
                    new +=
                        length == 1
                        ? word & mask == 0 ? 1 : 0 : (mask & ~word).nonzeroBitCount
                    unsafe bits[Int(place >> 6)] = word | mask
                    taken &+= length
                }
            }
            linedCount += new
            return taken
        }

        /// The first row without a line: a part in which all rows have theirs is not kept.
        var firstOpen: UInt64 {
            for (place, word) in bits.enumerated() where word != .max {
                return rows.lowerBound + UInt64(place * 64 + (~word).trailingZeroBitCount)
            }
            preconditionFailure("BUG: a part without an open row is kept")
        }

        /// Adds the rows without a line.
        func addOpenRows(to open: inout RowIntervals) {
            var first: UInt64?
            for row in rows {
                let place = Int(row - rows.lowerBound)
                let isLined = bits[place / 64] & UInt64(1) << UInt64(place % 64) != 0
                if let begin = first, isLined {
                    open.insert(begin..<row)
                    first = nil
                } else if !isLined {
                    first = first ?? row
                }
            }
            if let first { open.insert(first..<rows.upperBound) }
        }
    }

    /// Parts with rows that have no line, by their first rows.
    private var parts: [Part] = []
    private var lastPlace = 0
    /// All rows that were handed out.
    private var rows = RowIntervals()
    /// Rows that were handed out again, and that the reader has not got again yet.
    private var repeated = RowIntervals()
    /// For each grant the row below which all were handed out.
    private var ends: [GrantKey: UInt64] = [:]
    private(set) var openRows: UInt64 = 0

    /// Notes rows for the lanes.
    ///
    /// They may have had some of them: an engine that has gone back shows grants anew that were settled.
    mutating func add(_ out: ClusterMember.HandOut) {
        let again = rows.intersection(out.rows)
        for span in RowIntervals(out.rows).subtracting(again).spans {
            parts.insert(Part(out, span), at: place(behind: span.lowerBound))
            openRows += UInt64(span.count)
        }
        if !again.isEmpty {
            repeated.formUnion(again)
            for index in parts.indices
            where !parts[index].belongs(to: out.key) && parts[index].rows.overlaps(out.rows) {
                parts[index].laterKeys.append(out.key)
            }
        }
        rows.insert(out.rows)
        ends[out.key] = max(ends[out.key] ?? 0, out.rows.upperBound)
    }

    /// Returns the rows of a batch that lanes have had before: they have their lines, or will.
    mutating func takeRepeated(in span: Range<UInt64>) -> RowIntervals {
        guard !repeated.isEmpty else { return RowIntervals() }
        let found = repeated.intersection(span)
        repeated.subtract(found)
        return found
    }

    /// The place of the first part that begins behind a row.
    private func place(behind row: UInt64) -> Int {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].rows.lowerBound > row { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The place of the part that has a row, if it has no line for all of its rows yet.
    private func part(of row: UInt64) -> Int? {
        if parts.indices.contains(lastPlace), parts[lastPlace].rows.contains(row) {
            return lastPlace
        }
        let place = place(behind: row) - 1
        return place >= 0 && parts[place].rows.contains(row) ? place : nil
    }

    func isInDoubt(_ row: UInt64) -> Bool { part(of: row).map { parts[$0].isInDoubt } ?? false }

    /// Notes that rows, counted from 1, have their lines.
    mutating func lined(_ numbers: ArraySlice<UInt64>) {
        unsafe numbers.withUnsafeBufferPointer { numbers in
            var rest = unsafe numbers[...]
            while let number = unsafe rest.first {
                guard let place = part(of: number - 1) else {
                    unsafe rest = rest.dropFirst()
                    continue
                }
                lastPlace = place
                let before = parts[place].linedCount
                let taken = unsafe parts[place].line(UnsafeBufferPointer(rebasing: rest))
                unsafe rest = rest.dropFirst(taken)
                openRows -= UInt64(parts[place].linedCount - before)
                if parts[place].isDone { parts.remove(at: place) }
            }
        }
    }

    /// For each grant the row below which all have their lines; grants without open rows are named once more.
    mutating func progress() -> [(key: GrantKey, lined: UInt64)] {
        var progress: [(key: GrantKey, lined: UInt64)] = []
        for (key, end) in ends {
            let open = parts.first { $0.belongs(to: key) }
            if open == nil { ends[key] = nil }
            progress.append((key, open?.firstOpen ?? end))
        }
        return progress
    }

    /// The rows that are in doubt if the worker is lost: those of each grant from the first part on that lacks a line.
    var unsettledRows: UInt64 {
        var seen: Set<GrantKey> = []
        return parts.reduce(0) { sum, part in
            guard seen.insert(part.key).inserted, let end = ends[part.key] else { return sum }
            return sum + end - part.rows.lowerBound
        }
    }

    /// The rows that have got their lines since they were handed out.
    var linedRows: RowIntervals {
        rows.subtracting(
            parts.reduce(into: RowIntervals()) { open, part in part.addOpenRows(to: &open) })
    }
}
