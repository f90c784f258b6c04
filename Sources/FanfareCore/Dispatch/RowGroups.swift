package import FanfareBase

/// The rule by which rows share requests.
package struct RequestSharing: Equatable, Sendable {
    /// The most rows of a request.
    package var rowsMax: Int
    /// The time for which a request that is not full waits for more rows, in nanoseconds.
    package var lingerNanoseconds: Int64

    package init(rowsMax: Int, linger: Duration) {
        self.rowsMax = rowsMax
        lingerNanoseconds = linger.wholeNanoseconds
    }
}

/// Rows that wait for others to share a request with: those that have the same key may.
///
/// A request starts when it is full, or when its first row has waited for long enough; where there are more
/// keys than rows that may wait, the oldest goes. Knows rows by number only; the time is an argument.
package struct RowGroups {
    private struct Group {
        var rows: [RequestID]
        var since: Instant
        /// The number that tells it from an earlier one with the same key.
        var number: UInt64
    }

    private let sharing: RequestSharing
    /// Those that wait, but for the one that is being filled.
    private var open: [[UInt8]: Group] = [:]
    /// The group of the last row, since the next one is mostly of the same.
    private var filled: (key: [UInt8], group: Group)?
    /// The keys in the order of age; some of groups that are gone.
    private var order: [(key: [UInt8], number: UInt64)] = []
    private var firstOfOrder = 0
    private var count: UInt64 = 0
    /// Rows that go together as they are, before all others.
    private var closed: [[RequestID]] = []
    /// The rows that are on a request with another row, by that one.
    private var fellows: [RequestID: [RequestID]] = [:]
    /// The rows that wait.
    package private(set) var waitingCount = 0

    package init(_ sharing: RequestSharing) { self.sharing = sharing }

    /// True if another row may wait: two full requests, or as many rows alone.
    package var hasRoom: Bool { waitingCount < 2 * sharing.rowsMax }

    /// Returns the time when the oldest row will have waited for long enough.
    /// - Parameter turn: The time when the lane last looked whether requests may start: a row that
    ///   was due by then waits for something else.
    /// - Returns: The time; nil if there is nothing to look at again.
    package func deadline(behind turn: Instant) -> Instant? {
        for (key, number) in order[firstOfOrder...] {
            guard let group = group(key), group.number == number else { continue }
            let due = group.since.advanced(byNanoseconds: sharing.lingerNanoseconds)
            return due > turn ? due : nil
        }
        return nil
    }

    /// Adds a row.
    /// - Parameters:
    ///   - row: Its number.
    ///   - key: The part of its request that it has in common with those that it may go with.
    ///   - now: The time.
    /// - Returns: The rows of a request that is full with it, which wait no longer.
    package mutating func add(
        _ row: RequestID, _ key: UnsafeBufferPointer<UInt8>, now: Instant
    ) -> [RequestID]? {
        waitingCount += 1
        let isFilled =
            unsafe filled?.key.withUnsafeBufferPointer { unsafe $0.hasBytes(of: key) } ?? false
        if !isFilled { fill(unsafe Array(key), now: now) }
        filled?.group.rows.append(row)
        guard let rows = filled?.group.rows, rows.count >= sharing.rowsMax else { return nil }
        filled = nil
        waitingCount -= rows.count
        return rows
    }

    /// Makes a key's group the one that is being filled.
    private mutating func fill(_ key: [UInt8], now: Instant) {
        putBack()
        if let group = open.removeValue(forKey: key) {
            filled = (key, group)
        } else {
            count += 1
            filled = (key, Group(rows: [], since: now, number: count))
            order.append((key, count))
        }
    }

    private mutating func putBack() {
        if let (key, group) = filled { open[key] = group }
        filled = nil
    }

    private func group(_ key: [UInt8]) -> Group? {
        filled?.key == key ? filled?.group : open[key]
    }

    /// Takes the rows that have waited for longest, if that was long enough.
    /// - Parameters:
    ///   - now: The time.
    ///   - isLast: True if no other row comes for now, so that there is nothing to wait for.
    /// - Returns: The rows; nil if none has waited for long enough.
    package mutating func takeOldest(now: Instant, isLast: Bool) -> [RequestID]? {
        putBack()
        while firstOfOrder < order.count {
            let (key, number) = order[firstOfOrder]
            guard let group = open[key], group.number == number else {
                dropFirstOfOrder()
                continue
            }
            let due = group.since.advanced(byNanoseconds: sharing.lingerNanoseconds)
            guard isLast || now >= due else { return nil }
            dropFirstOfOrder()
            open[key] = nil
            waitingCount -= group.rows.count
            return group.rows
        }
        return nil
    }

    private mutating func dropFirstOfOrder() {
        firstOfOrder += 1
        // Each entry is moved once for each that goes, at the most.
        if firstOfOrder * 2 > order.count {
            order.removeFirst(firstOfOrder)
            firstOfOrder = 0
        }
    }

    /// Has rows go in two requests that were too many for one, before all others.
    ///
    /// A service that refuses all of them shall have said so of single rows soon: behind the others it would be asked
    /// as often as there are rows first.
    package mutating func halve(_ rows: [RequestID]) {
        let half = (rows.count + 1) / 2
        closed.insert(contentsOf: [Array(rows[..<half]), Array(rows[half...])], at: 0)
        waitingCount += rows.count
    }

    /// Takes rows that go together as they are.
    package mutating func takeClosed() -> [RequestID]? {
        guard !closed.isEmpty else { return nil }
        let rows = closed.removeFirst()
        waitingCount -= rows.count
        return rows
    }

    /// Takes the oldest row alone; those that were to go with it wait for others, or for each other.
    package mutating func takeOne() -> RequestID? {
        if !closed.isEmpty {
            let row = closed[0].removeFirst()
            if closed[0].isEmpty { closed.removeFirst() }
            waitingCount -= 1
            return row
        }
        guard let rows = takeOldest(now: .distantFuture, isLast: true) else { return nil }
        if rows.count > 1 {
            closed.append(Array(rows[1...]))
            waitingCount += rows.count - 1
        }
        return rows[0]
    }

    /// Takes all that wait, in the order of age.
    package mutating func takeAll() -> [RequestID] {
        var all: [RequestID] = []
        while let rows = takeClosed() { all += rows }
        while let rows = takeOldest(now: .distantFuture, isLast: true) { all += rows }
        return all
    }

    // MARK: On the way

    /// Lets rows go on the request of another one.
    package mutating func board(_ rows: [RequestID], on leader: RequestID) {
        fellows[leader] = rows
    }

    /// Takes those that went on a row's request, in its order; nil if it went alone.
    package mutating func takeFellows(of leader: RequestID) -> [RequestID]? {
        fellows.removeValue(forKey: leader)
    }
}
