package import FanfareBase

/// Searches for connections that need a look in each turn.
///
/// There may be hundreds of connections and but a few answers in a turn, so a search costs a few instructions for
/// each of them: it reads the records where they lie, and hands only the numbers out.
extension Dispatcher {
    /// Returns the first connection from a number on, on which nothing could be sent for as long as an
    /// answer may take; `nil` if there is none.
    package func nextBlocked(from first: Int, now: Instant) -> Int? {
        next(from: first) { $0.isBlockedForLong(settings, now: now) }
    }

    /// Returns the first connection from a number on, with a request whose time for an answer is over; `nil` if
    /// there is none.
    package func nextOverdue(from first: Int, now: Instant) -> Int? {
        for index in first..<max(first, connections.count)
        where overdue(on: index, now: now) != nil {
            return index
        }
        return nil
    }

    /// Returns the first connection from a number on, whose peer is asked for a sign of life when it is
    /// silent; `nil` if there is none.
    package func nextWatched(from first: Int) -> Int? {
        next(from: first) { $0.watchesSilence }
    }

    /// Returns the first connection from a number on, whose peer allows no stream now, or has allowed none when it
    /// was looked at last; `nil` if there is none.
    package func nextUseless(from first: Int) -> Int? {
        next(from: first) { $0.mayBeUseless }
    }

    @inline(__always)
    private func next(from first: Int, where isFound: (borrowing ConnectionRecord) -> Bool) -> Int?
    {
        for index in first..<max(first, connections.count) where isFound(connections[index]) {
            return index
        }
        return nil
    }
}
