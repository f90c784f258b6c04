import FanfareBase

/// The words of rows that name no provider.
package struct RouteWords: Sendable {
    /// Those of rows whose route the token decided.
    package private(set) var decided = UnknownWords()
    /// Those of rows that are not sent.
    package private(set) var turnedAway = UnknownWords()

    package init() {}

    /// Notes a row's word.
    package mutating func note(_ word: UnsafeBufferPointer<UInt8>, _ answer: RouteFinder.Answer) {
        switch answer {
        case .unknownWord: unsafe turnedAway.count(word)
        case .route(let route): unsafe decided.count(word, route: route)
        // That is the reason, and not the word.
        case .notInJob, .unknownShape: break
        }
    }

    /// Adds what another one has noted.
    package mutating func merge(_ other: RouteWords) {
        decided.merge(other.decided)
        turnedAway.merge(other.turnedAway)
    }
}

/// The words that stood in the place of a provider's name and name none, with how many rows had them.
package struct UnknownWords: Sendable {
    /// A word, as far as it is shown.
    package struct Word: Equatable, Sendable {
        package var text: String
        package var count: UInt64
        /// The route of all of its rows; `nil` if they have none, or not the same.
        package var route: Int?

        package init(text: String, count: UInt64, route: Int? = nil) {
            self.text = text
            self.count = count
            self.route = route
        }
    }

    private struct Entry: Sendable {
        var bytes: [UInt8]
        var count: UInt64
        var route: Int?

        mutating func add(_ rows: UInt64, route: Int?) {
            count += rows
            if self.route != route { self.route = nil }
        }
    }

    private var entries: [Entry] = []
    /// The rows with other words than those in the list.
    package private(set) var moreCount: UInt64 = 0

    package init() {}

    /// All rows that had such a word.
    package var rowCount: UInt64 { entries.reduce(moreCount) { $0 + $1.count } }

    /// The most frequent words first.
    package var words: [Word] {
        entries.sorted { ($1.count, $0.bytes.count) < ($0.count, $1.bytes.count) }.map { entry in
            Word(
                text: TerminalText.shown(
                    String(decoding: entry.bytes, as: UTF8.self), max: Limits.routeWordShownMax),
                count: entry.count, route: entry.route)
        }
    }

    /// Counts a row's word; beyond the words that there is room for only rows are counted.
    package mutating func count(_ word: UnsafeBufferPointer<UInt8>, route: Int? = nil) {
        unsafe add(word.prefix(Self.wordBytesMax), rows: 1, route: route)
    }

    /// Adds what another one has counted.
    package mutating func merge(_ other: UnknownWords) {
        moreCount += other.moreCount
        for entry in other.entries { add(entry.bytes, rows: entry.count, route: entry.route) }
    }

    private mutating func add(_ word: some Collection<UInt8>, rows: UInt64, route: Int?) {
        if let index = entries.firstIndex(where: { $0.bytes.elementsEqual(word) }) {
            entries[index].add(rows, route: route)
        } else if entries.count < Self.wordsMax {
            entries.append(Entry(bytes: Array(word), count: rows, route: route))
        } else {
            moreCount += rows
        }
    }

    /// The words that are told apart: a column of platforms has fewer, and one of something else is
    /// known by these.
    private static let wordsMax = 16
    private static let wordBytesMax = 4 * (Limits.routeWordShownMax + 1)
}
