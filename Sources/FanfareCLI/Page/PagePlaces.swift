package import FanfareBase

/// The choice of the viewer that gives up its place to a new one, when all places are taken.
///
/// Clients that open connections and read nothing must not keep people out. A browser shows by a word of the page that
/// it has read that; it keeps its place for as long as it takes what is sent to it.
package enum PagePlaces {
    /// A viewer, as far as the choice goes.
    package struct Viewer: Equatable, Sendable {
        /// The number of viewers that came before it.
        package var number: UInt64
        /// True if it has read the page.
        package var isReader: Bool
        /// The moment since when it has taken none of the bytes that wait for it; `nil` if none wait.
        package var standsStillSince: Instant?

        package init(number: UInt64, isReader: Bool, standsStillSince: Instant? = nil) {
            self.number = number
            self.isReader = isReader
            self.standsStillSince = standsStillSince
        }
    }

    /// Returns the index of the viewer that goes: the one that has taken nothing for the longest time, or else the
    /// oldest one that has not read the page.
    /// - Parameters:
    ///   - viewers: All of them.
    ///   - now: The time.
    /// - Returns: The index; `nil` if all of them read.
    package static func leaving(_ viewers: [Viewer], at now: Instant) -> Int? {
        func stillness(_ index: Int) -> Instant? {
            viewers[index].standsStillSince.flatMap {
                now >= $0.advanced(by: Limits.pageStandstill) ? $0 : nil
            }
        }
        let standing = viewers.indices.filter { stillness($0) != nil }
            .min { stillness($0) ?? now < stillness($1) ?? now }
        return standing
            ?? viewers.indices.filter { !viewers[$0].isReader }
            .min { viewers[$0].number < viewers[$1].number }
    }
}
