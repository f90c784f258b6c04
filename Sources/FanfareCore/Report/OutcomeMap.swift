import FanfareBase

/// The outcomes of many rows, a byte each, by row number.
///
/// It is made for the rows of a report, which come in the order of completion and are nearly all
/// there.
package struct OutcomeMap: Sendable {
    private static let pageRows: UInt64 = 65_536
    /// No outcome has it.
    private static let none: UInt8 = 0xFF
    /// Beside an outcome: the caller has asked for the row.
    private static let seenBit: UInt8 = 0x40

    /// The pages by the row number's higher digits; empty where there is no row.
    private var pages: [[UInt8]] = []
    private let pagesMax: Int
    private var pageCount = 0
    /// The number of rows in it.
    package private(set) var count: UInt64 = 0

    /// Creates an empty map.
    /// - Parameter pagesMax: The most pages of 65,536 rows that it may have.
    package init(pagesMax: Int = Limits.comparedPages) {
        self.pagesMax = pagesMax
    }

    /// The result of `insert`.
    package enum Insertion: Equatable, Sendable {
        case inserted
        /// The row has an outcome already, and keeps it.
        case present
        /// There is no room for the row.
        case full
    }

    /// Takes down a row's outcome.
    package mutating func insert(_ row: UInt64, _ outcome: Outcome) -> Insertion {
        let key = row / Self.pageRows
        guard key < Limits.checkpointRowsMax / Self.pageRows + 1 else { return .full }
        let page = Int(key)
        if page >= pages.count || pages[page].isEmpty {
            guard pageCount < pagesMax else { return .full }
            pageCount += 1
            while pages.count <= page { pages.append([]) }
            pages[page] = Array(repeating: Self.none, count: Int(Self.pageRows))
        }
        let place = Int(row % Self.pageRows)
        guard pages[page][place] == Self.none else { return .present }
        pages[page][place] = outcome.rawValue
        count += 1
        return .inserted
    }

    /// Asks for a row's outcome.
    /// - Returns: The outcome, and whether it was asked for before; `nil` if the row is not there.
    package mutating func take(_ row: UInt64) -> (outcome: Outcome, isRepeated: Bool)? {
        let page = Int(clamping: row / Self.pageRows)
        guard page < pages.count, !pages[page].isEmpty else { return nil }
        let place = Int(row % Self.pageRows)
        let value = pages[page][place]
        guard value != Self.none, let outcome = Outcome(rawValue: value & ~Self.seenBit) else {
            return nil
        }
        pages[page][place] |= Self.seenBit
        return (outcome, value & Self.seenBit != 0)
    }
}
