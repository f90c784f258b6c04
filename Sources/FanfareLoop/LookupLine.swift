internal import FanfareBase

/// The line of names that wait to be looked up.
///
/// A name is asked once at a time, however many connections want it.
struct LookupLine {
    typealias Kind = LookupPlaces.Kind

    private let places: LookupPlaces
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

    /// - Parameter places: The places for look-ups, which other lines may have, too.
    init(_ places: LookupPlaces) {
        self.places = places
    }

    /// The number of look-ups that run.
    var runningCount: Int { running.count }

    /// The number of names that have their kind.
    var knownCount: Int { known.count }

    /// True if a name was a slow one when it was looked up last.
    func isSlow(_ name: String) -> Bool { known[name] == .slow }

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
        let inOrder = Kind.allCases.filter { !waiting[$0.rawValue].isEmpty }.sorted {
            waiting[$0.rawValue][0].number < waiting[$1.rawValue][0].number
        }
        guard let kind = inOrder.first(where: places.take) else { return nil }
        let name = waiting[kind.rawValue].removeFirst().name
        running[name] = (kind, now)
        return name
    }

    /// Forgets all names that wait or are being looked up.
    mutating func clear() {
        for (kind, _) in running.values { places.give(kind) }
        self = LookupLine(places)
    }

    /// Notes that a look-up has ended, and how quick the name is.
    mutating func ended(_ name: String, now: Instant) {
        guard let (kind, since) = running.removeValue(forKey: name) else { return }
        places.give(kind)
        // With all others its kind is learned again.
        if known[name] == nil, known.count >= Self.namesKnownMax { known = [:] }
        known[name] = now < since.advanced(by: Self.quickTime) ? .quick : .slow
    }
}
