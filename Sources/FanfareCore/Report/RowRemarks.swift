import FanfareBase

/// The probable mistakes in the payloads that rows bring, with the rows that have them.
///
/// Each worker has its own; `merge` adds them up. However many mistakes there are, some are kept.
package struct RowRemarks: Sendable, Equatable {
    /// A mistake.
    package struct Remark: Sendable, Equatable {
        /// The mistake, as a phrase that follows the row's name.
        package var text: String
        /// The number of rows that have it.
        package var count: UInt64
        /// The first of them.
        package var places: [RehearsalFigures.Place]
    }

    /// The mistakes, those of the first rows first.
    package private(set) var all: [Remark] = []

    /// Begins without rows.
    package init() {}

    /// Notes that a row has a mistake.
    package mutating func note(_ text: String, at place: RehearsalFigures.Place) {
        add(Remark(text: text, count: 1, places: [place]))
    }

    /// Adds another worker's remarks.
    package mutating func merge(_ other: RowRemarks) {
        for remark in other.all { add(remark) }
        all.sort { ($0.places.first?.row ?? 0) < ($1.places.first?.row ?? 0) }
    }

    private mutating func add(_ remark: Remark) {
        guard let index = all.firstIndex(where: { $0.text == remark.text }) else {
            if all.count < Limits.rowRemarksMax { all.append(remark) }
            return
        }
        all[index].count += remark.count
        all[index].places = RehearsalFigures.first(of: all[index].places + remark.places)
    }
}

extension Limits {
    /// The mistakes of rows that are counted one by one: more than a person reads.
    static let rowRemarksMax = 32
}
