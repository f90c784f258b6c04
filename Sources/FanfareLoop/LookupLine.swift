internal import FanfareBase

/// The line of names that wait to be looked up.
///
/// A look-up keeps a thread busy until the name service answers, or until the system gives up on it after half a
/// minute. Names that are answered late must not take all threads from those that are answered at once, so
/// each kind of name has its bound.
///
/// ```
///  quick     answered within a second when it was asked last    with all others, the most
///  unknown   not asked yet                                      with the slow ones, three quarters
///  slow      answered later than that, or not at all            an eighth
/// ```
/// A name is asked once at a time, however many connections want it.
struct LookupLine {
    enum Kind: Int, CaseIterable {
        case quick, unknown, slow
    }

    /// The most look-ups of a kind and of those behind it that run at a time.
    private let bounds: [Int]
    /// The time within which a quick name is answered.
    static let quickTime = Duration.seconds(1)
    /// Names that are remembered; a list may name any number.
    static let namesKnownMax = 4096

    private struct Waiting {
        var name: String
        var number: UInt64
    }

    /// By their kinds, each in the order in which they came.
    private var waiting: [[Waiting]] = Array(repeating: [], count: Kind.allCases.count)
    private var running: [String: (kind: Kind, since: Instant)] = [:]
    private var known: [String: Kind] = [:]
    private var count: UInt64 = 0

    /// - Parameter most: The look-ups that run at a time.
    init(most: Int) {
        bounds = [max(most, 1), max(most * 3 / 4, 1), max(most / 8, 1)]
    }

    /// The number of look-ups that run.
    var runningCount: Int { running.count }

    /// The number of names that have their kind.
    var knownCount: Int { known.count }

    /// Puts a name at the end, unless it is in the line or being looked up.
    mutating func add(_ name: String) {
        let kind = known[name] ?? .unknown
        guard running[name] == nil, !waiting[kind.rawValue].contains(where: { $0.name == name })
        else { return }
        count += 1
        waiting[kind.rawValue].append(Waiting(name: name, number: count))
    }

    /// Takes a name out of the line; one that is being looked up stays so.
    mutating func remove(_ name: String) {
        for kind in waiting.indices { waiting[kind].removeAll { $0.name == name } }
    }

    /// Takes the name that has waited for the longest time of those for which there is a thread.
    /// - Returns: The name, to be looked up now; nil if there is none.
    mutating func next(now: Instant) -> String? {
        let ready = Kind.allCases.filter { !waiting[$0.rawValue].isEmpty && hasRoom(for: $0) }
        let first = ready.min {
            waiting[$0.rawValue][0].number < waiting[$1.rawValue][0].number
        }
        guard let kind = first else { return nil }
        let name = waiting[kind.rawValue].removeFirst().name
        running[name] = (kind, now)
        return name
    }

    private func hasRoom(for kind: Kind) -> Bool {
        Kind.allCases.prefix(kind.rawValue + 1).allSatisfy { bound in
            running.values.count { $0.kind.rawValue >= bound.rawValue }
                < bounds[bound.rawValue]
        }
    }

    /// Notes that a look-up has ended, and how quick the name is.
    mutating func ended(_ name: String, now: Instant) {
        guard let (_, since) = running.removeValue(forKey: name) else { return }
        // With all others its kind is learned again.
        if known[name] == nil, known.count >= Self.namesKnownMax { known = [:] }
        known[name] = now < since.advanced(by: Self.quickTime) ? .quick : .slow
    }
}
