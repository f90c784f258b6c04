internal import FanfareBase
internal import Synchronization

/// The look-ups that may be under way at a time, for all resolvers that share the threads for them.
///
/// A look-up keeps a thread busy until the name service answers, or until the system gives up on it after ten seconds or
/// more. Names that are answered late must not take all threads from those that are answered at once, so each
/// kind of name has its bound.
///
/// ```
///  quick     answered within a second when it was asked last    with all others, the most
///  unknown   not asked yet                                      with the slow ones, three quarters
///  slow      answered later than that, or not at all            an eighth
/// ```
package final class LookupPlaces: Sendable {
    enum Kind: Int, CaseIterable {
        case quick, unknown, slow
    }

    /// The most look-ups of a kind and of those behind it.
    private let bounds: [Int]
    /// The look-ups under way, by their kinds.
    private let running = Mutex<[Int]>(Array(repeating: 0, count: Kind.allCases.count))

    /// - Parameter most: The look-ups of all kinds.
    package init(most: Int) {
        bounds = [max(most, 1), max(most * 3 / 4, 1), max(most / 8, 1)]
    }

    /// Takes a place for a name.
    /// - Returns: False if none is free for its kind.
    func take(_ kind: Kind) -> Bool {
        running.withLock { running in
            let hasRoom = Kind.allCases.prefix(kind.rawValue + 1).allSatisfy { bound in
                running[bound.rawValue...].reduce(0, +) < bounds[bound.rawValue]
            }
            if hasRoom { running[kind.rawValue] += 1 }
            return hasRoom
        }
    }

    /// Gives a place back.
    func give(_ kind: Kind) {
        running.withLock { $0[kind.rawValue] -= 1 }
    }
}
